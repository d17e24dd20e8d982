"""Enums as dictionaries, by annotation or by --enums: what readers of each format get, and that messages come back."""

import csv
import json
import random

import commands
import compare
import framing
import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

# Numbers out of order, with an alias and a gap: names are in the order of numbers, each number once.
PROTO = """
syntax = "proto3";
package t;
%(import)s
enum State {
  %(annotation)s
  option allow_alias = true;
  OPEN = 0;
  DONE = 5;
  PAID = 1;
  PAID_TOO = 1;
  LOST = -3;
}
message Item { optional State state = 1; }
message Order {
  State state = 1;
  optional State maybe = 2;
  repeated State states = 3;
  map<string, State> by_name = 4;
  Item item = 5;
  repeated Item items = 6;
  State number = 7%(number)s;
  string text = 8;
  oneof choice {
    State left = 9;
    string right = 10;
  }
}
"""
NAMES = ["LOST", "OPEN", "PAID", "DONE"]
DICTIONARY = pa.dictionary(pa.int32(), pa.string())


class Orders:
    def __init__(self, folder, by_option):
        self.folder = folder
        self.by_option = by_option
        self.options = ["--enums=dictionary"] if by_option else []
        self.proto = folder / "order.proto"
        self.proto.write_text(
            PROTO
            % {
                "import": 'import "structtensor/options.proto";',
                "annotation": "" if by_option else "option (structtensor.enumeration).enum_as = DICTIONARY;",
                "number": " [(structtensor.field).enum_as = NUMBER]",
            }
        )
        plain = folder / "plain.proto"
        plain.write_text(PROTO % {"import": "", "annotation": "", "number": ""})
        schema = commands.protoc_descriptor_set(folder / "plain.desc", plain, folder)
        self.message_class = compare.load_message_class(schema, "t.Order")
        self.enum = self.message_class.DESCRIPTOR.fields_by_name["state"].enum_type

    def name(self, number):
        value = self.enum.values_by_number.get(number)
        return str(number) if value is None else "PAID" if number == 1 else value.name

    def random_payloads(self, count, seed, numbers):
        generator = random.Random(seed)
        payloads = []
        for _ in range(count):
            order = self.message_class()
            order.state = generator.choice(numbers)
            if generator.random() < 0.5:
                order.maybe = generator.choice(numbers)
            order.states.extend(generator.choices(numbers, k=generator.randrange(4)))
            for key in generator.sample("abc", generator.randrange(3)):
                order.by_name[key] = generator.choice(numbers)
            if generator.random() < 0.5:
                order.item.state = generator.choice(numbers)
            for _ in range(generator.randrange(3)):
                item = order.items.add()
                if generator.random() < 0.5:
                    item.state = generator.choice(numbers)
            order.number = generator.choice(numbers)
            if generator.random() < 0.3:
                order.left = generator.choice(numbers)
            elif generator.random() < 0.5:
                order.right = "x"
            payloads.append(order.SerializeToString(deterministic=True))
        return payloads

    def write(self, payloads):
        path = self.folder / "orders.pb"
        path.write_bytes(framing.frame_delimited(payloads))
        return path

    def convert(self, payloads, output, *arguments):
        commands.convert(
            *("structtensor", "convert", self.write(payloads), "-p", self.proto, "-m", "t.Order", "-o", output),
            *(*self.options, *arguments),
        )
        return output

    def expected(self, payload):
        order = self.message_class.FromString(payload)
        return {
            "state": self.name(order.state),
            "maybe": self.name(order.maybe) if order.HasField("maybe") else None,
            "states": [self.name(state) for state in order.states],
            "by_name": {key: self.name(state) for key, state in order.by_name.items()},
            "item": {"state": self.item(order.item)} if order.HasField("item") else None,
            "items": [{"state": self.item(item)} for item in order.items],
            "number": order.number,
            "text": order.text,
            "left": self.name(order.left) if order.HasField("left") else None,
            "right": order.right if order.HasField("right") else None,
            "choice_case": self.case(order),
        }

    def case(self, order):
        # The annotation is of the enum, which the case is not.
        name = order.WhichOneof("choice")
        return name or "" if self.by_option else {None: 0, "left": 9, "right": 10}[name]

    def item(self, item):
        return self.name(item.state) if item.HasField("state") else None


@pytest.fixture(params=[False, True], ids=["annotation", "option"])
def orders(tmp_path, request):
    return Orders(tmp_path, request.param)


def read_table(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)
    opener = pa.ipc.open_file if path.suffix == ".arrow" else pa.ipc.open_stream
    with pa.OSFile(str(path)) as source:
        return opener(source).read_all()


def rows_of(table):
    return [{**row, "by_name": dict(row["by_name"])} for row in table.to_pylist()]


KNOWN = [0, 1, 5, -3]
MANY = [*KNOWN, *range(100, 160), -(2**31), 2**31 - 1]


