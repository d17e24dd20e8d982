"""structtensor.tf.s2t: struct2tensor's names. Expected values are those that struct2tensor 0.48.1 gives for the same
messages."""

import json

import pytest
import queries_of_struct2tensor
import structtensor.tf
import tensorflow as tf
from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory
from structtensor.tf import s2t


def nested_prensor():
    """Three rows of docs with bars, and of users with friends."""

    def child(parent_index):
        return s2t.ChildNodeTensor(tf.constant(parent_index, tf.int64), True)

    def leaf(parent_index, values, repeated):
        return s2t.LeafNodeTensor(tf.constant(parent_index, tf.int64), tf.constant(values), repeated)

    return s2t.create_prensor_from_descendant_nodes(
        {
            s2t.Path([]): s2t.RootNodeTensor(3),
            s2t.Path(["doc"]): child([0, 1, 1]),
            s2t.Path(["doc", "bar"]): leaf([0, 1, 1, 2], ["a", "b", "c", "d"], True),
            s2t.Path(["doc", "keep_me"]): leaf([0, 1], [False, True], False),
            s2t.Path(["user"]): child([0, 1, 1, 2]),
            s2t.Path(["user", "friends"]): leaf([0, 1, 1, 2, 3], ["a", "b", "c", "d", "e"], True),
        }
    )


@pytest.fixture
def expression():
    return s2t.create_expression_from_prensor(nested_prensor())


def values(expression, path):
    prensor = s2t.calculate_prensors([expression])[0]
    return s2t.get_ragged_tensor(prensor, path).to_list()


def test_prensors():
    prensor = nested_prensor()
    assert prensor.field_names() == {"doc", "user"} and not prensor.is_leaf
    assert {str(path): tensor.to_list() for path, tensor in s2t.get_ragged_tensors(prensor).items()} == {
        "doc.bar": [[[b"a"]], [[b"b", b"c"], [b"d"]], []],
        "doc.keep_me": [[[False]], [[True], []], []],
        "user.friends": [[[b"a"]], [[b"b", b"c"], [b"d"]], [[b"e"]]],
    }
    sparse = prensor.get_sparse_tensor("user.friends")
    assert sparse.indices.numpy().tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0], [2, 0, 0]]
    optional = prensor.get_sparse_tensors()[s2t.create_path("doc.keep_me")]
    assert optional.indices.numpy().tolist() == [[0, 0], [1, 0]] and optional.dense_shape.numpy().tolist() == [3, 2]
    rows = prensor.to_structured()
    assert isinstance(rows, structtensor.tf.StructuredTensor) and rows["doc", "bar"].to_list()[1] == [[b"b", b"c"], [b"d"]]
    again = s2t.Prensor.from_structured(rows)
    assert again.get_ragged_tensor("doc.bar").to_list() == prensor.get_ragged_tensor("doc.bar").to_list()
    with pytest.raises(ValueError, match="No root found"):
        s2t.create_prensor_from_descendant_nodes({"a": s2t.RootNodeTensor(1)})
    with pytest.raises(ValueError, match="not found"):
        prensor.get_descendant_or_error("doc.none")
    with pytest.raises(ValueError, match="is not a leaf"):
        prensor.get_ragged_tensor("doc")


def test_paths():
    path = s2t.create_path("a.(b.c).d")
    assert path.field_list == ("a", "(b.c)", "d") and str(path) == "a.(b.c).d" and len(path) == 3
    assert path.get_parent() == s2t.Path(["a", "(b.c)"]) and path.prefix(1) == s2t.create_path("a")
    assert s2t.create_path("").field_list == () and s2t.create_path("a.b").get_least_common_ancestor(
        s2t.create_path("a.c")
    ) == s2t.create_path("a")


