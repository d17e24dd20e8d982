"""structtensor.firebase against two servers: one that keeps the documented rules, and the npm package firebase-server."""

import json
import math
import os
import random
import socket
import urllib.error
import urllib.request

import firebase_server
import menus
import pyarrow as pa
import pytest
from google.protobuf import json_format, message_factory, struct_pb2, wrappers_pb2

import structtensor as st
import structtensor.firebase

ROUNDS = 40
# tools/databases starts it, and says where it is.
FIREBASE_SERVER = os.environ.get("STRUCTTENSOR_FIREBASE_SERVER")
NO_FIREBASE_SERVER = "the npm package firebase-server is not running (tools/databases starts it)"


@pytest.fixture
def database():
    return firebase_server.Database()


@pytest.fixture
def root(database):
    with firebase_server.running(database) as url:
        yield url


@pytest.fixture(params=["rules", "firebase-server"])
def any_root(request, database):
    """The root of either server; what a test writes is at a path of its own."""
    if request.param == "rules":
        with firebase_server.running(database) as url:
            yield f"{url}/{request.node.name.partition('[')[0]}"
        return
    if not FIREBASE_SERVER:
        pytest.skip(NO_FIREBASE_SERVER)
    place = f"{FIREBASE_SERVER}/t{os.getpid()}/{abs(hash(request.node.name))}"
    send("DELETE", place)
    yield place
    send("DELETE", place)


def send(method, url, value=None, **query):
    query = "&".join(f"{name}={value}" for name, value in query.items())
    body = None if method in ("GET", "DELETE") else json.dumps(value).encode()
    request = urllib.request.Request(f"{url}.json?{query}", data=body, method=method)
    with urllib.request.urlopen(request, timeout=10) as response:
        text = response.read()
    return json.loads(text) if text else None


@pytest.fixture(scope="session")
def schema():
    return st.Schema.from_proto(menus.PROTOS)


def rows_of(schema, messages, name="menu.Menu", keys=None):
    batch = schema.decoder(name, timestamps="ns").decode([message.SerializeToString() for message in messages])
    keys = [f"key {i}" for i in range(len(messages))] if keys is None else keys
    fields = {name: batch[name] for name in batch.field_names()}
    return st.StructuredTensor.from_fields({"_key_": st.constant(keys), **fields})


def same_messages(messages, rows, schema, name="menu.Menu"):
    without_keys = rows.with_updates({"_key_": None})
    serialized = without_keys.to_protobuf(schema, name)
    assert len(serialized) == len(messages)
    return all(menus.equal(message, one) for message, one in zip(messages, serialized))


def fits_json(message):
    """Whether protobuf's own JSON keeps the message: numbers of enums that have no name, say, do."""
    return menus.equal(message, json_format.Parse(json_format.MessageToJson(message), type(message)()).SerializeToString())


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_messages_come_back(any_root, schema, seed):
    messages = menus.random_menus(seed, 12)
    assert all(map(fits_json, messages))
    rows = rows_of(schema, messages)
    assert structtensor.firebase.write(any_root, rows, schema, "Menu") == 12
    again = structtensor.firebase.read(any_root, schema, "Menu", timestamps="ns")
    order = sorted(range(12), key=lambda i: f"key {i}")
    assert again["_key_"].to_py() == [f"key {i}" for i in order]
    assert same_messages([messages[i] for i in order], again, schema)


KEYS = ["", "a", "0", "1", "2", "-1", "10", "01", "a.b", "$x", "#", "[", "]", "/", "%", "%2E", "ü", "\x01", "%{}"]


