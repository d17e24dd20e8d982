"""Annotations of fields, in .proto files and beside them: what they make of the columns, and of the way back."""

import base64
import json

import commands
import compare
import conftest
import framing
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from google.protobuf import descriptor_pb2
from structtensor_command import document, parquet_ids, run, succeed

ORDER = """syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
enum State {
  OPEN = 0;
  PAID = 1;
}
message Address {
  string city = 1;
  optional int32 floor = 2;
}
message Order {
  string id = 1;
  google.protobuf.Timestamp placed = 2;
  State state = 3;
  optional State before = 4;
  bytes text = 5;
  string secret = 6;
  optional int32 items = 7;
  Address address = 8;
}
"""

ANNOTATIONS = """# Of an order.
annotation { path: "shop.Order.id" options { name: "order id" } }
annotation { path: "google.protobuf.Timestamp" options { timestamps: MICROSECONDS } }
annotation { path: "shop.State" options { enum_as: NAME } }
annotation { path: "shop.Order.text" options { bytes_as: UTF8 } }
annotation { path: "shop.Order.secret" options { skip: true } }
annotation { path: "shop.Order.items" options { optional_as: RAGGED } }
annotation { path: "shop.Order.address" options { flatten: true prefix: "address_" } }
"""

COLUMNS_OF_ORDERS = """CREATE TABLE "Order" (
  "order id" VARCHAR NOT NULL,
  "placed" TIMESTAMPTZ,
  "state" VARCHAR NOT NULL,
  "before" VARCHAR,
  "text" VARCHAR NOT NULL,
  "items" INTEGER[] NOT NULL,
  "address_city" VARCHAR,
  "address_floor" INTEGER
);
"""


class Orders:
    """Some orders, and two ways to say what their columns are."""

    def __init__(self, folder):
        plain, annotated = folder / "plain", folder / "annotated"
        plain.mkdir()
        annotated.mkdir()
        (plain / "order.proto").write_text(ORDER)
        self.annotations = folder / "order.annotations"
        self.annotations.write_text(ANNOTATIONS)
        text = ORDER.replace('timestamp.proto";\n', 'timestamp.proto";\nimport "structtensor/options.proto";\n')
        text = text.replace("enum State {", "enum State {\n  option (structtensor.enumeration).enum_as = NAME;")
        for field, option in {
            "string id = 1": 'name = "order id"',
            "Timestamp placed = 2": "timestamps = MICROSECONDS",
            "bytes text = 5": "bytes_as = UTF8",
            "string secret = 6": "skip = true",
            "int32 items = 7": "optional_as = RAGGED",
        }.items():
            text = text.replace(f"{field};", f"{field} [(structtensor.field).{option}];")
        flatten = 'Address address = 8 [(structtensor.field) = {flatten: true prefix: "address_"}];'
        (annotated / "order.proto").write_text(text.replace("Address address = 8;", flatten))
        self.plain = ["-p", plain / "order.proto", "-m", "Order"]
        self.by_options = ["-p", annotated / "order.proto", "-m", "Order"]
        self.by_text = [*self.plain, "--annotations", self.annotations]
        schema = commands.protoc_descriptor_set(folder / "set.pb", plain / "order.proto", plain)
        self.message_class = compare.load_message_class(schema, "shop.Order")
        first = self.message_class(id="a", state=1, before=0, text="tea".encode(), secret="s", items=3)
        first.placed.FromMicroseconds(1_500_000)
        first.address.city = "Rome"
        self.messages = [first, self.message_class(state=9, address={"floor": 2}), self.message_class()]
        self.path = folder / "orders.pb"
        self.path.write_bytes(framing.frame_delimited([message.SerializeToString() for message in self.messages]))


@pytest.fixture
def orders(tmp_path):
    return Orders(tmp_path)