def test_queries(expression):
    assert values(expression.promote("user.friends", "new"), "new") == [[b"a"], [b"b", b"c", b"d"], [b"e"]]
    named = expression.promote("user.friends", "new")
    assert named.get_child("new").is_repeated and named.get_child("new").type == tf.string and named.get_child("new").is_leaf
    broadcast = expression.create_size_field("doc", "docs").broadcast("docs", "user", "docs")
    assert values(broadcast, "user.docs") == [[[1]], [[2], [2]], [[0]]]
    assert values(expression.create_has_field("doc", "any"), "any") == [[True], [True], [False]]
    assert values(expression.create_size_field("user.friends", "n"), "user.n") == [[[1]], [[2], [1]], [[1]]]
    assert values(expression.slice("user.friends", "some", 1), "user.some") == [[[]], [[b"c"], []], [[]]]
    assert values(expression.truncate("user", 1, "first"), "first.friends") == [[[b"a"]], [[b"b", b"c"]], [[b"e"]]]
    assert values(expression.reroot("user"), "friends") == [[b"a"], [b"b", b"c"], [b"d"], [b"e"]]
    assert values(expression.reroot("user").create_proto_index("at"), "at") == [[0], [1], [1], [2]]
    assert values(expression.create_proto_index("at"), "at") == [[0], [1], [2]]
    lengths = expression.map_field_values("user.friends", tf.strings.length, tf.int32, "lengths")
    assert values(lengths, "user.lengths") == [[[1]], [[1, 1], [1]], [[1]]]
    projected = expression.project(["doc.bar"])
    assert projected.known_field_names() == {"doc"} and s2t.calculate_prensors([projected])[0].get_child(
        "doc"
    ).field_names() == {"bar"}
    assert values(s2t.expression_impl.filter_expression.filter_by_child(expression, "doc", "keep_me", "kept"), "kept.bar") == [
        [],
        [[b"b", b"c"]],
        [],
    ]
    assert values(s2t.expression_impl.index.get_positional_index(expression, "user.friends", "i")[0], "user.i") == [
        [[0]],
        [[0, 1], [0]],
        [[0]],
    ]
    assert values(s2t.expression_impl.index.get_index_from_end(expression, "user.friends", "i")[0], "user.i") == [
        [[-1]],
        [[-2, -1], [-1]],
        [[-1]],
    ]
    assert s2t.expression_impl.depth_limit.limit_depth(expression, 1).get_child("doc").known_field_names() == frozenset()
    both = expression.promote_and_broadcast({"friends": "user.friends"}, "doc")
    assert values(both, "doc.friends") == [[[b"a"]], [[b"b", b"c", b"d"], [b"b", b"c", b"d"]], []]
    flat = expression.map_ragged_tensors("user", ["friends"], lambda friends: friends[:, ::-1], True, tf.string, "turned")
    assert values(flat, "user.turned") == [[[b"a"]], [[b"c", b"b"], [b"d"]], [[b"e"]]]
    sparse = expression.map_sparse_tensors("user", ["friends"], tf.sparse.reorder, True, tf.string, "same")
    assert values(sparse, "user.same") == values(expression, "user.friends")
    turned = expression.map_sparse_tensors("doc", ["keep_me"], lambda x: x.with_values(~x.values), False, tf.bool, "not_kept")
    assert values(turned, "doc.not_kept") == [[[True]], [[False], []], []]


def test_answers_that_struct2tensor_gave():
    """240 queries, at each path of two trees: the same source run with struct2tensor 0.48.1 and here."""
    recorded = json.loads(queries_of_struct2tensor.RECORDED.read_text())
    found = queries_of_struct2tensor.answers("structtensor.tf.s2t")
    assert list(found) == list(recorded) and len(recorded) == 240
    assert {query: answer for query, answer in found.items() if answer != recorded[query]} == {}


def test_queries_that_are_wrong(expression):
    with pytest.raises(ValueError, match="Field surname not found"):
        expression.promote("surname.x", "y")
    with pytest.raises(ValueError, match="Cannot promote"):
        expression.promote("user", "y")
    with pytest.raises(ValueError, match="must not be a leaf"):
        expression.reroot("user.friends")
    with pytest.raises(ValueError, match="not found"):
        expression.project(["user.none"])
    assert expression.get_child("none") is None and expression.get_descendant("user.none") is None