def random_json(dice, depth):
    kind = dice.choice(["object", "list", "scalar", "scalar"]) if depth else "scalar"
    if kind == "object":
        return {key: random_json(dice, depth - 1) for key in dice.sample(KEYS, dice.randrange(5))}
    if kind == "list":
        return [random_json(dice, depth - 1) for _ in range(dice.randrange(4))]
    return dice.choice([None, True, False, 0.0, -0.0, 1.5, -3.0, 1e300, "", "%", "%%", "%null", "%{}", "%[]", "text", "0"])


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_any_json_in_messages_comes_back(any_root, schema, seed):
    """Struct, Value and ListValue: nulls, empty containers and any keys."""
    dice, messages = random.Random(seed), []
    for _ in range(15):
        message = menus.message_class("Loose")()
        if dice.random() < 0.7:
            json_format.ParseDict(random_json_object(dice), message.object)
        for value in [message.value, message.values.add(), message.values.add(), message.by_name["a/b"], message.by_name["7"]]:
            json_format.Parse(json.dumps(random_json(dice, 4)), value)
        if dice.random() < 0.7:
            json_format.ParseDict([random_json(dice, 3) for _ in range(dice.randrange(3))], message.list)
        if dice.random() < 0.5:
            message.perhaps_null = 0
        message.nulls.extend([0] * dice.randrange(3))
        messages.append(message)
    keys = [f"k{i:02}" for i in range(15)]
    structtensor.firebase.write(any_root, rows_of(schema, messages, "menu.Loose", keys), schema, "Loose")
    again = structtensor.firebase.read(any_root, schema, "Loose")
    assert again["_key_"].to_py() == keys
    assert same_messages(messages, again, schema, "menu.Loose")


def random_json_object(dice):
    found = None
    while not isinstance(found, dict):
        found = random_json(dice, 4)
    return found


def contents_of_any(dice):
    """A message to pack, of types whose JSON is in a field of its own too."""
    name = dice.choice(["Menu", "Dish", "Nothing", "Loose"])
    others = [struct_pb2.Struct, struct_pb2.Value, struct_pb2.ListValue, wrappers_pb2.StringValue, wrappers_pb2.DoubleValue]
    other = dice.choice(others)
    if dice.random() < 0.5:
        return menus.random_menus(dice.randrange(1000), 1, name)[0] if name != "Loose" else menus.message_class(name)()
    message = other()
    if other is struct_pb2.Struct:
        json_format.ParseDict(random_json_object(dice), message)
    elif other is struct_pb2.ListValue:
        json_format.ParseDict([random_json(dice, 2) for _ in range(dice.randrange(3))], message)
    elif other is struct_pb2.Value:
        json_format.Parse(json.dumps(random_json(dice, 2)), message)
    else:
        message.value = dice.choice(["", "%{}", "x"]) if other is wrappers_pb2.StringValue else dice.choice([0.5, -0.0])
    return message


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_any_extensions_and_groups_come_back(any_root, schema, seed):
    dice, messages = random.Random(seed), []
    old, inner = menus.message_class("Old"), menus.message_class("Inner")
    extensions = [inner.DESCRIPTOR.extensions_by_name[name] for name in ("inner", "inners")]
    extensions.append(menus.pool().FindExtensionByName("menu.weight"))
    for _ in range(8):
        message = old(name=dice.choice(["", "x"]))
        if dice.random() < 0.5:
            message.Extensions[extensions[0]].SetInParent()
        for _ in range(dice.randrange(3)):
            added = message.Extensions[extensions[1]].add()
            if dice.random() < 0.5:
                added.x = 5
        if dice.random() < 0.5:
            message.Extensions[extensions[2]] = dice.choice([-0.0, 2.5, math.inf])
        if dice.random() < 0.5:
            message.price.SetInParent()
        for _ in range(dice.randrange(3)):
            message.price.tax.add()
        if dice.random() < 0.5:
            message.some_number = 7
        for any_message in [message.anys.add() for _ in range(dice.randrange(3))] + [message.any]:
            pack(any_message, contents_of_any(dice))
        messages.append(message)
    keys = [f"k{i}" for i in range(8)]
    structtensor.firebase.write(any_root, rows_of(schema, messages, "menu.Old", keys), schema, "Old")
    again = structtensor.firebase.read(any_root, schema, "Old")
    assert again["_key_"].to_py() == keys
    found = [old.FromString(message) for message in again.with_updates({"_key_": None}).to_protobuf(schema, "menu.Old")]
    assert [normal(message) for message in found] == [normal(message) for message in messages]


def normal(message):
    """Serialized, with one form of what is packed: the order of maps, and of defaults, is free."""
    normal = type(message).FromString(message.SerializeToString())
    for any_message in [*normal.anys, normal.any]:
        name = any_message.type_url.rpartition("/")[2]
        content = message_factory.GetMessageClass(menus.pool().FindMessageTypeByName(name)).FromString(any_message.value)
        any_message.value = content.SerializeToString(deterministic=True)
    return normal.SerializeToString(deterministic=True)


def pack(any_message, message):
    any_message.type_url = f"type.googleapis.com/{message.DESCRIPTOR.full_name}"
    any_message.value = message.SerializeToString(deterministic=True)