def test_annotations_change_columns(orders):
    for schema in (orders.by_options, orders.by_text):
        assert succeed("schema", *schema, "--to", "sql").stdout.decode() == COLUMNS_OF_ORDERS
    assert '"secret" VARCHAR NOT NULL' in succeed("schema", *orders.plain, "--to", "sql").stdout.decode()


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_annotated_columns_are_written_and_come_back(orders, ending, tmp_path):
    for schema in (orders.by_options, orders.by_text):
        output, back = tmp_path / f"rows.{ending}", tmp_path / "back.pb"
        succeed("convert", orders.path, *schema, "-o", output, "--overwrite")
        table = pq.read_table(output) if ending == "parquet" else pa.ipc.open_file(output).read_all()
        assert table.schema.names == [
            "order id", "placed", "state", "before", "text", "items", "address_city", "address_floor",
        ]  # fmt: skip
        assert table.schema.field("placed").type == pa.timestamp("us", "UTC")
        columns = table.to_pydict()
        assert columns.pop("placed")[0].timestamp() == 1.5
        assert columns == {
            "order id": ["a", "", ""],
            "state": ["PAID", "9", "OPEN"],
            "before": ["OPEN", None, None],
            "text": ["tea", "", ""],
            "items": [[3], [], []],
            "address_city": ["Rome", "", None],
            "address_floor": [None, 2, None],
        }
        # The file has the annotations with its schema.
        assert "address_city" in succeed("head", output, "--table").stdout.decode()
        succeed("convert", output, "-o", back, "--overwrite")
        expected = [orders.message_class.FromString(message.SerializeToString()) for message in orders.messages]
        for message in expected:
            message.ClearField("secret")
        assert [orders.message_class.FromString(payload) for payload in framing.read_delimited(back)] == expected
        counts = document("validate", output)
        assert (counts["messages"], counts["equal"]) == (3, 3)


def test_annotated_columns_keep_the_numbers_of_their_fields(orders, tmp_path):
    output = tmp_path / "rows.parquet"
    succeed("convert", orders.path, *orders.by_text, "-o", output)
    numbers = {name: number for name, (number, _) in parquet_ids(pq.read_schema(output)).items()}
    # Numbers of the flattened message are those of other fields here.
    assert numbers == {
        "order id": 1, "placed": 2, "state": 3, "before": 4, "text": 5, "items": 7,
        "address_city": None, "address_floor": None,
    }  # fmt: skip
    assert "field_id=1 order id" in succeed("schema", *orders.by_text, "--to", "parquet").stdout.decode()
    # By them, rows come back under other names, too.
    orders.annotations.write_text(ANNOTATIONS.replace('"order id"', '"number"').replace("RAGGED", "NULLABLE"))
    succeed("convert", output, *orders.by_text, "-o", tmp_path / "renamed.parquet")
    renamed = pq.read_table(tmp_path / "renamed.parquet").to_pydict()
    assert renamed["number"] == ["a", "", ""]
    assert renamed["items"] == [3, None, None]
    assert renamed["address_city"] == ["Rome", "", None]


def test_annotations_of_files_that_have_their_schema(orders, tmp_path):
    plain, annotated, again = tmp_path / "plain.parquet", tmp_path / "annotated.parquet", tmp_path / "again.parquet"
    succeed("convert", orders.path, *orders.plain, "-o", plain)
    succeed("convert", plain, "--annotations", orders.annotations, "-o", annotated)
    expected = tmp_path / "expected.parquet"
    succeed("convert", orders.path, *orders.by_text, "-o", expected)
    assert pq.read_table(annotated).to_pydict() == pq.read_table(expected).to_pydict()
    # Annotations in a text file replace those of the input's schema.
    orders.annotations.write_text(
        'annotation { path: "shop.Order.address" options { flatten: false } }\n'
        'annotation { path: "shop.Order.id" options { name: "id" } }\n'
        'annotation { path: "shop.State" options { enum_as: NUMBER } }\n'
    )
    succeed("convert", annotated, "--annotations", orders.annotations, "-o", again)
    columns = pq.read_table(again).to_pydict()
    assert columns["id"] == ["a", "", ""]
    assert columns["state"] == [1, 9, 0]
    assert columns["address"] == [{"city": "Rome", "floor": None}, {"city": "", "floor": 2}, None]
    for verb in ("head", "stats", "validate"):
        succeed(verb, annotated, "--annotations", orders.annotations)
    outcome = run("convert", plain, annotated, "-o", tmp_path / "both.parquet")
    assert outcome.exit_code == 1
    assert "text is text in one of them and bytes in the other" in outcome.stderr