def test_messages(orders, serialized, order_class):
    expression = s2t.create_expression_from_proto(serialized, order_class.DESCRIPTOR)
    assert values(expression, "items.price") == [[[item.price] for item in order.items] for order in orders]
    assert not expression.get_child("id").is_repeated and expression.get_child("items").is_repeated
    query = expression.promote("items.tags", "tags").reroot("items").create_proto_index("order").project(["order", "key"])

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def calculate(serialized):
        query = (
            s2t.create_expression_from_proto(serialized, order_class.DESCRIPTOR).promote("items.tags", "tags").project(["tags"])
        )
        return s2t.calculate_prensors([query])[0].get_ragged_tensor("tags")

    assert calculate(serialized).to_list() == [[tag for item in order.items for tag in item.tags] for order in orders]
    assert values(query, "order") == [[i] for i, order in enumerate(orders) for _ in order.items]
    assert [key for row in values(query, "key") for key in row] == [
        item.key.encode() for order in orders for item in order.items
    ]
    structured = s2t.calculate_structured([expression.project(["id"])])[0]
    assert structured.field_names() == ("id",) and structured["id"].to_list() == [[order.id] for order in orders]
    with pytest.raises(tf.errors.InvalidArgumentError, match="message 0"):
        s2t.calculate_prensors([s2t.create_expression_from_proto([b"\xff"], order_class.DESCRIPTOR)])


def test_only_what_is_needed_is_decoded(orders, serialized, order_class, monkeypatch):
    from structtensor.tf.s2t import create_expression

    selected = []

    def decoder(schema, select, **options):
        selected.append(set(select))
        return structtensor.tf.Decoder(schema, select=select, **options)

    monkeypatch.setattr(create_expression, "Decoder", decoder)
    expression = s2t.create_expression_from_proto(serialized, order_class.DESCRIPTOR)
    index = s2t.expression_impl.index
    for query, names, found in [
        (expression.create_size_field("items", "new").project(["new"]), {"items.price"}, [[len(o.items)] for o in orders]),
        (expression.create_has_field("items", "new").project(["new"]), {"items.price"}, [[len(o.items) > 0] for o in orders]),
        (
            index.get_positional_index(expression, "items", "new")[0].project(["new"]),
            {"items.price"},
            [list(range(len(o.items))) for o in orders],
        ),
        (
            expression.broadcast("id", "items", "new").project(["items.new"]),
            {"id", "items.price"},
            [[[o.id]] * len(o.items) for o in orders],
        ),
        (
            expression.reroot("items").create_proto_index("new").project(["new"]),
            {"items.price"},
            [[i] for i, o in enumerate(orders) for _ in o.items],
        ),
        (
            expression.promote_and_broadcast({"new": "best.key"}, "items").project(["items.new"]),
            {"best.key", "items.price"},
            [[[o.best.key.encode()] if o.HasField("best") else []] * len(o.items) for o in orders],
        ),
        (
            expression.promote("items.tags", "tags").create_size_field("best", "new").project(["new"]),
            {"best.price"},
            [[int(o.HasField("best"))] for o in orders],
        ),
    ]:
        (structs,) = s2t.calculate_structured([query])
        assert selected.pop() == names
        leaf = structs["items", "new"] if "items" in structs.field_names() else structs["new"]
        assert leaf.to_list() == found
        assert structs.field_names() == ("new",) or structs["items"].field_names() == ("new",)


