"""st.from_json, against Python's json and pyarrow's reader of JSON lines."""

import gzip
import io
import json
import os
import random
import threading

import pytest
import structtensor as st

pa = pytest.importorskip("pyarrow")
pyarrow_json = pytest.importorskip("pyarrow.json")


def random_rows(seed, count):
    """Objects with the same fields, where some names are left out and some values are null."""
    draw = random.Random(seed)

    def maybe(value):
        return None if draw.random() < 0.2 else value

    def row():
        items = [
            {"x": maybe(draw.randrange(-(2**40), 2**40)), "y": maybe(draw.choice(["", "ä\n", '"', "\\"]))}
            for _ in range(draw.randrange(4))
        ]
        made = {
            "i": maybe(draw.randrange(-(2**63), 2**63)),
            "d": maybe(draw.random() * 10 ** draw.randrange(-300, 300)),
            "s": maybe("".join(draw.choice("ab\u00e9\u4e2d\U0001f600\t\"\\/") for _ in range(draw.randrange(20)))),
            "b": maybe(draw.random() < 0.5),
            "l": [[draw.randrange(10) for _ in range(draw.randrange(3))] for _ in range(draw.randrange(3))],
            "items": items,
            "in": maybe({"k": draw.random(), "names": ["u"] * draw.randrange(3)}),
        }
        return {name: value for name, value in made.items() if draw.random() < 0.9}

    # The first row has them all, so that fields are in one order.
    whole = {"i": 1, "d": 0.5, "s": "", "b": True, "l": [[1]], "items": [{"x": 1, "y": ""}], "in": {"k": 0.5, "names": ["u"]}}
    return [whole] + [row() for _ in range(count)]


def completed(row):
    """The row as it comes back: all names, and lists for those that are null."""
    lists = ("l", "items")
    made = {name: row.get(name, [] if name in lists else None) for name in ("i", "d", "s", "b", "l", "items", "in")}
    return made


@pytest.mark.parametrize("escaped", [False, True])
@pytest.mark.parametrize("layout", ["lines", "document"])
def test_rows_are_those_of_json(escaped, layout):
    for seed in range(20):
        rows = random_rows(seed, 50)
        if layout == "lines":
            text = "\n".join(json.dumps(row, ensure_ascii=escaped) for row in rows)
        else:
            text = json.dumps(rows, ensure_ascii=escaped, indent=seed % 3 or None)
        assert st.from_json(text).to_py() == [completed(row) for row in rows]
        assert st.from_json(text.encode()).to_py() == [completed(row) for row in rows]


def test_columns_are_those_of_pyarrow():
    rows = random_rows(1, 200)
    text = "\n".join(json.dumps(row) for row in rows).encode()
    table = pyarrow_json.read_json(io.BytesIO(text))
    ours = pa.table(st.from_json(text))
    assert ours.column_names == table.column_names
    for name in ("i", "d", "s", "b", "in"):
        assert ours[name].to_pylist() == table[name].to_pylist()
        assert ours[name].type.id == table[name].type.id
    # pyarrow distinguishes null lists from empty ones.
    assert ours["items"].to_pylist() == [each or [] for each in table["items"].to_pylist()]


def test_a_list_of_strings():
    assert st.from_json(['{"a": 1}', '{\n"a": 2}']) == st.from_json('{"a": 1}\n{"a": 2}')
    assert st.from_json([]).shape[0] == 0
    with pytest.raises(ValueError, match="line 2"):
        st.from_json(['{"a": 1}', "{"])
    with pytest.raises(TypeError, match="found list"):
        st.from_json([{"a": 1}])


def test_a_file(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\n')
    assert st.from_json(path).to_py() == [{"a": 1}, {"a": 2}]
    with pytest.raises(FileNotFoundError):
        st.from_json(tmp_path / "no.jsonl")
    with pytest.raises(ValueError, match="this is not JSON; to read the file of that name, pass pathlib.Path"):
        st.from_json(str(path))


def test_errors_in_files_name_the_file(tmp_path):
    path = tmp_path / "größe.jsonl"
    for content in ('{"a": 1}\n{"a": "b"}\n', gzip.compress(b'{"a": 1}\n{"a": "b"}\n')):
        path.write_text(content) if isinstance(content, str) else path.write_bytes(content)
        with pytest.raises(ValueError) as raised:
            st.from_json(path)
        assert str(raised.value).startswith(f"{path} line 2, column 7: a: expected an int64")
        with pytest.warns(UserWarning, match="1 of 2 rows .* the first: ") as warned:
            assert len(st.from_json(path, on_error="skip")) == 1
        assert f"the first: {path} line 2, column 7: a: " in str(warned[0].message)
        with pytest.raises(ValueError) as raised:
            st.from_json(path, layout="rows")
        assert str(raised.value).startswith("layout")


def test_compressed_files(tmp_path):
    text, path = b'{"a": 1}\n{"a": 2}\n' * 1000, tmp_path / "rows"
    for compress in (gzip.compress, pa.Codec("zstd").compress, pa.Codec("lz4").compress):
        path.write_bytes(bytes(compress(text)))
        assert st.from_json(path).to_py() == [{"a": 1}, {"a": 2}] * 1000
        assert st.from_json(path, threads=1).equals(st.from_json(text))
    path.write_bytes(gzip.compress(text)[:-20])
    with pytest.raises(st.DecodeError, match=r"rows.*gzip.* \(fetch it again\)$"):
        st.from_json(path)
    for nothing in (b"", gzip.compress(b"")):
        path.write_bytes(nothing)
        assert st.from_json(path).nrows == 0


def test_files_that_can_be_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b'{"a": 1}\n' * 50_000,))
    writer.start()
    assert st.from_json(pipe).nrows == 50_000
    writer.join()


