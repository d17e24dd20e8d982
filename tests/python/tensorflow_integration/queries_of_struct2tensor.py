"""Queries of struct2tensor's for every path of two trees, written once for struct2tensor and for structtensor.tf.s2t.

With struct2tensor installed (0.48.1, with TensorFlow 2.17), this records its answers in struct2tensor_answers.json:

    python tests/python/tensorflow_integration/queries_of_struct2tensor.py
"""

import importlib
import itertools
import json
import pathlib

import orders_of_a_shop
import tensorflow as tf

RECORDED = pathlib.Path(__file__).with_name("struct2tensor_answers.json")


class Names:
    """The modules of a package that has struct2tensor's."""

    def __init__(self, package):
        for name in ("path", "prensor", "prensor_util", "create_expression", "calculate"):
            setattr(self, name, importlib.import_module(f"{package}.{name}"))
        for name in (
            "depth_limit", "filter_expression", "index", "promote_and_broadcast", "proto", "slice_expression", "size",
        ):  # fmt: skip
            setattr(self, name, importlib.import_module(f"{package}.expression_impl.{name}"))


def _of_prensor(names):
    """Three rows of docs with bars, and of users with friends."""

    def child(parent_index):
        return names.prensor.ChildNodeTensor(tf.constant(parent_index, tf.int64), True)

    def leaf(parent_index, values, repeated):
        return names.prensor.LeafNodeTensor(tf.constant(parent_index, tf.int64), tf.constant(values), repeated)

    nodes = {
        "": names.prensor.RootNodeTensor(tf.constant(3, tf.int64)),
        "doc": child([0, 1, 1]),
        "doc.bar": leaf([0, 1, 1, 2], ["a", "b", "c", "d"], True),
        "doc.keep_me": leaf([0, 1], [False, True], False),
        "user": child([0, 1, 1, 2]),
        "user.friends": leaf([0, 1, 1, 2, 3], ["a", "b", "c", "d", "e"], True),
        "user.kept": leaf([0, 1, 2, 3], [False, True, True, False], False),
    }
    prensor = names.prensor.create_prensor_from_descendant_nodes(
        {names.path.create_path(path): node for path, node in nodes.items()}
    )
    return names.create_expression.create_expression_from_prensor(prensor)


def _of_messages(names):
    order_class = orders_of_a_shop.order_class()
    serialized = [order.SerializeToString() for order in orders_of_a_shop.make_orders(order_class, 9)]
    return names.proto.create_expression_from_proto(tf.constant(serialized), order_class.DESCRIPTOR)


# For each tree: its structs, its leaves, and (what is filtered, by which of its leaves).
TREES = {
    "prensor": (
        _of_prensor,
        ["doc", "user"],
        ["doc.bar", "doc.keep_me", "user.friends", "user.kept"],
        [("doc", "keep_me"), ("user", "kept")],
    ),
    "messages": (
        _of_messages,
        ["items", "best"],
        ["id", "weights", "paid", "items.key", "items.price", "items.tags", "best.key"],
        [],
    ),
}


def queries(names):
    """(name, a function that makes the expression)."""
    path = names.path.create_path
    for tree, (make, structs, leaves, filters) in TREES.items():

        def query(text, change, tree=tree, make=make):
            return f"{tree}: {text}", lambda: change(make(names))

        for at in leaves:
            yield query(f"project {at}", lambda e, at=at: e.project([path(at)]))
        for at in [*leaves, *structs]:
            beside = at.rpartition(".")[0]
            new = f"{beside}.new" if beside else "new"
            yield query(f"size {at}", lambda e, at=at, new=new: e.create_size_field(path(at), "new").project([path(new)]))
            yield query(f"has {at}", lambda e, at=at, new=new: e.create_has_field(path(at), "new").project([path(new)]))
            for begin, end in ((1, None), (None, 1), (-1, None), (0, 0), (None, -1), (1, 2)):
                yield query(
                    f"slice {at} {begin}:{end}",
                    lambda e, at=at, new=new, begin=begin, end=end: (
                        e.slice(path(at), "new", begin, end).project([path(new)])
                        if at not in structs
                        else e.slice(path(at), "new", begin, end).project([path(f"{new}.{_a_leaf_of(at, leaves)}")])
                    ),
                )
            for function in ("get_positional_index", "get_index_from_end"):
                yield query(
                    f"{function} {at}",
                    lambda e, at=at, new=new, function=function: getattr(names.index, function)(e, path(at), "new")[0].project(
                        [path(new)]
                    ),
                )
        for at in leaves:
            if "." in at:
                above = path(at).get_parent().get_parent().get_child("new")
                yield query(f"promote {at}", lambda e, at=at, above=above: e.promote(path(at), "new").project([above]))
            for to in structs:
                if "." not in at:
                    to_new = path(f"{to}.new")
                    yield query(
                        f"broadcast {at} {to}",
                        lambda e, at=at, to=to, to_new=to_new: e.broadcast(path(at), to, "new").project([to_new]),
                    )
                yield query(
                    f"promote_and_broadcast {at} {to}",
                    lambda e, at=at, to=to: e.promote_and_broadcast({"new": path(at)}, path(to)).project([path(f"{to}.new")]),
                )
        for at in structs:
            yield query(
                f"reroot {at}",
                lambda e, at=at: e.reroot(path(at)).project(
                    [path(leaf.removeprefix(at + ".")) for leaf in leaves if leaf.startswith(at + ".")]
                ),
            )
            yield query(
                f"reroot {at}, index", lambda e, at=at: e.reroot(path(at)).create_proto_index("new").project([path("new")])
            )
        for at, by in filters:
            yield query(
                f"filter_by_child {at} {by}",
                lambda e, at=at, by=by, leaves=leaves: names.filter_expression.filter_by_child(e, path(at), by, "new").project(
                    [path(f"new.{_a_leaf_of(at, leaves)}")]
                ),
            )
        for depth, at in itertools.product(range(3), leaves):
            yield query(
                f"limit_depth {depth} {at}",
                lambda e, at=at, depth=depth: names.depth_limit.limit_depth(e, depth).project([path(at)]),
            )


def _a_leaf_of(struct, leaves):
    return next(leaf for leaf in leaves if leaf.startswith(struct + ".")).rpartition(".")[2]


def _plain(value):
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.decode("latin-1") if isinstance(value, bytes) else value


def answers(package):
    """{query: {path: nested lists}, or the name of the error's class}."""
    names, found = Names(package), {}
    for text, make in queries(names):
        try:
            (prensor,) = names.calculate.calculate_prensors([make()])
            found[text] = {str(path): _plain(value.to_list()) for path, value in prensor.get_ragged_tensors().items()}
        except Exception as problem:  # noqa: BLE001: whatever it raises is its answer
            found[text] = type(problem).__name__
    return found


if __name__ == "__main__":
    lines = [f"  {json.dumps(text)}: {json.dumps(answer)}" for text, answer in answers("struct2tensor").items()]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
