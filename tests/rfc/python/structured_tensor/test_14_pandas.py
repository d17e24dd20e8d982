"""ST "Pandas DataFrames"."""

import pandas as pd
import pytest
from promises import promise

import structtensor as st

SECTION = "Integration: pandas"


@promise(
    SECTION,
    "The same fields make a DataFrame and a 1D StructuredTensor: `tf.DenseStructuredTensor(shape=[2], fields=fields)`",
    python="st.struct.DenseStructuredTensor(shape=[2], fields=fields), st.from_pandas(frame)",
    cpp="DenseStructuredTensor()",
    tensorflow="T.from_fields(fields)",
)
def test_one_set_of_fields():
    fields = {"col1": [1, 2], "col2": [3, 4]}
    df = pd.DataFrame(data=fields)
    structs = st.struct.DenseStructuredTensor(shape=[2], fields=fields)
    assert structs.to_py() == [{"col1": 1, "col2": 3}, {"col1": 2, "col2": 4}]
    assert st.from_pandas(df).equals(structs)
    pd.testing.assert_frame_equal(structs.to_pandas(), df)


@promise(
    SECTION,
    "Each column corresponds to a field",
    python="st.from_pandas(frame)['col1']",
    tensorflow="T.from_structtensor(st.from_pandas(frame))",
)
def test_columns_are_fields():
    structs = st.from_pandas(pd.DataFrame({"col1": [1, 2], "col2": ["a", "b"]}))
    assert (structs.shape, structs.field_names()) == ((2,), ("col1", "col2"))
    assert (structs["col1"].to_py(), structs["col2"].to_py()) == ([1, 2], ["a", "b"])


@promise(
    SECTION,
    "A row index other than the default RangeIndex is an additional field `_index_`",
    python="st.from_pandas(frame)['_index_'], structs.to_pandas()",
    tensorflow="the same",
    differs="Of a named index, `_index_` is a struct with that name",
)
def test_the_index():
    frame = pd.DataFrame({"v": [1, 2]}, index=["r1", "r2"])
    structs = st.from_pandas(frame)
    assert structs.to_py() == [{"_index_": "r1", "v": 1}, {"_index_": "r2", "v": 2}]
    pd.testing.assert_frame_equal(structs.to_pandas(), frame, check_index_type=False)
    assert st.from_pandas(pd.DataFrame({"v": [1, 2]})).field_names() == ("v",)
    assert st.from_pandas(pd.DataFrame({"v": [1]}, index=pd.RangeIndex(5, 6))).field_names() == ("_index_", "v")
    named = st.from_pandas(pd.DataFrame({"v": [1, 2]}, index=pd.Index([10, 20], name="k")))
    assert named["_index_"].to_py() == [{"k": 10}, {"k": 20}]


@promise(
    SECTION,
    "A MultiIndex of the rows is a StructuredTensor with more dimensions",
    python="st.from_pandas(frame).shape == (2, None)",
    tensorflow="the same",
)
def test_hierarchical_row_indices():
    index = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)], names=["g", "n"])
    frame = pd.DataFrame({"v": [1.0, 2.0, 3.0]}, index=index)
    structs = st.from_pandas(frame)
    assert (structs.shape, structs["v"].to_py()) == ((2, None), [[1.0, 2.0], [3.0]])
    pd.testing.assert_frame_equal(structs.to_pandas(), frame)


@promise(
    SECTION,
    "A MultiIndex of the columns is nested StructuredTensors",
    python="st.from_pandas(frame)['pos', 'x']",
    tensorflow="the same",
)
def test_hierarchical_column_indices():
    columns = pd.MultiIndex.from_tuples([("pos", "x"), ("pos", "y"), ("vel", "x")])
    frame = pd.DataFrame([[1, 2, 3], [4, 5, 6]], columns=columns)
    structs = st.from_pandas(frame)
    assert structs.to_py() == [{"pos": {"x": 1, "y": 2}, "vel": {"x": 3}}, {"pos": {"x": 4, "y": 5}, "vel": {"x": 6}}]
    pd.testing.assert_frame_equal(structs.to_pandas(), frame)


@promise(
    SECTION,
    "A scalar StructuredTensor is one row of a DataFrame",
    python="st.expand_dims(struct, 0).to_pandas()",
    tensorflow="the same",
    differs="`struct.to_pandas()` raises ValueError, since a DataFrame has rows",
)
def test_scalars(st_scalar):
    assert st.expand_dims(st_scalar, 0).to_pandas()["x"].tolist() == ["foo"]
    with pytest.raises(ValueError, match="expand_dims"):
        st_scalar.to_pandas()
