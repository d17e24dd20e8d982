"""Other packages bring a protobuf, an Abseil or an Arrow of their own. Whatever is imported first, all of them work, and the
process ends.

Each order runs in a process of its own, which also uses every package before it ends: names that clash show when they are
called, or when a process takes its libraries down.
"""

import importlib.util
import itertools
import os
import subprocess
import sys

import pytest

# What is imported, and what is done with it, which needs no other import.
IMPORTS = {
    "tensorflow": "import tensorflow as tf",
    "pyarrow": "import pyarrow as pa, pyarrow.parquet",
    "protobuf": "from google.protobuf import descriptor_pb2, timestamp_pb2",
    "structtensor": "import structtensor as st",
    "duckdb": "import duckdb",
    "onnx": "import onnx, onnx.helper",
}
USES = {
    "tensorflow": """
assert tf.reduce_sum(tf.ragged.constant([[1, 2], [3]])).numpy() == 6
assert tf.io.parse_tensor(tf.io.serialize_tensor(tf.constant([1, 2])), tf.int32).numpy().tolist() == [1, 2]
""",
    "pyarrow": """
sink = pa.BufferOutputStream()
pa.parquet.write_table(pa.table({"a": [[1], []]}), sink)
assert pa.parquet.read_table(pa.BufferReader(sink.getvalue())).column("a").to_pylist() == [[1], []]
""",
    "protobuf": """
message = timestamp_pb2.Timestamp.FromString(bytes.fromhex("08051007"))
assert (message.seconds, message.nanos) == (5, 7)
""",
    "duckdb": """
assert duckdb.sql("SELECT sum(i) FROM range(4) t(i)").fetchall() == [(6,)]
""",
    "onnx": """
tensor = onnx.helper.make_tensor("a", onnx.TensorProto.INT64, [2], [1, 2])
assert onnx.TensorProto.FromString(tensor.SerializeToString()).name == "a"
""",
    "structtensor": """
import pyarrow as pa
from google.protobuf import descriptor_pb2, timestamp_pb2
message = timestamp_pb2.Timestamp(seconds=5, nanos=7)
file = descriptor_pb2.FileDescriptorProto.FromString(timestamp_pb2.DESCRIPTOR.serialized_pb)
descriptors = descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
schema = st.Schema.from_descriptor_set(descriptors, "google.protobuf.Timestamp")
batch = schema.decoder().decode([message.SerializeToString(), b""])
assert batch.to_py() == [{"seconds": 5, "nanos": 7}, {"seconds": 0, "nanos": 0}], batch.to_py()
assert [timestamp_pb2.Timestamp.FromString(one).nanos for one in batch.to_protobuf()] == [7, 0]
assert pa.table(batch).column("seconds").to_pylist() == [5, 0]
try:
    schema.decoder().decode([bytes([0x08])])
except st.DecodeError as error:
    assert error.path == "seconds"
else:
    raise AssertionError("a message that is cut off was decoded")
""",
}


def run(*pieces):
    program = "\n".join([*pieces, 'print("done")'])
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment, timeout=240
    )
    assert done.returncode == 0, f"{done.returncode}\n{done.stderr}"
    assert done.stdout == "done\n"
    # What Python and nanobind write where a process ends with something left.
    assert not any(words in done.stderr for words in ("leaked", "Exception ignored", "Fatal")), done.stderr


def run_in(order):
    run(*[IMPORTS[name] for name in order], *[USES[name] for name in USES if name in order])


def need_tensorflow():
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("the package tensorflow is not installed")


REQUIRED = ["pyarrow", "protobuf", "structtensor"]
OTHERS = [("duckdb", "onnx", "structtensor"), ("structtensor", "onnx", "duckdb")]


@pytest.mark.parametrize("order", [*itertools.permutations(REQUIRED), *OTHERS], ids=" ".join)
def test_any_order_works(order):
    run_in(order)


@pytest.mark.parametrize("order", list(itertools.permutations(["tensorflow", *REQUIRED])), ids=" ".join)
def test_any_order_works_with_tensorflow(order):
    need_tensorflow()
    run_in(order)


def test_tensorflow_may_be_imported_when_the_others_have_been_used():
    need_tensorflow()
    run(IMPORTS["structtensor"], USES["structtensor"], IMPORTS["tensorflow"], USES["tensorflow"], USES["structtensor"])


def test_what_goes_wrong_in_a_process_shows(monkeypatch):
    monkeypatch.setitem(
        USES, "structtensor", "import os, signal\nprint('done', flush=True)\nos.kill(os.getpid(), signal.SIGABRT)"
    )
    with pytest.raises(AssertionError, match="-6"):
        run_in(["structtensor"])
    monkeypatch.setitem(USES, "structtensor", "class Left:\n    def __del__(self): 1 / 0\nleft = Left()")
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        run_in(["structtensor"])


def run_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and "already registered" not in done.stderr, done.stderr


def test_an_import_that_failed_is_tried_again():
    run_python("""
import sys
sys.modules["numpy"] = None
try:
    import structtensor
except ImportError:
    pass
else:
    raise SystemExit("imported without numpy")
del sys.modules["numpy"]
import structtensor as st
assert st.constant([[1], []]).to_numpy().tolist()[0].tolist() == [1]
""")


def test_threads_may_import_at_the_same_time():
    for first, second in (("tensor", "function"), ("tensor", "class"), ("function", "function"), ("module", "tensor")):
        run_python(f"""
import pickle, subprocess, sys, threading
make = {{
    "tensor": "st.constant([1])", "function": "st.add", "class": "st.Tensor", "module": "st.strings.upper"
}}
write = "import pickle, sys, structtensor as st; sys.stdout.buffer.write(pickle.dumps({{}}))"
pickles = [
    subprocess.run([sys.executable, "-c", write.format(make[name])], capture_output=True, check=True).stdout
    for name in ({first!r}, {second!r})
]
barrier, problems = threading.Barrier(2), []
def load(data):
    barrier.wait()
    try:
        pickle.loads(data)
    except BaseException as error:
        problems.append(repr(error))
threads = [threading.Thread(target=load, args=(data,)) for data in pickles]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not problems, problems
import structtensor
""")