def test_keys_of_maps():
    examples = [tf.train.Example(), tf.train.Example(), tf.train.Example()]
    examples[0].features.feature["id"].int64_list.value.extend([1, 2])
    examples[0].features.feature["other"].bytes_list.value.append(b"x")
    examples[2].features.feature["id"].int64_list.value.append(3)
    serialized = [example.SerializeToString() for example in examples]
    expression = s2t.create_expression_from_proto(serialized, tf.train.Example.DESCRIPTOR)
    ids = expression.project(["features.feature[id].int64_list.value"])
    found = values(ids, "features.feature[id].int64_list.value")
    # As struct2tensor 0.48.1 gives them, with an axis for each step.
    assert found == [[[[[1, 2]]]], [], [[[[3]]]]]
    promoted = expression.promote("features.feature[id].int64_list.value", "ids").project(["features.feature[id].ids"])
    assert values(promoted, "features.feature[id].ids") == [[[[1, 2]]], [], [[[3]]]]
    nothing = expression.project(["features.feature[none].float_list.value"])
    assert values(nothing, "features.feature[none].float_list.value") == [[[]], [], [[]]]
    with pytest.raises(ValueError, match="not found"):
        expression.project(["features[id]"])


def test_keys_of_maps_do_not_change_the_expression():
    example = tf.train.Example()
    example.features.feature["id"].int64_list.value.extend([1, 2])
    at = "features.feature[id].int64_list.value"
    expression = s2t.create_expression_from_proto([example.SerializeToString()], tf.train.Example.DESCRIPTOR)
    limited = s2t.expression_impl.depth_limit.limit_depth(expression, 4)
    sized = expression.create_size_field("features.feature.value.int64_list", "n").create_has_field("features", "any")
    whole = expression.project(["features.feature"])
    parts = expression.project(["features.feature.key", "features.feature.value.int64_list.value"])
    for each in (expression, limited, sized, whole, parts):
        assert values(each.project([at]), at) == [[[[[1, 2]]]]]
        below = each.get_descendant(at)
        assert below.is_leaf and below.type == tf.int64
        assert s2t.calculate_prensors([below])[0].node.values.numpy().tolist() == [1, 2]
        assert each.get_descendant_or_error("features.feature[id]").known_field_names() >= {"int64_list"}
        assert each.get_child("features").known_field_names() == {"feature"}
        assert set(s2t.calculate_prensors([each])[0].get_child("features").field_names()) == {"feature"}
    for each, path in [
        (sized, "features.feature[id].int64_list.n"),
        (sized, "features.feature[id].n"),
        (parts, "features.feature[id].float_list"),
        (expression.project(["features.feature.value"]), "features.feature[id]"),
        (s2t.expression_impl.depth_limit.limit_depth(expression, 3), at),
        (s2t.expression_impl.depth_limit.limit_depth(expression, 1), "features.feature[id]"),
    ]:
        with pytest.raises(ValueError, match="not found"):
            each.project([path])
        assert each.get_descendant(path) is None


@pytest.mark.parametrize(
    "key_type, keys, wrong",
    [
        ("int32", {"-7": -7, "+5": 5}, ["x", "1.5", "", "1_0", "2147483648"]),
        ("uint64", {"18446744073709551615": 2**64 - 1}, ["-1", "18446744073709551616"]),
        ("bool", {"1": True, "true": True, "0": False, "false": False}, ["2", "yes", "True"]),
        ("string", {"": "", "a b": "a b"}, []),
    ],
)
def test_types_of_keys(key_type, keys, wrong):
    file = descriptor_pb2.FileDescriptorProto(name=f"keys_{key_type}.proto", syntax="proto3", package=key_type)
    message = file.message_type.add(name="M")
    entry = message.nested_type.add(name="MapEntry")
    entry.options.map_entry = True
    number = getattr(descriptor_pb2.FieldDescriptorProto, f"TYPE_{key_type.upper()}")
    entry.field.add(name="key", number=1, type=number, label=1)
    entry.field.add(name="value", number=2, type=5, label=1)
    message.field.add(name="map", number=1, type=11, label=3, type_name=f".{key_type}.M.MapEntry")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    message_class = message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{key_type}.M"))
    numbers = {key: i + 1 for i, key in enumerate(dict.fromkeys(keys.values()))}
    expression = s2t.create_expression_from_proto([message_class(map=numbers).SerializeToString()], message_class.DESCRIPTOR)
    for text, key in keys.items():
        path = s2t.Path([f"map[{text}]"])
        assert values(expression.project([path]), path) == [[numbers[key]]]
    for text in wrong:
        with pytest.raises(ValueError, match="is no key of this map; expected"):
            expression.project([s2t.Path([f"map[{text}]"])])