def test_empty_messages_and_any_keys_come_back(any_root, schema):
    keys = ["", "a.b", "#$[]/", "100%", "%2E", "ü", "\x7f", "7", "007", "-3", "x" * 700]
    messages = [menus.message_class("Menu")() for _ in keys]
    messages[1].nothing.SetInParent()
    messages[2].nothings.add()
    messages[3].by_choice[True].SetInParent()
    messages[4].by_number[0] = messages[4].by_number[1] = ""
    messages[5].by_number[-7] = messages[5].by_number[2**31 - 1] = "x"
    messages[6].subtitle.value = "%{}"
    messages[7].by_serial[2**64 - 1] = -0.0
    messages[8].price = -0.0
    messages[9].dish.sides.add().sides.add()
    structtensor.firebase.write(any_root, rows_of(schema, messages, keys=keys), schema, "Menu")
    again = structtensor.firebase.read(any_root, schema, "Menu")
    found = dict(zip(again["_key_"].to_py(), again.with_updates({"_key_": None}).to_protobuf(schema, "Menu")))
    assert sorted(found) == sorted(keys)
    for key, message in zip(keys, messages):
        assert menus.equal(message, found[key]), key


def test_what_others_have_written(root, schema):
    """Lists as objects, maps as lists, names of the .proto file, nothing where nothing is."""
    tree = {
        "a": {"tags": {"0": "x", "5": "y"}, "by_number": ["zero", None, "two"], "title": "t", "photos": ["eA==", None, "eQ=="]},
        "b": {"dish": {"name": "n", "minutes": 5}, "visitors": 7},
    }
    del tree["a"]["tags"]
    tree["a"]["days"] = {"0": True, "5": False}
    send("PUT", f"{root}/foreign", tree)
    rows = structtensor.firebase.read(f"{root}/foreign", schema, "Menu")
    a, b = rows.to_py()
    assert a["by_number"] == [{"key": 0, "value": "zero"}, {"key": 2, "value": "two"}]
    assert (a["title"], a["photos"], a["days"]) == ("t", [b"x", b"y"], [True, False])
    assert (b["dish"]["name"], b["dish"]["minutes"], b["visitors"]) == ("n", 5, 7)
    send("PUT", f"{root}/list", [{"name": "zero"}, None, {"name": "two"}])
    rows = structtensor.firebase.read(f"{root}/list", schema, "Dish")
    assert (rows["_key_"].to_py(), rows["name"].to_py()) == (["0", "2"], ["zero", "two"])


# Without a schema.


INNER = pa.struct({"x": pa.int64(), "y": pa.string()})
PLAIN = pa.schema(
    {
        "_key_": pa.string(),
        "flag": pa.bool_(),
        "count": pa.int64(),
        "share": pa.float64(),
        "text": pa.string(),
        "list": pa.list_(pa.int64()),
        "inner": INNER,
        "inners": pa.list_(INNER),
    }
)


def random_plain_rows(dice, count):
    def text():
        return dice.choice(["", "a", "ü", "%", "0"])

    return [
        {
            "_key_": f"k{i:03}",
            "flag": dice.choice([None, True, False]),
            "count": dice.choice([None, 0, -1, 2**53, -(2**53)]),
            "share": dice.choice([None, 0.5, 1e300]),
            "text": dice.choice([None, text()]),
            "list": [dice.randrange(9) for _ in range(dice.randrange(3))],
            "inner": dice.choice([None, {"x": 1, "y": text()}, {"x": None, "y": None}]),
            "inners": [{"x": dice.choice([None, 1]), "y": text()} for _ in range(dice.randrange(3))],
        }
        for i in range(count)
    ]


def dropped(value):
    """What is documented to be lost: nulls, empty lists, structs without anything, and what holds only those."""
    if isinstance(value, dict):
        value = {key: dropped(part) for key, part in value.items()}
        return {key: part for key, part in value.items() if part is not None} or None
    if isinstance(value, list):
        return [dropped(part) for part in value] or None
    return value


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_rows_without_a_schema_come_back_but_for_what_is_documented(any_root, seed):
    plain = random_plain_rows(random.Random(seed), 10)
    rows = st.from_arrow(pa.Table.from_pylist(plain, PLAIN))
    plain = rows.to_py()
    assert structtensor.firebase.write(any_root, rows) == 10
    spec = rows.with_updates({"_key_": None}).spec
    again = structtensor.firebase.read(any_root, spec=spec)
    # A row with nothing in it is not there.
    left = [row for row in plain if dropped({**row, "_key_": None}) is not None]
    assert again["_key_"].to_py() == [row["_key_"] for row in left]
    assert [dropped(row) for row in again.to_py()] == [dropped(row) for row in left]
    # And all of it the second time.
    structtensor.firebase.write(any_root, again, mode="replace")
    assert structtensor.firebase.read(any_root, spec=spec).equals(again)


