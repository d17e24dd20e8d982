"""What the two design documents ask, beside the tests that show it. tools/rfc writes docs/rfc.md from these calls.

It reads the sources without running them, so arguments are literals, or constants of the file. A cell for a language is code,
or words with code in backticks; "" is an empty cell, and "the same" refers to the Python cell.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Promise:
    """A row of docs/rfc.md.

    section: heading of the section in the document.
    asks: what the document asks, one sentence in our words.
    python, cpp, tensorflow: where it is, for each language and for structtensor.tf.
    differs: what differs from the document, and why.
    shown_by: a test elsewhere, of what only TensorFlow or a database can show: "file.py::function" in
        tests/python/tensorflow_integration, or "folder/file.py::function" in tests/python.
    """

    section: str
    asks: str
    python: str = ""
    cpp: str = ""
    tensorflow: str = ""
    differs: str = ""
    shown_by: str = ""


def promise(section, asks, *, python="", cpp="", tensorflow="", differs="", shown_by=""):
    """Decorates a test with a row that it shows. Several decorators are several rows, from the top down."""
    Promise(section, asks, python, cpp, tensorflow, differs, shown_by)
    return lambda test: test


def promise_of_tensorflow(section, asks, *, shown_by, python="", cpp="", tensorflow="", differs=""):
    """A row whose test is `shown_by`, called at the top level of a file of tests: that place gives the row's."""
    Promise(section, asks, python, cpp, tensorflow, differs, shown_by)
