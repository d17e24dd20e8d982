"""The list of options, in each of the places that are made of it. tests/app has the same tests of C++ and the command."""

import contextlib
import importlib.util
import pathlib
import re

import pytest
import structtensor as st
from structtensor import _options

ROOT = pathlib.Path(__file__).resolve().parents[3]
NUMBERS = [row for row in _options.TABLE if row["type"] == "number" and row["keyword"]]
WORDS = [row for row in _options.TABLE if row["type"] == "word"]


def module_of(path):
    """A module of a file of the project, by itself: without its package, which needs libraries."""
    spec = importlib.util.spec_from_file_location(path.replace("/", "_").removesuffix(".py"), ROOT / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ids(row):
    return row["name"]


@pytest.fixture
def use(span_class, spans_file):
    """Passes an argument to the function that takes it."""
    schema = st.Schema.from_class(span_class)

    def call(row, value):
        name = row["keyword"]
        others = {"on_error": "skip"} if name == "max_errors" else {}
        with contextlib.suppress(st.DecodeError, MemoryError):  # of a limit, which the messages may exceed
            if row["group"] == "batches" and name != "threads":
                list(st.scan(spans_file, schema).batches(**{name: value}))
                return
            if row["in_decoders"]:
                schema.decoder(**{name: value}, **others).decode([b""])
            if name != "threads" or value < 1000:  # a scan starts its threads
                st.scan(spans_file, schema, **{name: value}, **others)

    return call


@pytest.mark.parametrize("row", NUMBERS, ids=ids)
def test_numbers_take_both_ends_of_their_ranges(row, use):
    name = row["keyword"]
    # skip= and limit= are signed in the library, so 2^63 - 1 is the largest. It is also where Python's "or more" ends.
    for number in (row["least"], row["least"] + 1, row["greatest"] - 1, row["greatest"]):
        use(row, number)
    too_large = row["greatest"] + 1
    expected = _options.range_of(row).replace(",", "") + (", or nothing for no limit" if row["none"] else "")
    for number in [row["least"] - 1, -1, *([too_large] if too_large < 2**63 else [])]:
        with pytest.raises(ValueError, match=f"^{name}={number}: expected {expected}$"):
            use(row, number)
    if too_large >= 2**63:
        with pytest.raises((OverflowError, ValueError), match=f"^{name}(=|: the integer is too large)"):
            use(row, too_large)
    for other in ("1", 1.0, [1]):
        with pytest.raises(TypeError, match=f"^{name}: expected an integer"):
            use(row, other)
    if row["none"]:
        use(row, None)


def test_limits_of_zero(span_class):
    schema = st.Schema.from_class(span_class)
    # All messages have a depth of 0 or more, and no batch needs no memory.
    assert len(schema.decoder(max_depth=0).decode([b""])) == 1
    with pytest.raises(MemoryError, match="max_rows=0"):
        schema.decoder(max_rows=0).decode([b""])


@pytest.mark.parametrize("row", WORDS, ids=ids)
def test_words(row, span_class, spans_file):
    name = row["keyword"]
    for word in row["words"]:
        st.scan([], span_class, **{name: word})
    listed = ", ".join(row["words"])
    for word in ("no", "", "kSkip", "a`b", "k" * 1000):
        with pytest.raises(ValueError, match=f'^{name}="{word[:100]}": expected one of {re.escape(listed)}$'):
            st.scan(spans_file, span_class, **{name: word})
    with pytest.raises(TypeError, match=f"^{name}: expected str"):
        st.scan(spans_file, span_class, **{name: 5})


def test_flags(span_class, spans_file):
    for row in _options.TABLE:
        if row["type"] != "flag":
            continue
        for value in (1, "true", None):
            with pytest.raises(TypeError, match=f"^{row['keyword']}: expected True or False"):
                st.scan(spans_file, span_class, **{row["keyword"]: value})


# What Spark passes on are strings. The module reads them without Spark.
def test_options_of_spark(span_class, spans_file):
    spark = module_of("integrations/spark/python/_options.py")
    for row in _options.TABLE:
        name = row["spark"]
        if not name:
            continue
        assert name in spark.READ_OPTIONS
        if name in ("batch_size", "batch_bytes"):  # which its readers take
            assert spark.batch_size_of({name: str(row["greatest"])}, name) == row["greatest"]
            with pytest.raises(ValueError, match=f"^option {name}=0: expected {_options.range_of(row)}$"):
                spark.batch_size_of({name: "0"}, name)
            continue
        if row["type"] == "number":
            for number in (row["least"], row["greatest"]):
                found = spark.scan_options_of({name: str(number)})
                assert found == {name: number, "timestamps": "us"}
            with pytest.raises(ValueError, match=f"^option {name}='1.5': expected an integer"):
                spark.scan_options_of({name: "1.5"})
            with pytest.raises(ValueError, match=f"^{name}={row['least'] - 1}: expected "):
                st.scan(spans_file, span_class, **spark.scan_options_of({name: str(row["least"] - 1)}))
        elif row["type"] == "flag":
            assert spark.scan_options_of({name: "TRUE"})[name] is True
            with pytest.raises(ValueError, match=f"^option {name}='1': expected true or false"):
                spark.scan_options_of({name: "1"})
        elif row["type"] == "patterns":
            assert spark.scan_options_of({name: "a, b.c"})[name] == ["a", "b.c"]
        elif row["type"] == "word":
            for word in row["words"]:
                assert spark.scan_options_of({name: word})[row["keyword"]] == word
            with pytest.raises(ValueError, match=f"^option {name}='x': expected one of {', '.join(row['words'])}$"):
                spark.scan_options_of({name: "x"})
        else:
            assert spark.scan_options_of({name: "x"})[name] == "x"


def test_what_is_written_is_current():
    page = module_of("tools/options_page.py")
    for path, text in page.files(ROOT).items():
        assert (ROOT / path).read_text() == text, f"{path} is not current; run tools/options"


def test_the_page_has_every_name():
    text = (ROOT / "docs/options.md").read_text()
    for row in _options.TABLE:
        assert all(f"`{name}`" in text for name in (row["keyword"], row["flag"], row["spark"]) if name), row["name"]


def test_the_documentation_has_every_code():
    text = (ROOT / "docs/formats.md").read_text().partition("### Codes of broken records")[2].partition("\n### ")[0]
    header = (ROOT / "runtime/structtensor/core/wire/abi/decode_error.h").read_text()
    codes = re.findall(r'X\(k\w+, "(\w+)",', header)
    for path in (ROOT / "runtime/structtensor/io/records").rglob("*.cc"):
        codes += re.findall(r'code = "(\w+)"', path.read_text())
    assert len(codes) > 20
    for code in codes:
        assert f"`{code}`" in text, code
