"""The options of decoders and scans, which the bindings take as a dict (src/options.cc)."""

import difflib
import operator
import textwrap

# A line for each option, which help() shows. docs/python.md says more.
OF_DECODERS = {
    "select": "the fields that are read: paths, `*` for any name, regular expressions between slashes. Default: all",
    "drop": "the fields that are left out, in the same form",
    "where": "a condition as in SQL: only the rows for which it is true",
    "threads": "how many threads decode, 1 to 1024. Default: 1",
    "on_error": 'what a broken message does: "fail" (DecodeError, the default), "skip" (no row), "null" (a row without values)',
    "max_errors": 'with "skip" and "null": more broken messages than this are an error. Default: any number is allowed',
    "optionals": 'optional fields: "nullable" (the default), "ragged" (an axis of 0 or 1), "default" (the default if absent)',
    "timestamps": 'the unit of times: "s", "ms", "us" (the default) or "ns"',
    "well_known_types": '"native" (times and values, the default) or "structs"',
    "unknown_fields": "True keeps fields that the schema does not know, as bytes",
    "ignore_extra_fields": "True passes over names in JSON, text format and CSV that the message type or an enum does not have",
    "recursion_depth": "how often a message type may occur on its own path before it is kept as bytes, 1 to 10. Default: 1",
    "allow_missing_required": "True reads a required field that is missing as absent",
    "max_depth": "how deep messages may be nested, 0 to 1000. Default: 100",
    "max_rows": "the most messages in a batch, and the most elements of one repeated message field in it. Default: 2^28",
    "max_cells": "the most elements of one repeated message field in a batch, times the fields of its type. Default: 2^28",
    "max_memory_bytes": "the most memory of all columns of a batch. Default: 1 GiB",
    "max_paths": "the most different paths of message fields in a batch. Default: 16,384",
    "max_message_bytes": "the largest size of one message. Default: 2 GiB, as in protobuf",
}
_INTEGERS = frozenset(
    "threads max_errors max_depth max_rows max_cells max_memory_bytes max_paths max_message_bytes recursion_depth".split()
    + ["bytes", "limit", "rows", "skip"]
)


def check(options, others=()):
    """Raises TypeError for names that are no options; `others` are arguments of the function beside the options."""
    for name in options:
        if name not in OF_DECODERS:
            known = sorted([*OF_DECODERS, *others])
            close = difflib.get_close_matches(name, known)
            hint = f"; did you mean {' or '.join(close)}?" if close else ""
            raise TypeError(f"there is no option {name}; there are {', '.join(known)}{hint}")
    check_integers(**options)


def check_integers(**options):
    """Raises OverflowError, with the name of the option, for integers of more than 64 bits."""
    for name, value in options.items():
        if name in _INTEGERS and hasattr(type(value), "__index__"):
            number = operator.index(value)
            if not -(2**63) <= number < (2**64 if name in OF_DECODERS else 2**63):
                raise OverflowError(f"{name}: the integer is too large for 64 bits")


def lines(arguments, width=118):
    """A paragraph for each argument, as in the docstrings of the bindings."""
    column = max(map(len, arguments)) + 2
    return "\n".join(
        textwrap.fill(f"{name:{column}}{text}", width, subsequent_indent=" " * column) for name, text in arguments.items()
    )