def test_what_is_lost_without_a_schema(any_root):
    rows = st.from_arrow(
        pa.table(
            {
                "_key_": ["a", "b"],
                "empty": [[], [1]],
                "absent": [None, 5],
                "inner": [{"x": None}, {"x": 1}],
                "nested": [[[], [1]], [[2]]],
                "nan": [math.nan, 0.5],
                "data": [b"\xff", b""],
            }
        )
    )
    structtensor.firebase.write(any_root, rows)
    tree = send("GET", any_root)
    assert tree["a"] == {"nested": [None, [1]], "nan": "NaN", "data": "/w=="}
    assert tree["b"] == {"empty": [1], "absent": 5, "inner": {"x": 1}, "nested": [[2]], "nan": 0.5, "data": ""}
    # With the spec, these strings become numbers and bytes again.
    spec = rows.with_updates({"_key_": None}).spec
    a = structtensor.firebase.read(any_root, spec=spec).to_py()[0]
    assert math.isnan(a["nan"]) and a["data"] == b"\xff" and a["empty"] == [] and a["absent"] is None
    assert a["nested"] == [[], [1]] and a["inner"] in (None, {"x": None})


def test_numbers_without_a_schema(any_root):
    fields = {"_key_": ["a", "b"], "whole": [2.0, -1.0], "zero": [-0.0, 0.0], "big": [1 << 53, 0]}
    rows = st.StructuredTensor.from_fields(fields)
    structtensor.firebase.write(any_root, rows)
    again = structtensor.firebase.read(any_root)
    assert [again[name].dtype for name in ("whole", "zero", "big")] == ["int64"] * 3
    again = structtensor.firebase.read(any_root, spec=rows.with_updates({"_key_": None}).spec)
    assert (again["whole"].to_py(), again["big"].to_py()) == ([2.0, -1.0], [1 << 53, 0])
    assert str(again["zero"].to_py()) == "[0.0, 0.0]"


def test_structs_whose_names_are_numbers(any_root):
    structtensor.firebase.write(any_root, st.from_json('{"_key_": "a", "s": {"0": 5, "1": 7}}'))
    assert structtensor.firebase.read(any_root)["s"].to_py() == [[5, 7]]


def test_children_that_are_no_objects(any_root):
    send("PUT", any_root, {"ann": 5, "bob": 4, "2": 1, "10": 0})
    rows = structtensor.firebase.read(any_root)
    assert rows.to_py() == [
        {"_key_": "2", "_value_": 1},
        {"_key_": "10", "_value_": 0},
        {"_key_": "ann", "_value_": 5},
        {"_key_": "bob", "_value_": 4},
    ]
    assert structtensor.firebase.write(any_root, rows, mode="replace") == 4
    assert structtensor.firebase.read(any_root).equals(rows)
    assert structtensor.firebase.read(any_root, keys=None).field_names() == ("_value_",)
    assert structtensor.firebase.read(any_root, keys="who")["who"].to_py() == ["2", "10", "ann", "bob"]


def test_integers_that_would_lose_digits(root):
    for number in (2**53 + 1, -(2**53) - 1):
        with pytest.raises(ValueError, match=r"row 1, b.n\[0\]: -?9007199254740993 would lose digits; write it as text"):
            structtensor.firebase.write(f"{root}/x", st.constant([{"_key_": "a", "n": [1]}, {"_key_": "b", "n": [number]}]))


def test_paths_without_anything(any_root, schema):
    assert len(structtensor.firebase.read(any_root)) == 0
    rows = structtensor.firebase.read(any_root, schema, "Menu")
    assert len(rows) == 0 and rows.field_names()[:2] == ("_key_", "open")
    send("PUT", any_root, 5)
    with pytest.raises(ValueError, match="expected children, which are the rows; found the value '5'"):
        structtensor.firebase.read(any_root)


# Pages, requests and errors: what firebase-server does not know.


