"""st.from_parquet and to_parquet, to_arrow. pyarrow is the judge of what is in files."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from google.protobuf import descriptor_pb2

import structtensor as st


@pytest.fixture
def rows():
    return st.from_json(
        """{"id":1,"place":{"city":"a","points":[{"x":1.5,"tags":["t","u"]}, {"x":2.5}]},"list":[1, 2],"none":null}
           {"id": 2, "place": null, "list": [], "none": 3}
           {"id": 3, "place": {"city": "b", "points": []}, "list": [3]}""",
        layout="lines",
    )


def test_there_and_back(rows, tmp_path):
    path = tmp_path / "rows.parquet"
    rows.to_parquet(path, compression="zstd", compression_level=19)
    assert pq.read_table(path).to_pylist() == pa.table(rows).to_pylist()
    again = st.from_parquet(path)
    assert again.equals(rows) and again.spec == rows.spec
    file = io.BytesIO()
    rows.to_parquet(file)
    file.seek(0)
    assert st.from_parquet(file).equals(rows)
    twice = st.from_parquet([path, str(path)])
    assert twice.equals(st.concat([rows, rows]))
    assert rows.to_arrow().equals(pa.table(rows)) and rows["id"].to_arrow().to_pylist() == [1, 2, 3]
    assert rows["list"].to_arrow().to_pylist() == [[1, 2], [], [3]]


@pytest.mark.parametrize(
    ("columns", "kept"),
    [
        ("id", ["id"]),
        (["place.points.x", "list"], ["place", "list"]),
        ([["place", "points", "tags"]], ["place"]),
        (["place"], ["place"]),
        (["place.city", "place.points.x", "id"], ["id", "place"]),
    ],
)
def test_columns_are_chosen_before_they_are_read(rows, tmp_path, columns, kept):
    path = tmp_path / "rows.parquet"
    rows.to_parquet(path)
    chosen = st.from_parquet(path, columns=columns)
    assert list(chosen.field_names()) == kept
    for column in [columns] if isinstance(columns, str) else columns:
        names = tuple(column.split(".") if isinstance(column, str) else column)
        assert chosen[names].to_py() == rows[names].to_py()
    if kept == ["place"] and columns != ["place"]:
        assert chosen.to_py() == [
            {"place": {"points": [{"tags": ["t", "u"]}, {"tags": []}]}},
            {"place": None},
            {"place": {"points": []}},
        ]


def test_maps_and_other_lists(tmp_path):
    table = pa.table(
        {
            "list": pa.array([[1], []], pa.list_(pa.int64())),
            "m": pa.array(
                [[("k", {"x": 1, "y": "a"})], []], pa.map_(pa.string(), pa.struct([("x", pa.int64()), ("y", pa.string())]))
            ),
            "fixed": pa.array([[1.0, 2.0], [3.0, 4.0]], pa.list_(pa.float64(), 2)),
        }
    )
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    whole = st.from_parquet(path)
    assert st.from_parquet(path, ["fixed", "list"])["fixed"].equals(whole["fixed"])
    assert pa.table(st.from_parquet(path, ["m"]))["m"].to_pylist() == table["m"].to_pylist()


def test_what_is_wrong(rows, tmp_path):
    path = tmp_path / "rows.parquet"
    rows.to_parquet(path)
    with pytest.raises(KeyError, match="the file has no field place.town; it has id, list, none, place.city"):
        st.from_parquet(path, columns=["place.town"])
    with pytest.raises(ValueError, match="path"):
        st.from_parquet(path, columns=["place[0]"])
    with pytest.raises(ValueError, match="no files"):
        st.from_parquet([])
    with pytest.raises(FileNotFoundError):
        st.from_parquet(tmp_path / "no.parquet")
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(ValueError, match="[Pp]arquet"):
        st.from_parquet(path)
    with pytest.raises(ValueError, match=r"st.from_parquet\(path\) reads it"):
        pq.write_table(pa.table({"a": np.arange(3)}), path)
        st.read(path, st.Schema.from_class(descriptor_pb2.FieldDescriptorProto))