def test_files_with_different_annotations_lose_and_swap_nothing(tmp_path):
    proto = tmp_path / "t.proto"
    proto.write_text(
        'syntax = "proto3"; package t; import "structtensor/options.proto";\n'
        "message In { optional int32 x = 1; optional int32 y = 2; }\n"
        "message O { In in = 1 [(structtensor.field).flatten = true]; optional int32 s = 2; }"
    )
    (tmp_path / "o.pb").write_bytes(framing.frame_delimited([b"\x0a\x04\x08\x01\x10\x02\x10\x03"]))
    (tmp_path / "swapped.txt").write_text(
        'annotation { path: "t.In.x" options { name: "y" } } annotation { path: "t.In.y" options { name: "x" } }'
    )
    (tmp_path / "skipped.txt").write_text('annotation { path: "t.O.s" options { skip: true } }')
    (tmp_path / "whole.txt").write_text('annotation { path: "t.O.in" options { flatten: false } }')
    files = {name: tmp_path / f"{name}.parquet" for name in ("plain", "swapped", "skipped", "whole")}
    for name, file in files.items():
        annotations = () if name == "plain" else ("--annotations", tmp_path / f"{name}.txt")
        succeed("convert", tmp_path / "o.pb", "-p", proto, "-m", "t.O", *annotations, "-o", file)
    for order in (("plain", "swapped"), ("swapped", "plain")):
        outcome = run("convert", *(files[name] for name in order), "-o", tmp_path / "no.jsonl")
        assert outcome.exit_code == 1
        assert "in.x is called" in outcome.stderr
    outcome = run("convert", files["whole"], files["plain"], "-o", tmp_path / "no.jsonl")
    assert "in is a column and flattened with the prefix ''" in outcome.stderr
    for order in (("plain", "skipped"), ("skipped", "plain")):
        output = succeed("convert", *(files[name] for name in order), "-o", "-", "--to", "rows").stdout.decode()
        rows = [json.loads(line) for line in output.splitlines()]
        assert sorted(row.get("s") or 0 for row in rows) == [0, 3]


def test_a_column_may_have_the_name_of_a_skipped_field(tmp_path):
    proto = tmp_path / "t.proto"
    proto.write_text(
        'syntax = "proto3"; package t; import "structtensor/options.proto";\n'
        "message In { string a = 1; string b = 2 [(structtensor.field).skip = true]; }\n"
        "message O { string a = 1 [(structtensor.field).skip = true]; string b = 2 [(structtensor.field).name = 'a'];\n"
        "  string x_a = 3 [(structtensor.field).skip = true];\n"
        "  In in = 4 [(structtensor.field) = {flatten: true prefix: 'x_'}]; }"
    )
    given = ["-p", proto, "-m", "t.O"]
    (tmp_path / "o.pb").write_bytes(framing.frame_delimited([b"\x0a\x01p\x12\x01q\x1a\x01r\x22\x06\x0a\x01s\x12\x01t"]))
    for ending in ("parquet", "arrow"):
        file = tmp_path / f"o.{ending}"
        succeed("convert", tmp_path / "o.pb", *given, "-o", file)
        assert json.loads(succeed("convert", file, "-o", "-", "--to", "rows").stdout) == {"a": "q", "x_a": "s"}
        succeed("convert", file, "-o", tmp_path / f"{ending}.pb")
        assert list(framing.read_delimited(tmp_path / f"{ending}.pb")) == [b"\x12\x01q\x22\x03\x0a\x01s"]
    parts = tmp_path / "parts"
    succeed("convert", tmp_path / "o.pb", *given, "-o", parts, "--partition-by", "a", "--to", "parquet")
    assert [path.name for path in parts.iterdir()] == ["a=q"]
    succeed("convert", parts, "-o", tmp_path / "parts.pb")
    assert list(framing.read_delimited(tmp_path / "parts.pb")) == [b"\x12\x01q\x22\x03\x0a\x01s"]

    def lines(*selected):
        return succeed("convert", tmp_path / "o.pb", *given, *selected, "-o", "-", "--to", "rows").stdout

    assert json.loads(lines("--select", "b", "--where", "a = 'p'")) == {"a": "q"}
    assert lines("--select", "b", "--where", "a = 'q'") == b""
    outcome = run("convert", tmp_path / "o.pb", *given, "--select", "a", "-o", tmp_path / "no.jsonl")
    assert outcome.exit_code == 1
    assert "t.O.b: another column is called a; give one of them another name" in outcome.stderr
    (tmp_path / "other.txt").write_text('annotation { path: "t.O.a" options { name: "other" } }')
    both = lines("--select", "a", "--select", "b", "--annotations", tmp_path / "other.txt")
    assert json.loads(both) == {"other": "p", "a": "q"}


