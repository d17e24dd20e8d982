"""The options of decoders and scans. The list of them is runtime/structtensor/app/scan/shared/option_table.cc."""

import difflib
import inspect
import operator
import textwrap

from . import _core

TABLE = _core._options()
_OF_DECODERS = [row for row in TABLE if row["in_decoders"]]
_NAMES = {row["keyword"]: row["name"] for row in _OF_DECODERS}
_INTEGERS = frozenset(row["keyword"] for row in TABLE if row["type"] == "number")


def range_of(row):
    """The values of an option, for people: "0 to 1,000", "0 or more", '"fail", "skip" or "null"'.

    "" for flags, and for options that take any string.
    """
    if row["type"] == "number":
        least, greatest = row["least"], row["greatest"]
        return f"{least} or more" if greatest >= 2**63 - 1 else f"{least:,} to {greatest:,}"
    words = [f'"{word}"' for word in row["words"]]
    return "" if not words else ", ".join(words[:-1]) + f" or {words[-1]}"


def default_of(row, key="default"):
    """The default of an option, for people; "" if it has no value then."""
    default = row[key]
    if row["type"] == "number" and default:
        return f"{int(default):,}"
    return f'"{default}"' if row["type"] == "word" and default else default


def _line(row):
    parts = [row["help"]]  # also says what the words of an option mean
    if row["type"] == "number" or row["type"] == "word" and not any(word["help"] for word in row["words"].values()):
        parts.append(range_of(row))
    default = default_of(row) or row["default_help"]
    parts.append(f"Default: {default}" if default else "")
    return ". ".join(filter(None, parts))


def lines_of(names):
    """{name: its line in help()} for options by their keywords."""
    rows = {row["keyword"]: row for row in TABLE}
    return {name: _line(rows[name]) for name in names}


_OF_BATCHES = ("batch_size", "batch_bytes", "dead_letters")
_OF_SCANS = ("format", "confluent", "rows", "skip", "limit", "on_damaged_file")

# A line for each option of decoders, which help() shows.
OF_DECODERS = lines_of(_NAMES)


def with_options(function):
    """Decorator: shows the options of decoders in the signature of a function that takes them as **options."""
    signature = inspect.signature(function)
    own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    options = [
        inspect.Parameter(row["keyword"], inspect.Parameter.KEYWORD_ONLY, default=_value_of_default(row))
        for row in _OF_DECODERS
    ]
    function.__signature__ = signature.replace(parameters=[*own, *options])
    return function


def _value_of_default(row):
    default = row["default"]
    if row["type"] == "flag":
        return default == "True"
    if row["type"] == "number":
        return int(default) if default else None
    return default or None


def check(options, others=()):
    """Raises TypeError for names that are no options; `others` are arguments of the function beside the options."""
    for name in options:
        if name not in OF_DECODERS:
            if name in _OF_BATCHES:
                raise TypeError(f"{name} is an argument of Scan.batches(), not of this function")
            if name in _OF_SCANS:
                functions = "decode(), scan() or read()" if name in ("format", "confluent") else "scan() or read()"
                raise TypeError(f"{name} is not an option of a decoder; pass it to {functions}")
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


def library_names(options):
    """The options of a decoder by the names of the library, as the bindings take them."""
    return {_NAMES[name]: value for name, value in options.items()}


def lines(arguments, width=118):
    """A paragraph for each argument, as in the docstrings of the bindings."""
    column = max(map(len, arguments)) + 2
    return "\n".join(
        textwrap.fill(f"{name:{column}}{text}", width, subsequent_indent=" " * column) for name, text in arguments.items()
    )