def test_threads_read_what_one_thread_reads():
    objects = ({"a": i, "b": [i, i / 2], "c" if i < 30_000 else "d": {"e": str(i)}} for i in range(60_000))
    text = "".join(json.dumps(each) + "\n" for each in objects)
    rows = st.from_json(text, threads=1)
    for threads in (None, 2, 5, 2**40):
        again = st.from_json(text, threads=threads)
        assert again == rows
        assert again.spec == rows.spec


def test_what_a_value_writes_is_read_with_its_spec():
    value = st.constant([{"t": "x", "n": [[1.5], []], "m": {"k": b"\x00\xff"}}, {"t": "", "n": [[]], "m": {"k": b""}}])
    again = st.from_json(value.to_json(), value.spec)
    assert again == value
    assert again.spec == value.spec


def test_a_spec_of_rank_0_is_that_of_one_object():
    scalar = st.constant({"a": 1, "n": {"z": [b"\x00", b""]}})
    again = st.from_json(scalar.to_json(), scalar.spec)
    assert again.rank == 0 and again.equals(scalar)
    assert st.from_json(scalar.to_json()).shape == (1,)
    for count in (0, 2):
        with pytest.raises(ValueError, match=f"^spec: a spec of rank 0 expects one object, found {count}$"):
            st.from_json(f"{scalar.to_json()}\n" * count, scalar.spec)


def test_damaged_rows_are_left_out_with_one_warning():
    lines = [json.dumps({"a": i, "b": [i]}) for i in range(1000)]
    lines[500] = '{"a": 500, "b": [500'
    lines[501] = '{"a": "x", "b": []}'
    with pytest.warns(UserWarning, match=r"2 of 1000 rows .* line 501, column"):
        rows = st.from_json("\n".join(lines), on_error="skip")
    assert rows["a"].to_py() == [i for i in range(1000) if i not in (500, 501)]
    with pytest.raises(ValueError, match="line 501"):
        st.from_json("\n".join(lines))


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: st.from_json(5), TypeError, "^source: expected .* JSON as str, bytes or a list of str, found int$"),
        (lambda: st.from_json(None), TypeError, "^source: expected a pathlib.Path, .*, found NoneType$"),
        (lambda: st.from_json([{"a": 1}]), TypeError, r"found list; st.constant\(\) makes a value"),
        (lambda: st.from_json({"a": 1}), TypeError, r"found dict; st.constant\(\) makes a value"),
        (lambda: st.from_json(io.StringIO("{}")), TypeError, r"found StringIO; pass file.read\(\), or the pathlib.Path"),
        (lambda: st.from_json("{}", spec=5), TypeError, "spec"),
        (lambda: st.from_json("{}", spec=st.TensorSpec([None], "int64")), TypeError, "StructuredTensorSpec"),
        (lambda: st.from_json("{}", layout="pages"), ValueError, "layout"),
        (lambda: st.from_json("{}", threads=0), ValueError, "threads=0: expected 1 or more"),
        (lambda: st.from_json("{}", threads=-1), ValueError, "threads=-1: expected 1 or more"),
        (lambda: st.from_json("{}", threads="two"), TypeError, "threads"),
        (lambda: st.from_json("{}", on_error="null"), ValueError, "on_error"),
        (lambda: st.from_json(b"\xff"), ValueError, "UTF-8"),
        (lambda: st.from_json("\ud800"), ValueError, "surrogate"),
        (lambda: st.from_json('{"a": 1}\n{"a": [1]}'), ValueError, "line 2, column 7: a: "),
    ],
)
def test_misuse(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_times_on_request():
    rows = st.from_json('{"t": "2026-11-23T15:04:05Z"}', infer_timestamps=True)
    assert rows["t"].dtype == "timestamp[ns]"


def test_zeros_keep_their_sign():
    rows = st.constant([{"x": -0.0, "y": [0.0, -0.0]}, {"x": 0.0, "y": []}])
    assert rows.to_json() == '[{"x":-0.0,"y":[0,-0.0]},{"x":0,"y":[]}]'
    spec = rows.spec.with_unknown_sizes()
    for again in (st.from_json(rows.to_json(), spec), st.from_json(rows.to_json())):
        assert repr(again.to_py()) == repr(rows.to_py())
    for text in ("-0", "-0.0", "-0e5"):
        assert repr(st.from_json(f'[{{"x":{text},"y":[{text}]}}]', spec).to_py()) == "[{'x': -0.0, 'y': [-0.0]}]"
    for dtype in ("float", "float16", "bfloat16"):
        zeros = st.StructuredTensor.from_fields({"x": st.constant([-0.0, 0.0], dtype=dtype)})
        assert repr(st.from_json(zeros.to_json(), zeros.spec.with_unknown_sizes()).to_py()) == repr(zeros.to_py())
    assert st.from_json('[{"n":-0},{"n":1}]')["n"].dtype == "int64"
    assert json.loads(rows.to_json()) == rows.to_py()