@pytest.mark.parametrize("size", [1, 2, 7, 40, 1000])
def test_pages(root, database, schema, size):
    keys = [str(i) for i in range(12)] + [f"k{i}" for i in range(12)] + ["-5", "007", "ü", "\U0001f373", "\uffee", "a b"]
    messages = [menus.message_class("Dish")(name=key) for key in keys]
    structtensor.firebase.write(f"{root}/dishes", rows_of(schema, messages, "menu.Dish", keys), schema, "Dish")
    database.requests.clear()
    pieces = list(structtensor.firebase.batches(f"{root}/dishes", schema, "Dish", batch_size=size))
    assert all(len(piece) <= size for piece in pieces)
    found = [name for piece in pieces for name in piece["name"].to_py()]
    assert sorted(found) == sorted(keys) and found[:3] == ["-5", "0", "1"]
    assert all(query["limitToFirst"] in (str(size), str(size + 1)) for _, _, query in database.requests)
    plain = list(structtensor.firebase.batches(f"{root}/dishes", batch_size=size))
    assert sorted(name for piece in plain for name in piece["name"].to_py()) == sorted(keys)
    assert list(structtensor.firebase.batches(f"{root}/nowhere", batch_size=size)) == []


def test_requests_are_as_small_as_asked(root, database):
    rows = st.constant([{"_key_": f"k{i}", "text": "x" * 50} for i in range(40)])
    assert structtensor.firebase.write(f"{root}/a", (rows[i : i + 10] for i in range(0, 40, 10)), max_bytes=500) == 40
    assert len(database.requests) > 5 and {method for method, _, _ in database.requests} == {"PATCH"}
    assert len(structtensor.firebase.read(f"{root}/a")) == 40
    with pytest.raises(ValueError, match="row 0, k0: it has [0-9]+ bytes; max_bytes is 60"):
        structtensor.firebase.write(f"{root}/a", rows, max_bytes=60)


def test_modes(root):
    first = st.constant([{"_key_": "a", "x": 1}, {"_key_": "b", "x": 2}])
    structtensor.firebase.write(f"{root}/m", first)
    structtensor.firebase.write(f"{root}/m", st.constant([{"_key_": "b", "y": 3}]))
    assert send("GET", f"{root}/m") == {"a": {"x": 1}, "b": {"y": 3}}
    structtensor.firebase.write(f"{root}/m", st.constant([{"_key_": "c", "x": 1}]), mode="replace")
    assert send("GET", f"{root}/m") == {"c": {"x": 1}}
    assert structtensor.firebase.write(f"{root}/m", first[:0], mode="replace") == 0
    assert send("GET", f"{root}/m") is None
    assert structtensor.firebase.write(f"{root}/m", first, keys=None) == 2
    assert send("GET", f"{root}/m") == [{"_key_": "a", "x": 1}, {"_key_": "b", "x": 2}]


def test_tokens(root, database):
    database.token = "s3cret"
    with pytest.raises(PermissionError, match=r"GET http://[\d.:]+/m: 401 Permission denied; pass auth= or access_token="):
        structtensor.firebase.read(f"{root}/m")
    with pytest.raises(PermissionError) as info:
        structtensor.firebase.read(f"{root}/m?ns=kitchen", auth="wr0ng", access_token="wr0ng")
    assert "wr0ng" not in str(info.value)
    rows = st.constant([{"_key_": "a", "x": 1}])
    assert structtensor.firebase.write(f"{root}/m?ns=kitchen", rows, auth="s3cret") == 1
    assert database.requests[-1] == ("PATCH", "/m.json", {"ns": "kitchen", "auth": "s3cret", "print": "silent"})
    assert structtensor.firebase.read(f"{root}/m", access_token="s3cret").equals(rows)


def test_requests_are_repeated(root, database, monkeypatch):
    monkeypatch.setattr(structtensor.firebase._http, "_FIRST_PAUSE_SECONDS", 0.01)
    rows = st.constant([{"_key_": "a", "x": 1}])
    database.failures = [503, 429, 500]
    structtensor.firebase.write(f"{root}/m", rows)
    database.failures = [503]
    assert structtensor.firebase.read(f"{root}/m").equals(rows)
    database.failures = [503, 503]
    with pytest.raises(OSError, match="GET http://.*/m: 503 the server is busy"):
        structtensor.firebase.read(f"{root}/m", retries=1)
    database.failures = []
    database.requests.clear()
    with pytest.raises(ValueError, match="400"):
        send_wrong(root)
    assert len(database.requests) == 1