def test_rows_inside_of_messages_have_the_annotations_of_their_type(orders, tmp_path):
    proto = tmp_path / "plain" / "orders.proto"
    proto.write_text(
        'syntax = "proto3"; package shop; import "order.proto";\n'
        "message Day { repeated Order orders = 1; repeated Order cancelled = 2; }"
    )
    orders.annotations.write_text(ANNOTATIONS + 'annotation { path: "shop.Day.cancelled" options { skip: true } }')
    schema = ["-p", proto, "-m", "Day", "--annotations", orders.annotations]
    payloads = [message.SerializeToString() for message in orders.messages]
    day = b"".join(b"\x0a" + framing.frame_delimited([payload]) for payload in payloads)
    orders.path.write_bytes(framing.frame_delimited([day + b"\x12" + framing.frame_delimited([payloads[0]])]))
    chosen = ["--from", "delimited", *schema, "--rows", "orders"]
    shown = document("head", orders.path, *chosen, "--select", "id", "--select", "address.city")
    assert shown["message"] == "shop.Order"
    assert shown["rows"] == [
        {"order id": "a", "address_city": "Rome"}, {"order id": "", "address_city": ""}, {"order id": "", "address_city": None},
    ]  # fmt: skip
    counts = document("validate", orders.path, *chosen)
    assert (counts["messages"], counts["equal"]) == (3, 3)
    assert "secret" in [field["path"] for field in document("stats", orders.path, *chosen)["fields"]]
    columns = succeed("schema", *schema, "--rows", "orders", "--to", "sql").stdout.decode()
    assert columns == COLUMNS_OF_ORDERS
    output, back = tmp_path / "rows.parquet", tmp_path / "back.parquet"
    succeed("convert", orders.path, *chosen, "-o", output)
    succeed("convert", output, "-o", back)
    assert pq.read_table(back).to_pydict() == pq.read_table(output).to_pydict()
    # Those of a field that is skipped are there for who asks for them.
    assert len(document("head", orders.path, "--from", "delimited", *schema, "--rows", "cancelled")["rows"]) == 1


def test_skipped_fields_are_not_reported_as_of_another_type(orders, tmp_path):
    orders.path.write_bytes(framing.frame_delimited([b"\x30\x01"]))  # secret, as a number
    chosen = ["--from", "delimited", "-o", tmp_path / "rows.parquet", "--overwrite"]
    assert document("convert", orders.path, *orders.by_text, *chosen)["changed_fields"] == []
    assert [each["field"] for each in document("convert", orders.path, *orders.plain, *chosen)["changed_fields"]] == ["secret"]


def test_what_is_about_messages_ignores_annotations(orders):
    for schema in (orders.by_options, orders.by_text):
        counts = document("validate", orders.path, *schema)
        assert (counts["messages"], counts["equal"]) == (3, 3)
        assert "secret" in [field["path"] for field in document("stats", orders.path, *schema)["fields"]]