def test_keys_of_maps_in_maps():
    file = descriptor_pb2.FileDescriptorProto(name="maps.proto", syntax="proto3")
    inner, outer = file.message_type.add(name="Inner"), file.message_type.add(name="Outer")

    def add_map(message, name, value_type, type_name=None):
        entry = message.nested_type.add(name=name.capitalize() + "Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, type=9, label=1)
        entry.field.add(name="value", number=2, type=value_type, label=1, type_name=type_name)
        message.field.add(name=name, number=1, type=11, label=3, type_name=f".{message.name}.{entry.name}")

    add_map(inner, "counts", 5)
    add_map(outer, "groups", 11, ".Inner")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    outer_class = message_factory.GetMessageClass(pool.FindMessageTypeByName("Outer"))
    messages = [outer_class(), outer_class(), outer_class()]
    messages[0].groups["a"].counts["x"] = 7
    messages[0].groups["a"].counts["y"] = 8
    messages[2].groups["b"].counts["x"] = 9
    serialized = [message.SerializeToString() for message in messages]
    expression = s2t.create_expression_from_proto(serialized, outer_class.DESCRIPTOR).project(["groups[a].counts[x]"])
    assert values(expression, "groups[a].counts[x]") == [[[7]], [], []]


def test_extensions():
    """Of the file of the message type, and of a file that it does not know."""
    first = descriptor_pb2.FileDescriptorProto(name="extended.proto", syntax="proto2", package="p")
    message = first.message_type.add(name="M")
    message.field.add(name="a", number=1, type=5, label=1)
    message.extension_range.add(start=100, end=200)
    first.message_type.add(name="Other").extension_range.add(start=100, end=200)
    first.message_type.add(name="Outer").field.add(name="inner", number=1, type=11, label=1, type_name=".p.M")
    first.extension.add(name="number", number=100, type=5, label=1, extendee=".p.M")
    first.extension.add(name="other", number=100, type=5, label=1, extendee=".p.Other")
    second = descriptor_pb2.FileDescriptorProto(name="extends.proto", syntax="proto2", package="q")
    second.dependency.append("extended.proto")
    second.message_type.add(name="N").field.add(name="words", number=1, type=9, label=3)
    second.extension.add(name="n", number=101, type=11, label=3, extendee=".p.M", type_name=".q.N")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(first)
    pool.Add(second)
    message_class = message_factory.GetMessageClass(pool.FindMessageTypeByName("p.M"))
    number, n = (pool.FindExtensionByName(name) for name in ("p.number", "q.n"))
    messages = [message_class(a=1), message_class()]
    messages[0].Extensions[number] = 7
    for words in (["x"], ["y", "z"]):
        messages[0].Extensions[n].add(words=words)
    serialized = [each.SerializeToString() for each in messages]
    expression = s2t.create_expression_from_proto(serialized, message_class.DESCRIPTOR)
    outer_class = message_factory.GetMessageClass(pool.FindMessageTypeByName("p.Outer"))
    outer = s2t.create_expression_from_proto(
        [outer_class(inner=message_class.FromString(each)).SerializeToString() for each in serialized], outer_class.DESCRIPTOR
    )
    for path, repeated, expected in [
        ("(p.number)", False, [[7], []]),
        ("(q.n).words", True, [[[b"x"], [b"y", b"z"]], []]),
    ]:
        found = expression.get_descendant_or_error(path)
        assert found.is_repeated == repeated and found.is_leaf
        assert values(expression.project([path, "a"]), path) == expected
        assert values(outer.project([f"inner.{path}", "inner.a"]), f"inner.{path}") == [[row] for row in expected]
        limited = s2t.expression_impl.depth_limit.limit_depth(outer, 3)
        assert values(limited.project([f"inner.{path}"]), f"inner.{path}") == [[row] for row in expected]
    sizes = expression.create_size_field("(q.n).words", "count").promote("(q.n).count", "counts").project(["counts"])
    assert values(sizes, "counts") == [[1, 2], []]
    assert expression.known_field_names() == {"a"}
    for each, path in [
        (expression, "(p.none)"),
        (expression, "(p.other)"),
        (expression, "(q.n).none"),
        (outer, "(p.number)"),
        (s2t.expression_impl.depth_limit.limit_depth(outer, 1), "inner.(p.number)"),
    ]:
        with pytest.raises(ValueError, match="not found"):
            each.project([path])


def test_limits_that_the_document_lists():
    """docs/tensorflow.md: the message inside of an Any, and a message type that contains itself."""
    message_class = descriptor_pb2.DescriptorProto
    inner = message_class(name="b", nested_type=[message_class(name="c")])
    serialized = [message_class(name="a", nested_type=[inner]).SerializeToString()]
    expression = s2t.create_expression_from_proto(serialized, message_class.DESCRIPTOR)
    assert expression.get_child("nested_type").type == tf.string
    assert values(expression.project(["nested_type"]), "nested_type") == [[inner.SerializeToString()]]
    with pytest.raises(ValueError, match="Field nested_type.name not found"):
        expression.project(["nested_type.name"])
    packed = any_pb2.Any(type_url="type.googleapis.com/p.M", value=b"x")
    expression = s2t.create_expression_from_proto([packed.SerializeToString()], any_pb2.Any.DESCRIPTOR)
    assert values(expression.project(["value"]), "value") == [[b"x"]]
    with pytest.raises(ValueError, match="Field name must be"):
        expression.project(["(type.googleapis.com/p.M)"])


def test_functions_of_its_modules(expression):
    from structtensor.tf.s2t.expression_impl import broadcast, map_values, promote, promote_and_broadcast, size

    for function, arguments in [
        (promote.promote_anonymous, ["user.friends"]),
        (broadcast.broadcast_anonymous, ["user", "doc"]),
        (promote_and_broadcast.promote_and_broadcast_anonymous, ["user.friends", "doc"]),
        (size.size_anonymous, ["user.friends"]),
        (map_values.map_values_anonymous, ["user.friends", tf.strings.length, tf.int32]),
    ]:
        found, path = function(expression, *arguments)
        assert found.get_descendant_or_error(path) is not None and expression.get_descendant(path) is None
    with pytest.raises(ValueError, match="Field name must be"):
        s2t.create_path("a.+.b")
    assert s2t.create_path("m[key.1].v").field_list == ("m[key.1]", "v")


@pytest.mark.parametrize("name", ["a.b", "d d", "a[0]", "a]", "(a)", "*"])
def test_names_are_not_paths(name):
    """Paths are checked where people write them. The names of fields that exist are what they are."""
    rows = structtensor.tf.StructuredTensor.from_py([{name: [1], "s": [{name: [2, 3]}]}, {name: [], "s": []}])
    expected = {(name,): [[1], []], ("s", name): [[[2, 3]], []]}
    prensor = s2t.Prensor.from_structured(rows)
    assert {path.field_list: tensor.to_list() for path, tensor in prensor.get_ragged_tensors().items()} == expected
    assert {path.field_list for path in prensor.get_sparse_tensors()} == set(expected)
    expression = s2t.create_expression_from_structured(rows)
    assert {path.field_list for path in expression.get_known_descendants()} == {(), ("s",), *expected}
    path = s2t.Path(["s", name], validate_step_format=False)
    for changed in (
        expression.promote(path, "new"),
        expression.promote_and_broadcast({"new": path}, s2t.Path([])),
        expression.project([path]).promote(path, "new"),
    ):
        assert values(changed, "new") == [[2, 3], []]
    found = expression.get_descendant(path)
    assert found.is_leaf and s2t.calculate_prensors([found])[0].node.values.numpy().tolist() == [2, 3]
    with pytest.raises(ValueError, match="Field name must be a name"):
        s2t.Path([name + "!"])
