"""ST "Apache Arrow"."""

import pyarrow as pa
import pytest
from promises import promise, promise_of_tensorflow

import structtensor as st

SECTION = "Integration: Apache Arrow"


def address_of(array, buffer):
    return array.buffers()[buffer].address


@pytest.fixture
def arrow():
    lists = pa.LargeListArray.from_arrays(pa.array([0, 2, 2], pa.int64()), pa.array([1.0, 2.0]))
    return pa.record_batch({"n": pa.array([1, 2]), "f": pa.array([0.5, 1.5]), "l": lists, "s": ["a" * 40, "b"]})


@promise(
    SECTION,
    "The buffers of numbers and lists are those of Arrow's structs, so Arrow is read without copies",
    python="st.from_arrow(batch)",
    cpp="ImportBatch()",
    tensorflow="T.from_structtensor(st.from_arrow(batch))",
    differs="List offsets of 32 bits are widened, and booleans are unpacked to bytes",
)
def test_reads_without_copies(arrow):
    structs = st.from_arrow(arrow)
    for name in ("n", "f"):
        assert structs[name].to_numpy().ctypes.data == address_of(arrow[name], 1)
    assert structs["l"].flat_values.to_numpy().ctypes.data == address_of(arrow["l"].values, 1)
    assert structs["l"].row_splits.to_numpy().ctypes.data == address_of(arrow["l"], 1)
    assert structs.to_py() == arrow.to_pylist()


@promise(
    SECTION,
    "Arrow is written without copies",
    python="pa.record_batch(structs), structs.to_arrow()",
    cpp="ExportBatch()",
    tensorflow="rows.to_structtensor().to_arrow()",
)
def test_writes_without_copies(arrow):
    out = pa.record_batch(st.from_arrow(arrow))
    for name in ("n", "f", "l"):
        assert address_of(out[name], 1) == address_of(arrow[name], 1)
    assert address_of(out["l"].values, 1) == address_of(arrow["l"].values, 1)
    assert out.to_pylist() == arrow.to_pylist()


@promise(
    SECTION,
    "Nested structs of lists correspond to Arrow's",
    python="st.from_arrow(array)['x', 'y', 'z'], pa.array(structs)",
    cpp="ImportValue(), ExportValue()",
    tensorflow="the same",
)
def test_nested_structs():
    array = pa.array([{"x": {"y": [{"z": 1}, {"z": 2}]}}, {"x": {"y": []}}])
    structs = st.from_arrow(array)
    assert structs["x", "y", "z"].to_py() == [[1, 2], []]
    assert pa.array(structs).to_pylist() == array.to_pylist()


@promise(
    SECTION,
    "Scalars and matrices of structs have an Arrow form",
    python="pa.array(matrix), st.expand_dims(struct, 0).to_arrow()",
    cpp="ExportValue()",
    tensorflow="the same",
    differs="A record batch is a vector, so a scalar is one row of it, and a matrix is an Arrow array of lists",
)
def test_scalars_and_matrices(st_scalar, st_matrix):
    assert st.expand_dims(st_scalar, 0).to_arrow().to_pylist() == [st_scalar.to_py()]
    array = pa.array(st_matrix)
    assert array.to_pylist() == st_matrix.to_py() and st.from_arrow(array).to_py() == st_matrix.to_py()


promise_of_tensorflow(
    SECTION,
    "Arrow's lists of a fixed size are dense axes",
    python="st.from_arrow(array)",
    cpp="ImportValue()",
    tensorflow="T.from_structtensor(value)",
    shown_by="test_type.py::test_fixed_size_lists_of_structs",
)
