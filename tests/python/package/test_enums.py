"""enums="numbers", "names" or "dictionary": the columns, what pyarrow and pandas get, and the messages back."""

import subprocess

import pyarrow as pa
import pytest
from google.protobuf import descriptor_pb2, message_factory

import structtensor as st

PROTO = """
syntax = "proto3";
package kitchen;
enum Unit { UNIT_UNSPECIFIED = 0; GRAM = 5; CUP = 1; }
message Amount {
  oneof value {
    int32 pieces = 1;
    double exact = 2;
  }
  optional Unit unit = 3;
}
message Item {
  string name = 1;
  Unit unit = 2;
  repeated Amount amounts = 3;
}
"""
DICTIONARY = pa.dictionary(pa.int32(), pa.string())


@pytest.fixture(scope="module")
def item_class(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kitchen")
    (folder / "kitchen.proto").write_text(PROTO)
    command = ["protoc", f"-I{folder}", f"--descriptor_set_out={folder}/kitchen.desc", str(folder / "kitchen.proto")]
    subprocess.run(command, check=True)
    files = descriptor_pb2.FileDescriptorSet.FromString((folder / "kitchen.desc").read_bytes()).file
    return message_factory.GetMessages(list(files))["kitchen.Item"]


@pytest.fixture(scope="module")
def items(item_class):
    items = [item_class(name=name, unit=number) for name, number in [("flour", 5), ("milk", 77), ("egg", 0)]]
    items[0].amounts.add(exact=2.5, unit=1)
    items[0].amounts.add(pieces=0)
    items[0].amounts.add(unit=0)
    return items


def decode(schema, items, **options):
    return schema.decoder(**{"optionals": "nullable", **options}).decode([item.SerializeToString() for item in items])


@pytest.fixture(scope="module")
def schema(item_class):
    return st.Schema.from_class(item_class)


def test_numbers_are_the_default(schema, items):
    rows = decode(schema, items)
    assert rows == decode(schema, items, enums="numbers")
    assert rows["unit"].to_py() == [5, 77, 0]
    assert rows[0, "amounts", :, "value_case"].to_py() == [2, 1, 0]


@pytest.mark.parametrize("enums", ["names", "dictionary"])
def test_names(schema, items, enums):
    rows = decode(schema, items, enums=enums)
    assert rows["unit"].to_py() == ["GRAM", "77", "UNIT_UNSPECIFIED"]
    assert rows[0, "amounts", :, "unit"].to_py() == ["CUP", None, "UNIT_UNSPECIFIED"]
    assert rows[0, "amounts", :, "value_case"].to_py() == ["exact", "pieces", ""]


@pytest.mark.parametrize("enums", ["numbers", "names", "dictionary"])
@pytest.mark.parametrize("optionals", ["ragged", "nullable", "default"])
def test_messages_come_back(schema, item_class, items, enums, optionals):
    rows = decode(schema, items, enums=enums, optionals=optionals)
    again = [item_class.FromString(message) for message in rows.to_protobuf(schema)]
    if optionals == "default":  # which loses the presence of `unit`, but not of the fields of the oneof
        items = [item_class.FromString(item.SerializeToString()) for item in items]
        for item in items:
            for amount in item.amounts:
                amount.unit = amount.unit
    assert again == items


def test_arrow_and_pandas_get_dictionaries(schema, items):
    rows = decode(schema, items, enums="dictionary")
    table = pa.table(rows)
    assert table.schema.field("unit").type == DICTIONARY
    amounts = table.schema.field("amounts").type.value_type
    assert amounts.field("unit").type == amounts.field("value_case").type == DICTIONARY
    assert st.from_arrow(table).to_protobuf(schema) == rows.to_protobuf(schema)
    assert pa.table(decode(schema, items, enums="names")).schema.field("unit").type == pa.string()
    frame = rows.to_pandas()
    assert list(frame["unit"]) == ["GRAM", "77", "UNIT_UNSPECIFIED"]
    assert list(frame["unit"].cat.categories) == ["UNIT_UNSPECIFIED", "CUP", "GRAM", "77"]


def test_a_scan_has_the_types_of_its_batches(schema, items, tmp_path):
    for i, item in enumerate(items):
        (tmp_path / f"{i}.bin").write_bytes(item.SerializeToString())
    files = str(tmp_path / "*.bin")
    table = pa.table(st.scan(files, schema, format="message", enums="dictionary"))
    assert table.schema.field("unit").type == DICTIONARY
    assert table.column("unit").to_pylist() == ["GRAM", "77", "UNIT_UNSPECIFIED"]
    assert st.read(files, schema, format="message", enums="names")["unit"].to_py() == ["GRAM", "77", "UNIT_UNSPECIFIED"]


def test_annotations_override_the_option(schema, items):
    annotated = schema.with_annotations('annotation { path: "kitchen.Item.unit" options { enum_as: NUMBER } }')
    rows = decode(annotated, items, enums="names")
    assert rows["unit"].to_py() == [5, 77, 0]
    assert rows[0, "amounts", :, "unit"].to_py() == ["CUP", None, "UNIT_UNSPECIFIED"]


@pytest.mark.parametrize("optionals", ["ragged", "nullable", "default"])
@pytest.mark.parametrize("enums", ["names", "dictionary"])
def test_messages_come_back_through_arrow(schema, item_class, items, enums, optionals):
    rows = decode(schema, items, enums=enums, optionals=optionals)
    assert st.from_arrow(pa.table(rows)).to_protobuf(schema) == rows.to_protobuf(schema)


@pytest.mark.parametrize("enums", ["names", "dictionary"])
def test_a_skipped_field_gives_its_name_to_another(schema, item_class, items, enums):
    annotated = schema.with_annotations(
        'annotation { path: "kitchen.Amount.pieces" options { skip: true } }'
        'annotation { path: "kitchen.Amount.exact" options { name: "pieces" } }'
    )
    for optionals in ("nullable", "default"):
        rows = decode(annotated, items, enums=enums, optionals=optionals)
        assert rows[0, "amounts", :, "value_case"].to_py() == ["pieces", "1", ""]
        assert pa.table(rows)["amounts"].to_pylist()[0][0]["value_case"] == "pieces"
        assert pa.table(rows)["amounts"].to_pylist()[0][1]["value_case"] == "1"
        again = item_class.FromString(rows.to_protobuf(annotated)[0])
        assert [amount.WhichOneof("value") for amount in again.amounts] == ["exact", None, None]


def test_the_case_also_names_fields_that_are_not_chosen(schema, items):
    rows = decode(schema, items, enums="names", select=["amounts.exact"])
    assert rows[0, "amounts", :, "value_case"].to_py() == ["exact", "pieces", ""]


def test_a_wrong_case_is_named(schema):
    amounts = [{"pieces": 1, "exact": 2.0, "value_case": "wrong"}]
    rows = st.StructuredTensor.from_pyval([{"amounts": amounts}])
    with pytest.raises(ValueError, match='amounts.value_case: the oneof has no field named "wrong"'):
        rows.to_protobuf(schema)