def send_wrong(root):
    place = structtensor.firebase._http.Place(f"{root}/m", None, None, 5, 3)
    place.request("PUT", {"a.b": 1})


def test_what_the_network_refuses(root, database):
    database.pause_seconds = 0.5
    with pytest.raises(TimeoutError, match=r"GET http://.*/m: no answer within 0.1 s; timeout= sets the limit"):
        structtensor.firebase.read(f"{root}/m", timeout=0.1)
    database.pause_seconds = 0
    database.failures = [307]
    with pytest.raises(OSError, match=r"307 .*: the database is at https://elsewhere.example/recipes.json; pass that URL"):
        structtensor.firebase.read(f"{root}/m")
    structtensor.firebase.write(f"{root}/m", st.constant([{"_key_": "a", "x": 1}]))
    for body in (b"<html>", b"[" * 100_000):
        database.body = body
        with pytest.raises(OSError, match=r"GET http://.*/m: the answer is not JSON .*; is this a Realtime Database\?"):
            structtensor.firebase.read(f"{root}/m")
    database.body = None
    database.failures = [404]
    with pytest.raises(FileNotFoundError, match="404 the server is busy; there is no such database"):
        structtensor.firebase.read(f"{root}/m")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(ConnectionError, match=rf"GET http://127.0.0.1:{port}/m: .*refused"):
        structtensor.firebase.read(f"http://127.0.0.1:{port}/m")


WRONG_URLS = ["", "kitchen", "ftp://x/y", "https:///y", "http://x/a//b", "http://x/a.b", "http://x/a#b"]
WRONG_URLS += ["http://x/[a]", "http://x/$a", "http://x/a%01"]


@pytest.mark.parametrize("url", WRONG_URLS)
def test_wrong_urls(url):
    with pytest.raises(ValueError, match="url: ") as info:
        structtensor.firebase.read(f"{url}?auth=s3cret")
    assert "s3cret" not in str(info.value)
    with pytest.raises(ValueError, match="url: "):
        structtensor.firebase.write(url, st.constant([{"_key_": "a"}]))


def test_wrong_options(root, schema):
    rows = st.constant([{"_key_": "a", "x": 1}])
    for options, error, text in [
        (dict(batch_size=0), ValueError, "batch_size = 0; expected 1 to 1000000"),
        (dict(batch_size=1_000_001), ValueError, "batch_size = 1000001"),
        (dict(batch_size="5"), TypeError, "batch_size"),
        (dict(timeout=0), ValueError, "timeout = 0"),
        (dict(retries=-1), ValueError, "retries = -1; expected 0 to 10"),
        (dict(retries=11), ValueError, "retries = 11"),
        (dict(keys=""), TypeError, "keys"),
        (dict(message="Menu"), TypeError, "message: needs schema="),
        (dict(select="x"), TypeError, "select: needs schema="),
        (dict(schema=schema, message="Menu", spec=rows.spec), TypeError, "spec: cannot be combined with schema="),
        (dict(schema=schema, message="Menu", where="seats > 1"), TypeError, "where"),
    ]:
        with pytest.raises(error, match=text):
            structtensor.firebase.batches(f"{root}/m", **options)
    for options, error, text in [
        (dict(mode="append"), ValueError, "mode = 'append'; expected 'update' or 'replace'"),
        (dict(max_bytes=0), ValueError, "max_bytes = 0; expected 1 to 268435456"),
        (dict(max_bytes=(256 << 20) + 1), ValueError, "max_bytes"),
        (dict(keys="id"), KeyError, "the rows have no field id"),
        (dict(message="Menu"), TypeError, "message: needs schema="),
        (dict(schema=schema, message="Menu"), ValueError, "x"),
    ]:
        with pytest.raises(error, match=text):
            structtensor.firebase.write(f"{root}/m", rows, **options)
    for keys, text in [
        (["a", "a"], "row 1: the key 'a' is already the key of another row"),
        (["a", "b/c"], "row 1: 'b/c' is not a key of Firebase"),
        (["", "b"], "row 0: '' is not a key"),
        (["x" * 769, "b"], "row 0: the key 'xxxxxxxxxxxxxxxxxxxx'... has more than 768 bytes"),
        ([None, "b"], "row 0: expected a key, found None"),
    ]:
        with pytest.raises(ValueError, match=text):
            structtensor.firebase.write(f"{root}/m", st.from_arrow(pa.table({"_key_": keys, "x": [1, 1]})))
    with pytest.raises(ValueError, match=r"row 0, a.m: 'p.q' is not a key"):
        structtensor.firebase.write(f"{root}/m", st.from_json('{"_key_": "a", "m": {"p.q": 1}}'))
    with pytest.raises(TypeError, match="expected a StructuredTensor"):
        structtensor.firebase.write(f"{root}/m", [{"x": 1}])
    assert structtensor.firebase.write(f"{root}/m", st.constant([{"_key_": 7, "x": 1}])) == 1
    with pytest.raises(ValueError, match="have a field x already"):
        structtensor.firebase.read(f"{root}/m", keys="x")