@pytest.mark.parametrize("ending", ["arrow", "arrows", "parquet"])
@pytest.mark.parametrize("numbers", [KNOWN, MANY], ids=["named", "unnamed"])
def test_pyarrow_reads_dictionaries_and_messages_come_back(orders, ending, numbers):
    payloads = orders.random_payloads(700, 1, numbers)
    # Names that show up in a later batch make the dictionary of an Arrow file longer.
    file = orders.convert(payloads, orders.folder / f"o.{ending}", "--batch-size", "50")
    table = read_table(file)
    types = table.schema
    assert types.field("state").type == DICTIONARY
    assert types.field("maybe").type == DICTIONARY
    assert types.field("states").type.value_type == DICTIONARY
    assert types.field("by_name").type.item_type == DICTIONARY
    assert types.field("item").type.field("state").type == DICTIONARY
    assert types.field("items").type.value_type.field("state").type == DICTIONARY
    assert types.field("number").type == pa.int32()
    assert types.field("text").type == pa.string()
    assert types.field("choice_case").type == (DICTIONARY if orders.by_option else pa.int32())
    assert rows_of(table) == [orders.expected(payload) for payload in payloads]
    if ending != "parquet":  # whose dictionaries are made while it is read
        first = table.column("state").chunk(0).dictionary.to_pylist()
        assert first[: len(NAMES)] == NAMES
        if numbers is KNOWN:
            assert all(chunk.dictionary.to_pylist() == NAMES for chunk in table.column("state").chunks)

    again = orders.folder / "again.pb"
    commands.convert("structtensor", "convert", file, "-o", again)
    messages = [orders.message_class.FromString(payload) for payload in framing.read_delimited(again)]
    assert len(messages) == len(payloads)
    assert messages == [orders.message_class.FromString(payload) for payload in payloads]


def test_pandas_has_categories(orders):
    payloads = orders.random_payloads(100, 2, KNOWN)
    expected = [orders.expected(payload) for payload in payloads]
    for ending in ("arrow", "parquet"):
        frame = read_table(orders.convert(payloads, orders.folder / f"o.{ending}")).to_pandas()
        assert frame["state"].dtype == "category"
        assert list(frame["state"]) == [row["state"] for row in expected]
        assert [None if value != value else value for value in frame["maybe"]] == [row["maybe"] for row in expected]


def test_parquet_files_have_strings(orders):
    payloads = orders.random_payloads(10, 3, MANY)
    file = orders.convert(payloads, orders.folder / "o.parquet")
    column = pq.ParquetFile(file).schema.column(0)
    assert (column.path, column.physical_type, str(column.logical_type)) == ("state", "BYTE_ARRAY", "String")


def test_strings_and_arrays_have_names(orders):
    payloads = orders.random_payloads(50, 4, MANY)
    expected = [orders.expected(payload) for payload in payloads]
    lines = orders.convert(payloads, orders.folder / "o.jsonl", "--to", "rows").read_text().splitlines()
    assert [json.loads(line) for line in lines] == expected

    flat = orders.convert(payloads, orders.folder / "o.csv", "--select", "state", "--select", "number")
    with flat.open(newline="") as file:
        assert list(csv.reader(file)) == [["state", "number"], *([row["state"], str(row["number"])] for row in expected)]

    with np.load(orders.convert(payloads, orders.folder / "o.npz")) as arrays:
        offsets, text = arrays["state/offsets"], arrays["state/bytes"].tobytes()
    names = [text[offsets[i] : offsets[i + 1]].decode() for i in range(len(payloads))]
    assert names == [row["state"] for row in expected]


def test_files_of_no_rows_have_the_type(orders):
    for ending in ("arrow", "arrows", "parquet"):
        table = read_table(orders.convert([], orders.folder / f"o.{ending}"))
        assert table.num_rows == 0
        assert table.schema.field("state").type == DICTIONARY


def test_keys_that_are_chosen_have_dictionaries(orders):
    payloads = orders.random_payloads(60, 5, KNOWN)
    file = orders.convert(payloads, orders.folder / "o.arrow", "--select", 'by_name["a"]')
    column = read_table(file).column("by_name")
    assert column.type.field("a").type == DICTIONARY
    expected = [orders.expected(payload)["by_name"].get("a") for payload in payloads]
    assert [None if row is None else row["a"] for row in column.to_pylist()] == expected


def test_partitions_and_schemas(orders):
    payloads = orders.random_payloads(60, 6, KNOWN)
    folder = orders.folder / "parts"
    orders.convert(payloads, folder, "--partition-by", "number", "--to", "arrow")
    tables = [read_table(path) for path in sorted(folder.rglob("*.arrow"))]
    assert all(table.schema.field("state").type == DICTIONARY for table in tables)
    found = sorted(json.dumps(row, sort_keys=True) for table in tables for row in rows_of(table))
    expected = [{name: cell for name, cell in orders.expected(payload).items() if name != "number"} for payload in payloads]
    assert found == sorted(json.dumps(row, sort_keys=True) for row in expected)

    def schema(to):
        command = ("schema", "-p", orders.proto, "-m", "t.Order", "--to", to, "--select", "state", *orders.options)
        return commands.convert("structtensor", *command).stdout.decode()

    assert schema("arrow") == "state: dictionary<values=string, indices=int32> not null\n"
    assert '"state" VARCHAR NOT NULL' in schema("sql")
    assert "string" in schema("spec")