def test_a_required_field_that_is_skipped_is_not_asked_for_in_column_files(tmp_path):
    proto, messages, columns = tmp_path / "t.proto", tmp_path / "o.pb", tmp_path / "o.parquet"
    proto.write_text(
        'syntax = "proto2"; package t; import "structtensor/options.proto";\n'
        "message O { required int32 secret = 1 [(structtensor.field).skip = true]; required int32 kept = 2;"
        " repeated O more = 3; }"
    )
    messages.write_bytes(framing.frame_delimited([b"\x08\x01\x10\x02\x1a\x04\x08\x03\x10\x04"]))
    succeed("convert", messages, "-p", proto, "-m", "O", "-o", columns, "--recursion-depth", 2)
    for source in ([columns], [columns, "-p", proto, "-m", "O"]):
        counts = document("validate", *source)
        assert (counts["messages"], counts["equal"], counts["broken_records"]) == (1, 1, 0)
        stats = document("stats", *source)
        assert [(field["path"], field["values"]) for field in stats["fields"] if field["path"] in ("kept", "more.kept")] == [
            ("kept", 1), ("more.kept", 1),
        ]  # fmt: skip
    # In messages it is still required.
    messages.write_bytes(framing.frame_delimited([b"\x10\x02"]))
    for verb in ("stats", "validate"):
        assert document(verb, messages, "-p", proto, "-m", "O", exit_code=1)["broken_records"] == 1


def test_skipped_columns_that_are_selected_come_back(orders, tmp_path):
    columns, again, other = tmp_path / "rows.parquet", tmp_path / "again.parquet", tmp_path / "other.parquet"
    succeed("convert", orders.path, *orders.by_text, "--select", "secret", "--select", "id", "-o", columns)
    succeed("convert", columns, "-o", again)
    rows = pq.read_table(again).to_pydict()
    assert (rows["secret"], rows["order id"]) == (["s", "", ""], ["a", "", ""])
    # Where it is not selected, it stays away.
    succeed("convert", orders.path, *orders.by_text, "--drop", "id", "-o", other)
    succeed("convert", other, "-o", again, "--overwrite")
    assert "secret" not in pq.read_table(again).column_names


def test_a_text_flattens_a_field_whose_proto_file_names_it(tmp_path):
    proto, text = tmp_path / "t.proto", tmp_path / "notes.txt"
    proto.write_text(
        'syntax = "proto3"; package t; import "structtensor/options.proto";\n'
        'message In { int32 x = 1; } message O { In in = 1 [(structtensor.field).name = "inner"]; }'
    )
    text.write_text('annotation { path: "t.O.in" options { flatten: true prefix: "in_" } }')
    schema = ["-p", proto, "-m", "O", "--annotations", text]
    assert succeed("schema", *schema, "--to", "sql").stdout.decode() == 'CREATE TABLE "O" (\n  "in_x" INTEGER\n);\n'
    text.write_text('annotation { path: "t.O.in" options { flatten: true name: "both" } }')
    assert "a message that is flattened has no column, and no name" in run("schema", *schema).stderr


# Another option may have the number of our annotations. Whatever its type is, it must not be read as an annotation.
FOREIGN_OPTIONS = {
    "string": '"skip"', "int32": "1", "bytes": '"\\010\\001"', "Rule": "{limit: 1}", "bool": "true",
}  # fmt: skip