def deep(schema, levels):
    message = menus.message_class("Loose")()
    value = message.value
    for _ in range(levels):
        value = value.list_value.values.add()
    value.number_value = 1
    return rows_of(schema, [message], "menu.Loose", ["a"])


def test_deep_trees(root, schema):
    # m, its child and the field are three of the 32 levels.
    assert structtensor.firebase.write(f"{root}/m", deep(schema, 29), schema, "Loose") == 1
    again = structtensor.firebase.read(f"{root}/m", schema, "Loose")
    assert again.with_updates({"_key_": None}).equals(deep(schema, 29).with_updates({"_key_": None}))
    with pytest.raises(ValueError, match=r"row 0, a.value\[0\].*: the database has 32 levels, and this is deeper"):
        structtensor.firebase.write(f"{root}/m", deep(schema, 31), schema, "Loose")


def test_rows_that_do_not_fit(root, schema):
    send("PUT", f"{root}/m", {"a": {"seats": 5}, "b": {"seats": "many"}, "c": 7})
    with pytest.raises(ValueError, match=r"http://.*/m, b: .*seats"):
        structtensor.firebase.read(f"{root}/m", schema, "Menu")
    rows = structtensor.firebase.read(f"{root}/m", schema, "Menu", on_error="skip")
    assert (rows["_key_"].to_py(), rows["seats"].to_py()) == (["a"], [5])
    rows = structtensor.firebase.read(f"{root}/m", schema, "Menu", on_error="null")
    assert rows["_key_"].to_py() == ["a", "b", "c"]
    send("PUT", f"{root}/m", {"a": {"x": 5}, "b": {"x": "many"}})
    with pytest.raises(ValueError, match=r"http://.*/m: line 2, column \d+: x: .*; each line is a child, the first of them a"):
        structtensor.firebase.read(f"{root}/m")


# The rules of the one server are those of the other.


def random_tree(dice, depth):
    kind = dice.choice(["object", "numbers", "list", "scalar"]) if depth else "scalar"
    if kind == "object":
        keys = dice.sample(["a", "b", "ü", "01", "-1", "x y", "3", "%"], dice.randrange(4))
        return {key: random_tree(dice, depth - 1) for key in keys}
    if kind == "numbers":
        return {str(dice.choice([0, 1, 2, 3, 5, 9, 40])): random_tree(dice, depth - 1) for _ in range(dice.randrange(5))}
    if kind == "list":
        return [random_tree(dice, depth - 1) for _ in range(dice.randrange(5))]
    return dice.choice([None, None, True, False, 0, 1, -1.5, 1e300, "", "text", {}, []])


@pytest.mark.skipif(not FIREBASE_SERVER, reason=NO_FIREBASE_SERVER)
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_both_servers_keep_the_same(root, seed):
    dice = random.Random(seed)
    theirs = f"{FIREBASE_SERVER}/same{os.getpid()}x{seed}"
    send("PUT", theirs, {"start": 1})
    send("PUT", f"{root}/same", {"start": 1})
    for _ in range(6):
        method = dice.choice(["PUT", "PATCH"])
        value = {dice.choice(["a", "b", "0", "1", "5"]): random_tree(dice, 4) for _ in range(3)}
        send(method, theirs, value)
        send(method, f"{root}/same", value)
        assert json.dumps(sort(send("GET", f"{root}/same"))) == json.dumps(sort(send("GET", theirs))), value
    send("DELETE", theirs)


def sort(tree):
    if isinstance(tree, dict):
        return {key: sort(tree[key]) for key in sorted(tree)}
    return [sort(part) for part in tree] if isinstance(tree, list) else tree
