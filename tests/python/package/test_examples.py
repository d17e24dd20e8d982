"""tf.Example and tf.SequenceExample: against TensorFlow's recorded answers, TensorFlow itself where it is, and
python-protobuf."""

import collections
import gzip
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import framing
import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from real_data import open_real_set

import structtensor as st

EXAMPLES = pathlib.Path(__file__).resolve().parent / "examples"
sys.path.insert(0, str(EXAMPLES))
import example_cases as cases  # noqa: E402


def answer(kind, messages):
    """What the package makes of a case, or None for a ValueError."""
    try:
        if kind != "sequence":
            rows = st.io.parse_examples(messages, cases.EXAMPLE_FEATURES if kind == "example" else cases.PARTITION_FEATURES)
            return {name: rows[name].to_py() for name in rows.field_names()}
        context, lists, lengths = st.io.parse_sequence_examples(messages, cases.CONTEXT_FEATURES, cases.SEQUENCE_FEATURES)
    except ValueError as error:
        assert "row " in str(error)
        return None
    parts = {"context": context, "lists": lists, "lengths": lengths}
    return {f"{part}.{name}": rows[name].to_py() for part, rows in parts.items() for name in rows.field_names()}


def same(a, b):
    """Floats by their bits, so that a NaN is one."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return np.float32(a).tobytes() == np.float32(b).tobytes() or (a != a and b != b)
    return type(a) is type(b) and a == b


def value_of(text):
    if isinstance(text, dict):
        return bytes.fromhex(text["hex"])
    return [value_of(each) for each in text] if isinstance(text, list) else text


def test_answers_of_tensorflow():
    with gzip.open(EXAMPLES / "tensorflow_answers.jsonl.gz") as file:
        recorded = [json.loads(line) for line in file]
    counts = collections.Counter((case["kind"], case["answer"] is not None) for case in recorded)
    assert min(counts["example", True], counts["example", False], counts["sequence", True], counts["partition", True]) >= 50, (
        counts
    )
    assert counts["sequence", False] >= 10
    for number, case in enumerate(recorded):
        ours = answer(case["kind"], [bytes.fromhex(message) for message in case["messages"]])
        theirs = None if case["answer"] is None else {name: value_of(text) for name, text in case["answer"].items()}
        assert (ours is None) == (theirs is None), number
        assert ours is None or ours.keys() == theirs.keys(), number
        assert ours is None or all(same(ours[name], theirs[name]) for name in ours), number


def test_tensorflow_itself():
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("the package tensorflow is not installed")
    script = """
import example_cases, tensorflow_answers, test_examples
for seed in range(1000, 1200):
    messages = example_cases.example_case(seed)
    theirs = tensorflow_answers.answer_examples(messages, example_cases.EXAMPLE_FEATURES)
    ours = test_examples.answer("example", messages)
    assert (ours is None) == (theirs is None), seed
    assert ours is None or all(test_examples.same(ours[name], theirs[name]) for name in theirs), seed
    # Its own features are taken, too.
    theirs = tensorflow_answers.tf_features(example_cases.EXAMPLE_FEATURES)
    try:
        rows = test_examples.st.parse_examples(messages, theirs)
    except ValueError:
        rows = None
    assert (rows is None) == (ours is None), seed
    assert rows is None or all(test_examples.same(rows[n].to_py(), ours[n]) for n in ours), seed