@pytest.mark.parametrize("type_", FOREIGN_OPTIONS)
def test_other_options_of_the_number_are_no_annotations(type_, tmp_path):
    (tmp_path / "rules.proto").write_text(
        'syntax = "proto3"; package rules; import "google/protobuf/descriptor.proto";\n'
        "message Rule { int32 limit = 1; }\n"
        f"extend google.protobuf.FieldOptions {{ {type_} rule = 62914; }}\n"
        f"extend google.protobuf.MessageOptions {{ {type_} rule_of_message = 62914; }}\n"
        f"extend google.protobuf.EnumOptions {{ {type_} rule_of_enum = 62914; }}\n"
    )
    value = FOREIGN_OPTIONS[type_]
    (tmp_path / "t.proto").write_text(
        'syntax = "proto3"; package t; import "rules.proto";\n'
        f"enum E {{ option (rules.rule_of_enum) = {value}; A = 0; }}\n"
        f"message M {{ option (rules.rule_of_message) = {value};\n"
        f"  int32 a = 1 [(rules.rule) = {value}]; repeated int32 b = 2 [packed = false, (rules.rule) = {value}]; E e = 3; }}\n"
    )
    expected = 'CREATE TABLE "M" (\n  "a" INTEGER NOT NULL,\n  "b" INTEGER[] NOT NULL,\n  "e" INTEGER NOT NULL\n);\n'
    set_ = commands.protoc_descriptor_set(tmp_path / "set.pb", tmp_path / "t.proto", tmp_path)
    for schema in (["-I", tmp_path, "-p", "t.proto"], ["--descriptor_set_in", set_]):
        assert succeed("schema", *schema, "-m", "t.M", "--to", "sql").stdout.decode() == expected
    # Files carry the options as they are.
    (tmp_path / "m.pb").write_bytes(framing.frame_delimited([b"\x08\x01"]))
    succeed("convert", tmp_path / "m.pb", "--descriptor_set_in", set_, "-m", "t.M", "-o", tmp_path / "m.parquet")
    metadata = pq.read_schema(tmp_path / "m.parquet").metadata[b"structtensor.descriptor_set"]
    carried = descriptor_pb2.FileDescriptorSet.FromString(base64.b64decode(metadata))
    original = descriptor_pb2.FileDescriptorSet.FromString(set_.read_bytes())
    for files in (carried, original):
        assert [file.message_type[0] for file in files.file if file.name == "t.proto"][0].field[1].options.ByteSize() > 2
    options = [[f.message_type[0].field[0].options for f in files.file if f.name == "t.proto"] for files in (carried, original)]
    assert options[0] == options[1]
    # Both cannot be in one schema.
    (tmp_path / "notes.txt").write_text('annotation { path: "t.M.a" options { skip: true } }')
    outcome = run("schema", "--descriptor_set_in", set_, "-m", "t.M", "--annotations", tmp_path / "notes.txt")
    assert outcome.exit_code == 1
    assert "rules.proto: the option rules.rule uses the field number 62914 of annotations" in outcome.stderr


def test_annotations_may_be_declared_by_a_copy_of_the_file(tmp_path):
    text = (conftest.REPOSITORY / "proto_schemas" / "structtensor" / "options.proto").read_text()
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor" / "columns.proto").write_text(text)
    (tmp_path / "t.proto").write_text(
        'syntax = "proto3"; package t; import "vendor/columns.proto";\n'
        'message M { int32 a = 1 [(structtensor.field).name = "x"]; int32 b = 2; }'
    )
    (tmp_path / "notes.txt").write_text('annotation { path: "t.M.b" options { name: "y" } }')
    set_ = commands.protoc_descriptor_set(tmp_path / "set.pb", tmp_path / "t.proto", tmp_path)
    for schema in (["-I", tmp_path, "-p", "t.proto"], ["--descriptor_set_in", set_]):
        columns = document("schema", *schema, "-m", "t.M", "--annotations", tmp_path / "notes.txt")["columns"]
        assert [column["name"] for column in columns] == ["x", "y"]


def test_fields_are_chosen_by_their_own_names(orders):
    rows = document("head", orders.path, *orders.by_text, "--select", "id", "--select", "address.city", "-n", 1)["rows"]
    assert rows == [{"order id": "a", "address_city": "Rome"}]
    rows = document("head", orders.path, *orders.by_text, "--select", "secret", "-n", 1)["rows"]
    assert rows == [{"secret": "s"}]
    rows = document("head", orders.path, *orders.by_text, "--where", "secret = 's'", "--select", "/^id$/")["rows"]
    assert rows == [{"order id": "a"}]


