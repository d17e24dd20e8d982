"""ST "Construction": the sources of StructuredTensors. Later sections of the document describe some of them."""

import http.server
import json
import threading

import numpy as np
import pandas as pd
import pyarrow as pa
from promises import promise, promise_of_tensorflow

import structtensor as st

ROWS = [{"a": 1, "b": [1]}, {"a": 2, "b": []}]


@promise(
    "Construction",
    "From nested Python dictionaries and lists",
    python="st.constant(value)",
    cpp="Constant()",
    tensorflow="T.from_py(value)",
    shown_by="test_type.py::test_uniform_rows_of_structs",
)
def test_from_nested_dicts_and_lists():
    structs = st.constant(ROWS)
    assert (structs.shape, structs.to_py()) == ((2,), ROWS)


@promise(
    "Construction",
    "From serialized protocol buffer messages",
    python="st.Schema.from_proto(files).decoder().decode(messages), st.read(file, proto=files)",
    cpp="ToStructuredTensor()",
    tensorflow="structtensor.tf.decode(serialized, schema)",
    shown_by="test_decode.py::test_rows_are_those_of_protobuf",
)
def test_from_serialized_messages(schema, messages):
    assert schema.decoder().decode(messages)["title"].to_py() == ["cookies", "toast"]


@promise(
    "Construction",
    "From JSON-encoded protocol buffers",
    python="decoder.decode(text, format='json'), st.read(file, schema)",
    cpp="MessageJson",
    tensorflow="T.from_structtensor(batch)",
)
def test_from_json_of_messages(schema):
    batch = schema.decoder().decode('{"title": "toast", "base": {"kcal": 80}}', format="json")
    assert batch["title"].to_py() == ["toast"] and batch["base", "kcal"].to_py() == [80]


@promise(
    "Construction",
    "From Apache Arrow record batches",
    python="st.from_arrow(batch), st.struct.from_arrow(batch)",
    cpp="ImportBatch()",
    tensorflow="T.from_structtensor(st.from_arrow(batch))",
)
def test_from_arrow():
    assert st.struct.from_arrow is st.from_arrow
    assert st.from_arrow(pa.record_batch({"a": [1, 2], "b": pa.array([[1], []])})).to_py() == ROWS


@promise(
    "Construction",
    "From Apache Parquet",
    python="st.from_parquet(file), st.struct.from_parquet(file)",
    cpp="ColumnFileReader",
    tensorflow="T.from_structtensor(st.from_parquet(file))",
)
def test_from_parquet(tmp_path, st_vector):
    st_vector.to_parquet(tmp_path / "vector.parquet")
    assert st.struct.from_parquet is st.from_parquet
    assert st.from_parquet(tmp_path / "vector.parquet").to_py() == st_vector.to_py()


@promise(
    "Construction",
    "From pandas DataFrames",
    python="st.from_pandas(frame), st.struct.from_pandas(frame)",
    tensorflow="T.from_structtensor(st.from_pandas(frame))",
)
def test_from_pandas():
    assert st.struct.from_pandas is st.from_pandas
    assert st.from_pandas(pd.DataFrame({"a": [1, 2]})).to_py() == [{"a": 1}, {"a": 2}]


promise_of_tensorflow(
    "Construction",
    "From Spanner",
    python="structtensor.spanner.read(database, sql)",
    tensorflow="T.from_structtensor(rows)",
    differs="C++ has no client",
    shown_by="databases/test_spanner.py::test_every_column_type_comes_back",
)


class _Server(http.server.BaseHTTPRequestHandler):
    """A database of Firebase with two recipes, as far as its REST interface is asked here."""

    def do_GET(self):
        body = json.dumps({"k1": {"title": "toast", "n": [1, 2]}, "k2": {"title": "egg", "n": [3]}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@promise(
    "Construction",
    "From Firebase",
    python="structtensor.firebase.read(url)",
    cpp="ReadJson()",
    tensorflow="T.from_structtensor(rows)",
    differs="C++ reads the JSON of Firebase's answers, and has no client",
)
def test_from_firebase():
    from structtensor import firebase

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        rows = firebase.read(f"http://127.0.0.1:{server.server_port}/recipes")
    finally:
        server.shutdown()
        server.server_close()
    assert rows["title"].to_py() == ["toast", "egg"] and rows["n"].to_py() == [[1, 2], [3]]


@promise(
    "Construction",
    "Directly from a shape and a dictionary of fields",
    python="st.StructuredTensor(shape, fields)",
    cpp="DenseStructuredTensor()",
    tensorflow="T.from_fields(fields, shape=[2])",
    differs="TensorFlow's face checks the sizes of inner axes, and shows None for them: they are row splits",
    shown_by="test_construction.py::test_from_fields_with_axes",
)
def test_from_a_shape_and_fields():
    assert st.StructuredTensor(shape=[2], fields={"x": [1, 2]}).to_py() == [{"x": 1}, {"x": 2}]
    matrix = st.StructuredTensor([2, 3], {"a": np.arange(6).reshape(2, 3)})
    assert (matrix.shape, matrix[0, 1, "a"].item(), matrix[1, 2, "a"].item()) == ((2, 3), 1, 5)