"""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(EXAMPLES), str(EXAMPLES.parent), os.environ.get("PYTHONPATH", "")]),
    }
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)


def test_features_of_others_by_their_names():
    """As those of tf.io, which are tuples of the same names; its strings are bytes."""

    class OfOthers:
        pass

    string = OfOthers()
    string.name = "string"
    OfOthers.__module__ = "tensorflow.python.framework.dtypes"
    feature = collections.namedtuple("VarLenFeature", ["dtype"])(string)
    message = cases.example([("a", cases.feature(cases.BYTES, [b"\xff", b""]))])
    assert st.io.parse_examples([message], {"a": feature})["a"].to_py() == [[b"\xff", b""]]


def test_dtypes():
    message = cases.example(
        [
            ("i", cases.feature(cases.INT64, [5])),
            ("f", cases.feature(cases.FLOAT, [0.5])),
            ("s", cases.feature(cases.BYTES, ["ö".encode()])),
        ]
    )
    for dtype in ("int64", np.int64, np.dtype("int64"), int):
        assert st.io.parse_examples([message], {"i": st.io.FixedLenFeature((), dtype)})["i"].dtype == "int64"
    for dtype in ("float", "float32", np.float32, float):
        assert st.io.parse_examples([message], {"f": st.io.FixedLenFeature([], dtype)})["f"].to_py() == [0.5]
    for dtype in ("bytes", bytes, np.dtype("S")):
        assert st.io.parse_examples([message], {"s": st.io.FixedLenFeature([], dtype)})["s"].to_py() == ["ö".encode()]
    for dtype in ("string", str):
        assert st.io.parse_examples([message], {"s": st.io.FixedLenFeature([], dtype)})["s"].to_py() == ["ö"]


def test_sparse():
    feature = st.io.SparseFeature(index_key=["x", "y"], value_key="v", dtype="float32", size=[10, 5])
    message = cases.example(
        [("x", cases.feature(3, [3, 0, 3])), ("y", cases.feature(3, [1, 0, 0])), ("v", cases.feature(2, [1.0, 2.0, 3.0]))]
    )
    rows = st.io.parse_examples([message, b""], {"s": feature})["s"]
    assert rows.to_py() == [
        [{"indices": [0, 0], "values": 2.0}, {"indices": [3, 0], "values": 3.0}, {"indices": [3, 1], "values": 1.0}],
        [],
    ]
    kept = st.io.parse_examples([message], {"s": feature._replace(already_sorted=True)})["s"]
    assert kept["values"].to_py() == [[1.0, 2.0, 3.0]]
    names = feature._replace(dtype="bytes", index_key="x", size=4)
    message = cases.example([("x", cases.feature(3, [3, 1])), ("v", cases.feature(1, [b"three", b"one"]))])
    assert st.io.parse_examples([message], {"s": names})["s"]["values"].to_py() == [[b"one", b"three"]]
    for size, text in ((3, r"row 0: feature \"s\": feature \"x\" has the index 3, which is not in \[0, 3\)"), (0, "index 3")):
        with pytest.raises(ValueError, match=text):
            st.io.parse_examples([message], {"s": names._replace(size=size)})
    with pytest.raises(ValueError, match='it has 0 values, but feature "x" 1 indices'):
        st.io.parse_examples([cases.example([("x", cases.feature(3, [1]))])], {"s": names})


def test_errors():
    message = cases.example(
        [("a", cases.feature(3, [1, 2])), ("n", cases.feature(3, [1 << 62])), ("s", cases.feature(1, [b"\xff"]))]
    )
    fixed, ragged = st.io.FixedLenFeature, st.io.RaggedFeature
    by = ragged
    for features, error, text in [
        ({}, ValueError, "no features"),
        (["a"], TypeError, "dict"),
        ({"a": 5}, TypeError, "FixedLenFeature"),
        ({"a": fixed([], "int64")}, ValueError, 'row 0: feature "a": it has 2 values, but 1 is expected'),
        ({"a": fixed([2], "float32")}, ValueError, "it has an int64_list, but float is expected, of a float_list"),
        ({"b": fixed([], "int64")}, ValueError, 'row 0: feature "b": it is missing, and has no default'),
        ({"b": fixed([2], "int64", default_value=[1])}, ValueError, "default has the shape"),
        ({"b": fixed([], "int64", default_value=1.5)}, TypeError, "default_value: 1.5 is not int64"),
        ({"b": fixed([None], "int64")}, ValueError, "VarLenFeature"),
        ({"b": fixed(None, "int64")}, ValueError, "VarLenFeature"),
        ({"b": fixed([1 << 40, 1 << 40], "int64")}, ValueError, "too big"),
        ({"b": fixed([-5], "int64")}, ValueError, "too big|known"),
        ({"a": fixed([2], "int32")}, ValueError, "features are int64, float, bytes or string"),
        ({"a": fixed([2], "number")}, TypeError, "no dtype number"),
        ({"s": fixed([], "string")}, ValueError, "UTF-8"),
        ({"a": st.io.FixedLenSequenceFeature([], "int64")}, ValueError, "allow_missing"),
        ({"a": st.io.FixedLenSequenceFeature([3], "int64", True)}, ValueError, "not blocks of the shape"),
        ({"a": st.io.FixedLenSequenceFeature([0], "int64", True)}, ValueError, "no elements"),
        ({"a": fixed([2], "int64"), "b": ragged("int64", value_key="a")}, ValueError, "two specs read it"),
        ({"a": st.io.VarLenFeature("int64"), "b": ragged("float32", value_key="a")}, ValueError, "one spec reads it as int64"),
        ({"a": ragged("int64", partitions=[by.UniformRowLength(0)])}, ValueError, "not positive"),
        ({"a": ragged("int64", partitions=[by.UniformRowLength(3)])}, ValueError, "2 items do not make groups of 3"),
        ({"a": ragged("int64", partitions=[by.RowLengths("n")])}, ValueError, "they are for more than the 2 items"),
        ({"a": ragged("int64", partitions=[by.RowSplits("n")])}, ValueError, "begin with 4611686018427387904"),
        ({"n": ragged("int64", partitions=[by.ValueRowIds("n")])}, ValueError, "asks for more rows than"),
        ({"a": st.io.SparseFeature([], "a", "int64", [])}, ValueError, "index_key"),
        ({"a": st.io.SparseFeature("a", "a", "int64", [1, 2])}, ValueError, "1 index keys, but 2 sizes"),
    ]:
        with pytest.raises(error, match=text):
            st.io.parse_examples([message], features)
    with pytest.raises(ValueError, match="row 1: byte 1: not a tf.Example"):
        st.io.parse_examples([message, b"\x0a"], {"a": st.io.VarLenFeature("int64")})
    with pytest.raises(TypeError, match="list of bytes"):
        st.io.parse_examples(message, {"a": st.io.VarLenFeature("int64")})
    # Padding is of the longest row, for each row: more than there is memory for.
    long = cases.example([("a", cases.feature(3, [0] * 1_000_000))])
    with pytest.raises(MemoryError, match="take more than half of the machine"):
        st.io.parse_examples([long] + [b""] * 5_000_000, {"a": st.io.FixedLenSequenceFeature([], "int64", allow_missing=True)})
    for context, lists, text in [
        ({"a": st.io.FixedLenSequenceFeature([], "int64")}, {}, "for feature lists"),
        ({}, {"a": fixed([], "int64")}, "FixedLenSequenceFeature"),
        ({}, {"a": st.io.SparseFeature("a", "b", "int64", 1)}, "no SparseFeature"),
        ({}, {"a": st.io.FixedLenSequenceFeature([], "int64")}, "the feature list is missing"),
        ({}, {}, "no features"),
    ]:
        with pytest.raises(ValueError, match=text):
            st.io.parse_sequence_examples([b""], context, lists)


def test_no_rows():
    rows = st.io.parse_examples([], {"a": st.io.FixedLenFeature([2, 3], "float32"), "b": st.io.VarLenFeature("bytes")})
    assert rows.nrows == 0 and rows["a"].shape == (0, 2, 3) and rows["b"].to_py() == []
    assert st.io.parse_examples([b"", b""], {"a": st.io.FixedLenFeature([], "int64", 4)}).to_py() == [{"a": 4}, {"a": 4}]


@pytest.fixture(scope="module")
def example_class():
    """tensorflow.Example of python-protobuf."""
    file = descriptor_pb2.FileDescriptorProto(name="example.proto", package="tensorflow", syntax="proto3")
    for kind, number_type in (("Bytes", 12), ("Float", 2), ("Int64", 3)):
        file.message_type.add(name=kind + "List").field.add(name="value", number=1, label=3, type=number_type)
    feature = file.message_type.add(name="Feature")
    feature.oneof_decl.add(name="kind")
    for number, kind in enumerate(("Bytes", "Float", "Int64"), 1):
        feature.field.add(
            name=kind.lower() + "_list", number=number, label=1, type=11, type_name=f".tensorflow.{kind}List", oneof_index=0
        )
    features = file.message_type.add(name="Features")
    entry = features.nested_type.add(name="FeatureEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, label=1, type=9)
    entry.field.add(name="value", number=2, label=1, type=11, type_name=".tensorflow.Feature")
    features.field.add(name="feature", number=1, label=3, type=11, type_name=".tensorflow.Features.FeatureEntry")
    file.message_type.add(name="Example").field.add(
        name="features", number=1, label=1, type=11, type_name=".tensorflow.Features"
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("tensorflow.Example"))


def lists_of(example):
    """{key: list} of those features that have a kind."""
    kinds = {key: feature.WhichOneof("kind") for key, feature in example.features.feature.items()}
    return {key: list(getattr(example.features.feature[key], kind).value) for key, kind in kinds.items() if kind}


@pytest.mark.real_data
def test_real_examples(example_class, tmp_path):
    path = open_real_set("tfexample_taxi").messages
    messages = list(framing.read_delimited(path))
    features = st.io.infer_features(messages)
    rows = st.io.parse_examples(messages, features)
    assert rows.nrows == len(messages) and len(features) == 17  # the eighteenth never has a value
    columns = {name: rows[name].to_py() for name in features}
    for i, message in enumerate(messages):
        expected = lists_of(example_class.FromString(message))
        for name, spec in features.items():
            found = columns[name][i]
            assert ([found] if isinstance(spec, st.io.FixedLenFeature) else found) == expected.get(name, [])
    # From the file, and back to messages that python-protobuf takes for the same.
    assert st.io.from_examples(path).equals(rows)
    for message, again in zip(messages[:1000], rows[:1000].to_examples()):
        values = {name: value for name, value in lists_of(example_class.FromString(message)).items() if value}
        # A list without values is one without a kind there, and an empty one here.
        assert {name: value for name, value in lists_of(example_class.FromString(again)).items() if value} == values


def test_inference():
    one = cases.example(
        [("a", cases.feature(3, [1])), ("b", cases.feature(1, [b"x"])), ("c", cases.feature(2, [1.0, 2.0])), ("d", b"")]
    )
    two = cases.example([("a", cases.feature(3, [2])), ("b", cases.feature(1, [])), ("c", cases.feature(2, [3.0, 4.0]))])
    assert st.io.infer_features([one, two]) == {
        "a": st.io.FixedLenFeature((), "int64"),
        "b": st.io.VarLenFeature("bytes"),
        "c": st.io.FixedLenFeature((2,), "float"),
    }
    assert st.io.from_examples([one, two]).to_py() == [
        {"a": 1, "b": [b"x"], "c": [1.0, 2.0]},
        {"a": 2, "b": [], "c": [3.0, 4.0]},
    ]
    assert st.io.infer_features([one, b""])["a"] == st.io.VarLenFeature("int64")
    with pytest.raises(ValueError, match='rows 0 and 1: feature "a": it has an int64_list, and a float_list'):
        st.io.infer_features([one, cases.example([("a", cases.feature(2, [1.0]))])])
    with pytest.raises(ValueError, match="row 0: byte 0: not a tf.Example"):
        st.io.infer_features([b"\xff"])
    for seed in range(0, 40, 2):
        messages = cases.sequence_case(seed)
        context, lists = st.io.infer_sequence_features(messages)
        if not context and not lists:
            continue
        parsed, sequences, lengths = st.io.parse_sequence_examples(messages, context, lists)
        assert parsed.field_names() == tuple(context) or list(parsed.field_names()) == list(context)
        assert isinstance(context["one"], st.io.FixedLenFeature) and sequences.nrows == len(messages)
        assert set(lengths.field_names()) == {
            name for name, spec in lists.items() if isinstance(spec, st.io.FixedLenSequenceFeature)
        }


def test_files(tmp_path):
    messages = [cases.example([("a", cases.feature(3, [i] * (i % 3)))]) for i in range(100)]
    plain, zipped = tmp_path / "a.delimited", tmp_path / "b.bin.gz"
    plain.write_bytes(b"".join(cases.varint(len(message)) + message for message in messages))
    zipped.write_bytes(gzip.compress(plain.read_bytes()))
    expected = [{"a": [i] * (i % 3)} for i in range(100)]
    assert st.io.from_examples(str(plain), format="delimited").to_py() == expected
    assert st.io.from_examples([plain, zipped], format="delimited").to_py() == expected * 2
    assert st.io.from_examples(zipped, {"a": st.io.VarLenFeature("int64")}, format="delimited").to_py() == expected
    with pytest.raises(FileNotFoundError):
        st.io.from_examples(tmp_path / "no.tfrecord")
    with pytest.raises(ValueError, match="format"):
        st.io.from_examples(messages, format="delimited")
    plain.write_bytes(plain.read_bytes()[:-1])
    with pytest.raises(st.DecodeError, match=r"a.delimited .* truncated \(fetch it again\)$"):
        st.io.from_examples(plain, format="delimited")
    plain.write_bytes(b"\xff\xff\xff\xff\x7f")  # a length of 32 GiB; from_examples() has no limit to raise
    with pytest.raises(st.DecodeError, match=r"a.delimited .*\(the file is damaged or not varint-delimited: check format=\)$"):
        st.io.from_examples(plain, format="delimited")


def test_defaults_of_ragged_features_are_those_of_tensorflow():
    assert st.io.RaggedFeature("int64") == ("int64", None, (), "int32", False)
    message = cases.example([("a", cases.feature(cases.INT64, [5, 6])), ("n", cases.feature(cases.INT64, [1, 1]))])
    lengths = [st.io.RaggedFeature.RowLengths("n")]
    features = {"a": st.io.RaggedFeature("int64"), "b": st.io.RaggedFeature("int64", "a", lengths)}
    rows = st.io.parse_examples([message], {**features, "c": st.io.RaggedFeature("int64", "a", lengths, "int64")})
    assert [rows[name].spec.row_splits_dtype for name in "abc"] == ["int32", "int32", "int64"]
    # Without validate=True, partitions are checked all the same.
    wrong = cases.example([("a", cases.feature(cases.INT64, [5, 6])), ("n", cases.feature(cases.INT64, [1, 2]))])
    with pytest.raises(ValueError, match="row 0"):
        st.io.parse_examples([wrong], {"b": features["b"]})


def test_files_without_features(tmp_path):
    path = tmp_path / "a.tfrecord"
    empty = cases.example([])
    without_kind = cases.example([("a", b"")])
    for messages in ([], [empty] * 3, [empty, without_kind]):
        path.write_bytes(b"".join(cases.varint(len(message)) + message for message in messages))
        for rows in (st.io.from_examples(path, format="delimited"), st.io.from_examples(messages)):
            assert isinstance(rows, st.StructuredTensor)
            assert (rows.nrows, rows.field_names()) == (len(messages), ())
    with pytest.raises(ValueError, match="row 1"):
        st.io.from_examples([empty, b"\xff"])


def test_errors_in_files_name_the_file(tmp_path):
    def file_of(name, rows):
        messages = [st.constant([row]).to_examples()[0] for row in rows] if rows else [b"\xff"]
        (tmp_path / name).write_bytes(b"".join(bytes([len(message)]) + message for message in messages))
        return tmp_path / name

    numbers, strings = file_of("a.pb", [{"f": 1}, {"f": 2}]), file_of("b.pb", [{"f": 3}, {"f": "x"}])
    other, broken = file_of("c.pb", [{"g": 1}]), file_of("d.pb", None)

    def fails(text, source, features=None):
        with pytest.raises(ValueError) as raised:
            st.io.from_examples(source, features, format="delimited")
        assert str(raised.value).startswith(text), raised.value

    fails(f"{broken} row 0: byte 0: not a tf.Example", broken)
    fails(f"{broken} row 0: byte 0: not a tf.Example", [str(numbers), broken, strings])
    fails(f'{strings} row 0 and {strings} row 1: feature "f"', strings)
    fails(f'{numbers} row 0 and {strings} row 1: feature "f"', [numbers, file_of("e.pb", [{"f": 5}]), strings])
    fails(f'{other} row 0: feature "f"', [numbers, other], {"f": st.io.FixedLenFeature([], "int64")})
    # What is not about a row of the files stays as it is.
    fails("feature", numbers, {"f": st.io.FixedLenFeature([None], "int64")})


def test_what_is_no_list_of_messages(tmp_path):
    features = {"a": st.io.FixedLenFeature([], "int64")}
    (tmp_path / "a").write_bytes(b"")
    for wrong, text in [
        ("a.tfrecord", r"found str; st.io.from_examples\(path\) reads files"),
        (tmp_path / "a", r"Path; st.io.from_examples\(path\) reads files"),
        (b"\x0a\x00", r"found bytes; give one message as \[message\]"),
        (5, "expected a list of bytes, or a column of them, found int$"),
        (None, "expected a list of bytes, or a column of them, found NoneType$"),
    ]:
        for call in (
            lambda: st.io.parse_examples(wrong, features),  # noqa: B023
            lambda: st.io.parse_sequence_examples(wrong, features),  # noqa: B023
            lambda: st.io.infer_features(wrong),  # noqa: B023
            lambda: st.io.infer_sequence_features(wrong),  # noqa: B023
        ):
            with pytest.raises(TypeError, match="^serialized: .*" + text):
                call()
        if not isinstance(wrong, (str, type(tmp_path))):
            with pytest.raises(TypeError, match="^source: .*" + text):
                st.io.from_examples(wrong)
    with open(tmp_path / "a", "rb") as file, pytest.raises(TypeError, match="^source: .*; st.io.from_examples"):
        st.io.from_examples(file)


def test_strings_are_no_examples(tmp_path):
    for name, content, text in [
        ("a.jsonl", '{"a": 1}\n', r"this looks like JSON, .* st.from_json\(pathlib.Path\(path\)\) reads rows of JSON$"),
        ("a.csv", "a,b\n1,2\n", 'this looks like text, .* lines of them are read by format="base64" or format="hex"$'),
    ]:
        path = tmp_path / name
        path.write_text(content)
        with pytest.raises(ValueError, match="^" + re.escape(str(path)) + ": " + text):
            st.io.from_examples(path)
        for framing in ("json", "textproto", "csv"):
            with pytest.raises(ValueError, match=f'^format = "{framing}": tf.Examples are read from serialized messages, not'):
                st.io.from_examples(path, format=framing)
    path.write_text("0a00\n0A00\n")
    assert st.io.from_examples(path, format="hex").nrows == 2


def test_messages_that_can_be_read_once():
    import pyarrow as pa

    messages = [cases.example([("a", cases.feature(cases.INT64, [i]))]) for i in range(3)]
    expected = [{"a": 0}, {"a": 1}, {"a": 2}]
    column = pa.chunked_array([messages[:1], messages[1:]])
    for source in (messages, tuple(messages), iter(messages), st.constant(messages), column, pa.array(messages)):
        assert st.io.from_examples(source).to_py() == expected
    assert st.io.from_examples(pa.array([], pa.binary())).nrows == 0
    for wrong in (messages[0], 5, st.constant([1])):
        with pytest.raises(TypeError):
            st.io.from_examples(wrong)


def test_to_examples(example_class):
    rows = st.constant(
        [
            {"i": 1, "f": 0.5, "s": "ö", "b": True, "list": [1, 2]},
            {"i": -2, "f": float("nan"), "s": "", "b": False, "list": []},
        ]
    )
    parsed = [lists_of(example_class.FromString(message)) for message in rows.to_examples()]
    assert parsed[0] == {"i": [1], "f": [0.5], "s": ["ö".encode()], "b": [1], "list": [1, 2]}
    assert parsed[1]["i"] == [-2] and parsed[1]["list"] == [] and parsed[1]["f"][0] != parsed[1]["f"][0]
    features = {
        "i": st.io.FixedLenFeature([], "int64"),
        "s": st.io.FixedLenFeature([], "string"),
        "list": st.io.VarLenFeature("int64"),
    }
    again = st.io.parse_examples(rows.to_examples(), features)
    assert again.equals(st.io.parse_examples(again.to_examples(), features))
    assert again["list"].to_py() == [[1, 2], []] and again["s"].to_py() == ["ö", ""]
    # As python-protobuf writes them.
    example = example_class()
    example.features.feature["b"].int64_list.value.extend([1, 300, -1])
    example.features.feature["a"].float_list.value.extend([0.25])
    example.features.feature["c"].bytes_list.value.extend([b"x", b""])
    row = st.constant([{"c": [b"x", b""], "a": 0.25, "b": [1, 300, -1]}])
    assert row.to_examples() == [example.SerializeToString(deterministic=True)]
    # An absent value is no feature; dense blocks are their elements.
    assert [sorted(lists_of(example_class.FromString(m))) for m in st.from_json('{"a": 1}\n{"b": 2}').to_examples()] == [
        ["a"],
        ["b"],
    ]
    assert lists_of(example_class.FromString(st.constant([{"m": 0}]).to_examples()[0])) == {"m": [0]}
    for value, text in [
        (st.constant([{"a": {"b": 1}}]), "structs"),
        (st.constant([{"a": [[1], []]}]), "lists of lists"),
        (st.from_json('{"a": "2020-01-01T00:00:00Z"}', infer_timestamps=True), "timestamp"),
        (st.constant({"a": 1}), "rank 1"),
        (st.constant([{"a": 1e300}]), "row 0: field a: element 0 is too large for a float"),
        (st.from_json('{"a": 18446744073709551615}'), "too large for an int64"),
        (st.from_json('{"a": [1, null]}'), "element 1 is absent"),
    ]:
        with pytest.raises(ValueError, match=text):
            value.to_examples()


GOOD = cases.example([("a", cases.feature(cases.INT64, [5, 6]))])
SHORT = cases.example([("z", cases.feature(cases.INT64, [1])), ("a", cases.feature(cases.INT64, [7]))])
TWO = {"a": st.io.FixedLenFeature([2], "int64")}


def test_errors_have_their_place():
    for messages, features, place in [
        ([GOOD, SHORT], TWO, (1, "a")),
        ([b"\xff"], TWO, (0, "")),
        ([GOOD, GOOD], {"b": st.io.FixedLenFeature([], "int64")}, (0, "b")),
        ([GOOD], {"a": st.io.RaggedFeature("int64", partitions=[st.io.RaggedFeature.UniformRowLength(3)])}, (0, "a")),
    ]:
        with pytest.raises(st.DecodeError) as raised:
            st.io.parse_examples(messages, features)
        assert (raised.value.message_index, raised.value.path) == place
    with pytest.raises(st.DecodeError) as raised:
        st.io.parse_examples([SHORT], TWO)
    value = cases.feature(cases.INT64, [7])
    assert SHORT[raised.value.byte :].startswith(value) and SHORT.endswith(value)
    for function in (st.io.infer_features, st.io.infer_sequence_features):
        with pytest.raises(st.DecodeError):
            function([b"\xff"])
    with pytest.raises(st.DecodeError) as raised:
        st.io.parse_sequence_examples([b"", b"\xff"], {"a": st.io.VarLenFeature("int64")})
    assert raised.value.message_index == 1


@pytest.mark.parametrize("broken", [[], [0], [1, 2], [0, 3, 4], [0, 1, 2, 3, 4]])
def test_broken_messages_are_skipped_or_absent(broken):
    features = {**TWO, "s": st.io.FixedLenFeature([], "string", "none"), "v": st.io.VarLenFeature("int64")}
    messages = [[SHORT, b"\xff"][i % 2] if i in broken else GOOD for i in range(5)]
    good = {"a": [5, 6], "s": "none", "v": []}
    rows = st.io.parse_examples(messages, features, on_error="skip")
    assert rows.to_py() == [good] * (5 - len(broken)) and rows.message == "tensorflow.Example"
    assert rows.spec == st.io.parse_examples([GOOD] * (5 - len(broken)), features).spec
    errors = rows.errors.to_py()
    assert [(error["message_index"], error["row"], error["path"]) for error in errors] == [
        (i, None, "" if i % 2 else "a") for i in broken
    ]
    assert all(("not a tf.Example" if i % 2 else "it has 1 value") in error["problem"] for i, error in zip(broken, errors))
    rows = st.io.parse_examples(messages, features, on_error="null")
    absent = {"a": [None, None], "s": None, "v": []}
    assert rows.to_py() == [absent if i in broken else good for i in range(5)]
    assert [error["row"] for error in rows.errors.to_py()] == broken
    assert rows["a"].spec.nullable and rows["s"].spec.nullable
    with pytest.raises(TypeError, match="pass schema="):
        rows.to_protobuf()
    assert st.from_arrow(rows).to_py() == rows.to_py()


def test_on_error_is_checked():
    with pytest.raises(ValueError, match="on_error"):
        st.io.parse_examples([GOOD], TWO, on_error="ignore")
    with pytest.raises(ValueError, match="on_error"):
        st.io.from_examples([GOOD], on_error="ignore")
    # Errors that are about no message stay errors.
    with pytest.raises(ValueError, match="no features"):
        st.io.parse_examples([GOOD], {}, on_error="skip")
    both = [GOOD, cases.example([("a", cases.feature(cases.BYTES, [b"x"]))])]
    with pytest.raises(ValueError, match="rows 0 and 1"):
        st.io.from_examples(both, on_error="skip")
    for messages in ([both[0], b"\xff", both[1]], [b"\xff", b"\xff", *both, b"\xff"], [*both, b"\xff"]):
        rows = [i for i, message in enumerate(messages) if message in both]
        for on_error in ("skip", "null"):
            with pytest.raises(ValueError, match=f'^rows {rows[0]} and {rows[1]}: feature "a"'):
                st.io.from_examples(messages, on_error=on_error)
    assert st.io.from_examples([*both[:1], b"\xff", GOOD], on_error="skip").to_py() == [{"a": [5, 6]}] * 2


def test_broken_messages_of_files_name_the_file(tmp_path):
    records = [framing.frame_tfrecord([message]) for message in (GOOD, SHORT, GOOD, GOOD)]
    records[2] = records[2][:-1] + bytes([records[2][-1] ^ 1])  # a wrong checksum
    one, two = tmp_path / "1.tfrecord", tmp_path / "2.tfrecord"
    one.write_bytes(b"".join(records))
    two.write_bytes(records[1] + records[0])
    with pytest.raises(st.DecodeError) as raised:
        st.io.from_examples([two], TWO)
    assert str(raised.value).startswith(f'{two} row 0: feature "a": it has 1 value')
    assert (raised.value.message_index, raised.value.path) == (0, "a")
    with pytest.raises(st.DecodeError, match="masked CRC-32C"):
        st.io.from_examples([one], TWO)
    rows = st.io.from_examples([one, two], TWO, on_error="skip")
    assert rows.to_py() == [{"a": [5, 6]}] * 3
    places = [(error["file"], error["message_index"], error["path"]) for error in rows.errors.to_py()]
    assert places == [(str(one), 1, "a"), (str(one), 2, ""), (str(two), 0, "a")]
    assert "masked CRC-32C" in rows.errors.to_py()[1]["problem"]
    rows = st.io.from_examples([one, two], TWO, on_error="null")
    good, absent = {"a": [5, 6]}, {"a": [None, None]}
    assert rows.to_py() == [good, absent, absent, good, absent, good]
    assert st.io.from_examples(two, on_error="skip").nrows == 2