def test_text_that_is_none_is_a_broken_record(orders):
    orders.path.write_bytes(framing.frame_delimited([b"\x2a\x01\xff", orders.messages[0].SerializeToString()]))
    chosen = ["--from", "delimited", "--select", "text"]
    outcome = run("head", orders.path, *orders.by_text, *chosen)
    assert outcome.exit_code == 1
    assert "record 0" in outcome.stderr
    assert "not valid UTF-8" in outcome.stderr
    assert document("head", orders.path, *orders.by_text, *chosen, "--on-error", "skip")["rows"] == [{"text": "tea"}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('annotation { path: "shop.Order.ident" options { skip: true } }', "notes.txt:1:1: the schema has no field"),
        ('\nannotation { path: "shop.Order.id"\n options { skp: true } }', "notes.txt:3:"),
        (
            'annotation { path: "shop.Order.id" options { enum_as: NAME } }',
            "notes.txt:1:1: shop.Order.id: enum_as is for fields",
        ),
        ('annotation { path: "shop.Order.id" options { name: "text" } }', "another column is called text"),
        ('annotation { path: "shop.Order" options { skip: true } }', "notes.txt:1:1: shop.Order: no field is of this type"),
        # Of several annotations of a field, the one that is wrong.
        (
            'annotation { path: "shop.Order.id" options { bytes_as: UTF8 } }\n'
            'annotation { path: "shop.Order.id" options { name: "x" } }',
            "notes.txt:1:1: shop.Order.id: bytes_as is for fields",
        ),
        (
            'annotation { path: "shop.Order.id" options { name: "text" } }\n'
            'annotation { path: "shop.Order.id" options { optional_as: RAGGED } }',
            "notes.txt:2:1: shop.Order.id: optional_as is for fields",
        ),
        (None, "notes.txt: cannot read"),
    ],
)
def test_annotations_that_cannot_be_used_say_where(orders, text, words, tmp_path):
    if text is not None:
        (tmp_path / "notes.txt").write_text(text)
    outcome = run("schema", *orders.plain, "--annotations", "notes.txt", cwd=tmp_path)
    assert outcome.exit_code == 1
    assert words in outcome.stderr
    assert len(outcome.stderr.splitlines()) == 1


def test_times_outside_an_annotated_unit_say_what_to_change(orders, tmp_path):
    orders.annotations.write_text('annotation { path: "shop.Order.placed" options { timestamps: NANOSECONDS } }')
    message = orders.message_class()
    message.placed.seconds = 253402300799
    orders.path.write_bytes(framing.frame_delimited([message.SerializeToString()]))
    outcome = succeed("convert", orders.path, *orders.by_text, "--timestamps", "us", "-o", tmp_path / "rows.parquet")
    assert (
        "placed: 1 time outside what 64 bits of ns can hold (annotate the field with timestamps: MICROSECONDS" in outcome.stderr
    )


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
def test_count_and_schema_take_column_files(orders, recipes, ending, tmp_path):
    columns, messages = tmp_path / f"orders.{ending}", tmp_path / "recipes.pb"
    succeed("convert", orders.path, *orders.by_text, "-o", columns)
    counts = document("count", columns)
    assert counts["messages"] == 3
    assert counts["files"] == [{"file": str(columns), "messages": 3, "damaged": 0, "message_bytes": None}]
    assert succeed("count", columns).stdout.decode() == f"3 rows  {columns}\n"
    recipes.write(messages)
    assert document("count", columns, messages)["messages"] == 6
    # With its annotations.
    assert succeed("schema", columns, "--to", "sql").stdout.decode() == COLUMNS_OF_ORDERS
    assert succeed("schema", columns, "--list").stdout.decode().splitlines() == ["shop.Address", "shop.Order"]
    assert run("schema", columns, *orders.plain).exit_code == 2
    for arguments in ([], ["--list"]):
        assert "no schema" in run("schema", messages, *arguments).stderr
    columns.write_bytes(columns.read_bytes()[:100])
    outcome = run("count", columns)
    assert outcome.exit_code == 1
    assert f"{columns}: " in outcome.stderr
