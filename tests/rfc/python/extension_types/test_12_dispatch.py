"""__tf_dispatch__(): types execute operations themselves."""

import subprocess
import sys

import numpy as np
import pytest
from promises import promise

import structtensor as st
from structtensor import nest

from .plain_types import MaskedTensor


class Recorder:
    """Answers each operation with what it was called with."""

    __tf_dispatch_types__ = None

    @classmethod
    def __tf_dispatch__(cls, op, args, kwargs):
        return cls, op, args, kwargs


def run_alone(program):
    """What a program prints in a process of its own, where no other test has defined types."""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout.split()


@promise(
    "The tf.DispatchableType Protocol",
    "An operation with an argument of a dispatchable type is executed by `__tf_dispatch__(op, args, kwargs)`, a class method",
    python="def __tf_dispatch__(cls, op, args, kwargs)",
    differs="Operations of the C++ library are not dispatched",
)
def test_operations_are_dispatched():
    r = Recorder()
    cls, op, args, kwargs = st.abs(r)
    assert cls is Recorder and op is st.abs and args == (r,) and kwargs == {}
    t = st.constant([1, 2])
    assert st.add(t, r)[1:] == (st.add, (t, r), {})


@promise(
    "The tf.DispatchableType Protocol",
    "It is a protocol: a plain class needs no base class, and nothing else needs to be defined before",
    python="class Plain",
)
def test_plain_classes_are_dispatched():
    program = """
import structtensor as st
class Plain:
    @classmethod
    def __tf_dispatch__(cls, op, args, kwargs):
        return op.__name__
print(st.abs(Plain()), st.concat([Plain(), st.constant([1])], 0))
"""
    assert run_alone(program) == ["abs", "concat"]


@promise(
    "The tf.DispatchableType Protocol",
    "The method may be assigned after the class statement, as the document's example continues its class",
    python="M.__tf_dispatch__ = classmethod(handler)",
)
def test_the_method_may_be_assigned_later():
    program = """
import structtensor as st
class M(st.ExtensionType):
    values: st.Tensor
M.__tf_dispatch__ = classmethod(lambda cls, op, args, kwargs: op.__name__)
print(st.abs(M([1])), st.add(st.constant([1]), M([1])))
"""
    assert run_alone(program) == ["abs", "add"]


class Refusing:
    asked = []

    @classmethod
    def __tf_dispatch__(cls, op, args, kwargs):
        cls.asked.append(op.__name__)
        return NotImplemented


class WithArray(Refusing):
    """Refuses all operations, but can be made a tensor."""

    def __array__(self, dtype=None, copy=None):
        return np.array([-1, 2], dtype)


@promise(
    "The tf.DispatchableType Protocol",
    "A handler that returns NotImplemented does not execute the operation",
    python="return NotImplemented",
)
def test_handlers_may_refuse():
    Refusing.asked.clear()
    with pytest.raises(TypeError, match="abs"):
        st.abs(Refusing())
    assert Refusing.asked == ["abs"]
    r = Recorder()
    assert st.add(Refusing(), r)[0] is Recorder and Refusing.asked == ["abs", "add"]


@promise(
    "The tf.DispatchableType Protocol",
    "Without `__tf_dispatch_types__`, or if it is None, all arguments are allowed",
    python="__tf_dispatch_types__ = None",
)
def test_no_restriction_of_types():
    r = Recorder()
    for other in (st.ragged.constant([[1]]), st.StructuredTensor.from_pyval([{"a": 1}]), np.array([1]), 1, Refusing()):
        assert st.add(r, other)[2] == (r, other)


class Selective(Recorder):
    pass


Selective.__tf_dispatch_types__ = (st.Tensor, Selective)


class Other:
    """A value without a handler."""

    def __tf_type_spec__(self):
        return st.TensorSpec([1], "int64")


@promise(
    "The tf.DispatchableType Protocol",
    "With `__tf_dispatch_types__`, the handler is called only if all tensor arguments have these types",
    python="__tf_dispatch_types__ = (st.Tensor, MaskedTensor)",
)
def test_types_are_restricted():
    s, t = Selective(), st.constant([1])
    assert st.add(s, t)[2] == (s, t) and st.add(t, s)[2] == (t, s) and st.add(s, s)[2] == (s, s)
    assert st.concat([s, t], 0)[0] is Selective
    class_of_fields = type("Fields", (st.ExtensionType,), {"__annotations__": {"v": st.Tensor}})
    masked = MaskedTensor(t, st.constant([True]))
    for other in (st.ragged.constant([[1]]), st.StructuredTensor.from_pyval([{"a": 1}]), class_of_fields([1]), masked):
        for call in (lambda: st.add(s, other), lambda: st.add(other, s), lambda: st.concat([s, other], 0)):
            with pytest.raises(TypeError):
                call()


@promise(
    "The tf.DispatchableType Protocol",
    "Arrays and numbers are arguments that expect tensors, too, so they are restricted",
    python="__tf_dispatch_types__ = (st.Tensor, MaskedTensor)",
)
@pytest.mark.parametrize("other", [np.array([1]), 1, 2.5, [1, 2]], ids=repr)
def test_arrays_and_numbers_are_restricted(other):
    with pytest.raises(TypeError):
        st.add(Selective(), other)


@promise(
    "The tf.DispatchableType Protocol",
    "Arguments that are tensors or sequences of tensors are looked at, in most operations",
    python="st.concat([tensor, recorder], axis=0)",
)
def test_sequences_of_tensors_are_dispatched():
    r, t = Recorder(), st.constant([1])
    for op, args in (
        (st.concat, ([t, r], 0)),
        (st.stack, ([r, t],)),
        (st.strings.join, ([t, r], ",")),
        (st.where, (t, t, r)),
        (st.gather, (t, r)),
        (st.gather, (r, t)),
        (st.boolean_mask, (r, t)),
        (st.reduce_sum, (r,)),
        (st.tile, (r, [2])),
        (st.cast, (r, "double")),
        (st.expand_dims, (r, 0)),
        (st.reverse, (r, [0])),
        (st.size, (r,)),
        (st.equal, (t, r)),
    ):
        assert op(*args)[1:] == (op, args, {}), op


@promise(
    "The tf.DispatchableType Protocol",
    "Arguments that expect other values, such as `keepdims` and `axis`, are not looked at",
    python="st.reduce_sum(tensor, None, recorder)",
)
@pytest.mark.parametrize("name", ["keepdims", "axis"])
def test_other_arguments_are_not_looked_at(name):
    with pytest.raises(TypeError):
        st.reduce_sum(st.constant([1, 2]), **{name: Recorder()})


class Function(Recorder):
    def __call__(self, value):
        return value + 1


@promise(
    "The tf.DispatchableType Protocol",
    "Functions as arguments are not looked at",
    python="st.struct.map_values(rows, path, name, function)",
)
def test_functions_are_not_looked_at():
    rows = st.StructuredTensor.from_pyval([{"a": 1}, {"a": 2}])
    mapped = st.struct.map_values(rows, "a", "b", Function())
    assert mapped["b"].to_py() == [2, 3]


@promise(
    "The tf.DispatchableType Protocol",
    "Nested structures of tensors are not looked at",
    python="st.nest.map_structure(function, [recorder])",
)
def test_nested_structures_are_not_looked_at():
    r = Recorder()
    assert nest.map_structure(lambda value: value, [r]) == [r]
    with pytest.raises(TypeError):
        st.concat([[r], [r]], 0)


@promise(
    "The tf.DispatchableType Protocol",
    "What a handler returns or raises is the result",
    python="return None",
)
def test_results_of_handlers():
    class Failing(Recorder):
        @classmethod
        def __tf_dispatch__(cls, op, args, kwargs):
            if op is st.abs:
                raise RuntimeError("of the handler")

    with pytest.raises(RuntimeError, match="of the handler"):
        st.abs(Failing())
    assert st.negative(Failing()) is None


# --- Which operations to override


@promise(
    "Which operations to override",
    "Structs support operations on arrays, such as `concat`, `tile`, `slice` and `gather`",
    python="st.concat, st.tile, st.slice, st.gather",
    cpp="Concat(), Tile(), Slice(), Gather()",
    tensorflow="tf.concat, tf.tile, tf.slice, tf.gather",
    shown_by="test_select.py::test_slice",
)
def test_structs_support_array_operations():
    s = st.StructuredTensor.from_pyval([{"a": 1}, {"a": 2}])
    assert st.concat([s, s], 0).to_py() == [{"a": 1}, {"a": 2}, {"a": 1}, {"a": 2}]
    assert st.tile(s, [2]).to_py() == [{"a": 1}, {"a": 2}, {"a": 1}, {"a": 2}]
    assert st.slice(s, [1], [1]).to_py() == [{"a": 2}]
    assert st.gather(s, [1, 0]).to_py() == [{"a": 2}, {"a": 1}]


@promise(
    "Which operations to override",
    "Structs do not support mathematical operations, such as `add` and `reduce_sum`",
    python="st.add(rows, rows)",
    cpp="Add()",
    tensorflow="tf.add(rows, rows)",
    differs="In TensorFlow, elementwise functions and reductions work on each field",
)
def test_structs_do_not_support_mathematics():
    s = st.StructuredTensor.from_pyval([{"a": 1}, {"a": 2}])
    for call in (lambda: st.add(s, s), lambda: st.reduce_sum(s), lambda: st.abs(s)):
        with pytest.raises((TypeError, ValueError)):
            call()


@promise(
    "Which operations to override",
    "Ragged tensors do not support `reshape`, nor `shape` as a vector of sizes",
    python="st.shape(ragged)",
    cpp="DynamicRaggedShape",
    tensorflow="tf.shape(ragged)",
    differs="`st.shape` answers with a ragged shape, as TensorFlow's releases do",
)
def test_ragged_tensors_have_no_shape_vector():
    ragged = st.ragged.constant([[1, 2], [3]])
    assert isinstance(st.shape(ragged), st.DynamicRaggedShape)
    with pytest.raises(ValueError):
        st.reshape(ragged, [3])


@promise(
    "Which operations to override",
    "`is_unary_elementwise_op` is true for `math.abs`, `math.log` and `strings.length`",
    python="st.dispatch.is_unary_elementwise_op(op)",
    differs="`st.dispatch.is_unary_elementwise_op` is the same",
)
@promise(
    "Which operations to override",
    "`is_binary_elementwise_op` is true for `math.add` and `math.equal`",
    python="st.dispatch.is_binary_elementwise_op(op)",
    differs="`st.dispatch.is_binary_elementwise_op` is the same",
)
@promise(
    "Which operations to override",
    "`is_reduction_op` is true for `math.reduce_sum` and `strings.reduce_join`",
    python="st.dispatch.is_reduction_op(op)",
    differs="`st.dispatch.is_reduction_op` is the same",
)
def test_properties_of_operations():
    unary = [st.math.abs, st.math.log, st.strings.length, st.abs]
    binary = [st.math.add, st.math.equal, st.add]
    reductions = [st.math.reduce_sum, st.strings.reduce_join, st.reduce_sum]
    questions = (st.dispatch.is_unary_elementwise_op, st.dispatch.is_binary_elementwise_op, st.dispatch.is_reduction_op)
    for question, yes in zip(questions, (unary, binary, reductions)):
        for op in (*unary, *binary, *reductions, st.concat, st.math.cumsum, abs, None, lambda x: x):
            assert question(op) is any(op is one for one in yes), op
        assert [question(op) for op in yes] == [True] * len(yes)


@promise(
    "Which operations to override",
    "Elementwise operations transform each element, and broadcast their two arguments",
    python="st.math.add(x, y)",
    cpp="Add()",
)
def test_elementwise_operations_broadcast():
    x, y = st.constant(np.array([[1], [2]])), st.constant([10, 20])
    assert st.math.add(x, y).to_py() == [[11, 21], [12, 22]]
    assert st.math.abs(st.constant([-1, 2])).to_py() == [1, 2]
    assert st.strings.length(st.constant(["a", "bcd"])).to_py() == [1, 3]
    assert st.strings.reduce_join(st.constant(["a", "b"]), separator="-").to_py() == "a-b"


# --- Argument canonicalization


@promise(
    "Argument canonicalization",
    "Arguments that are given by keyword are moved to `args` if they can be given by position",
    python="st.reduce_sum(input_tensor=x, keepdims=True)",
)
def test_keyword_arguments_are_moved():
    r, t = Recorder(), st.constant([1])
    assert st.abs(x=r)[2:] == ((r,), {})
    assert st.add(y=r, x=t)[2:] == ((t, r), {})
    assert st.reduce_sum(r, keepdims=True)[2:] == ((r, None, True), {})
    assert st.reduce_sum(keepdims=True, axis=0, input_tensor=r)[2:] == ((r, 0, True), {})
    assert st.tile(multiples=[2], input=r)[2:] == ((r, [2]), {})
    assert st.gather(indices=t, params=r)[2][:2] == (r, t)


@promise(
    "Argument canonicalization",
    "`args` and `kwargs` are those of the call, without defaults",
    python="st.reduce_sum(x)",
)
def test_defaults_are_not_added():
    r = Recorder()
    assert st.reduce_sum(r)[2:] == ((r,), {})
    assert st.reduce_sum(r, 0)[2:] == ((r, 0), {})
    assert st.stack([r])[2:] == (([r],), {})
    annotated = type("Annotated", (st.ExtensionType,), {"__tf_dispatch__": Recorder.__tf_dispatch__})()
    assert (annotated + 1)[1:] == (st.add, (annotated, 1), {})
    assert annotated[0][2:] == ((annotated, 0), {})


@promise(
    "Argument canonicalization",
    "Parameters have TensorFlow's names, also `name`",
    python='st.reduce_sum(input_tensor=x, name="total")',
)
def test_operations_take_a_name():
    r = Recorder()
    _, op, args, kwargs = st.reduce_sum(input_tensor=r, name="total")
    assert op is st.reduce_sum and args[0] is r and kwargs == {} and args[-1] == "total"
    assert st.reduce_sum(input_tensor=st.constant([1, 2]), name="total").to_py() == 3
    assert st.add(st.constant([1]), y=st.constant([2]), name="sum").to_py() == [3]


# --- Precedence

ORDER = []


def refusing(name, *bases):
    @classmethod
    def handler(cls, op, args, kwargs):
        ORDER.append(name)
        return NotImplemented

    return type(name, bases, {"__tf_dispatch__": handler})


Base = refusing("Base", object)
Sub = refusing("Sub", Base)
Sub2 = refusing("Sub2", Base)
Unrelated = refusing("Unrelated", object)


def order_of(call):
    ORDER.clear()
    with pytest.raises(TypeError):
        call()
    return list(ORDER)


@promise(
    "Precedence",
    "Subclasses are asked before their superclasses, at any position",
    python="st.add(base, sub)",
)
def test_subclasses_are_first():
    b, s, s2, o = Base(), Sub(), Sub2(), Unrelated()
    assert order_of(lambda: st.add(b, s)) == ["Sub", "Base"]
    assert order_of(lambda: st.add(s, b)) == ["Sub", "Base"]
    assert order_of(lambda: st.where(b, s2, s)) == ["Sub2", "Sub", "Base"]
    assert order_of(lambda: st.concat([o, b, s2, s], 0)) == ["Unrelated", "Sub2", "Sub", "Base"]


@promise(
    "Precedence",
    "Other values are asked from left to right, in sequences in their order",
    python="st.concat([b, o, s], axis=0)",
)
def test_others_are_asked_from_left_to_right():
    b, s, o = Base(), Sub(), Unrelated()
    assert order_of(lambda: st.add(o, b)) == ["Unrelated", "Base"]
    assert order_of(lambda: st.add(b, o)) == ["Base", "Unrelated"]
    assert order_of(lambda: st.where(o, b, s)) == ["Unrelated", "Sub", "Base"]
    assert order_of(lambda: st.concat([b, o, s, b], 0)) == ["Sub", "Base", "Unrelated"]
    assert order_of(lambda: st.add(y=b, x=o)) == ["Unrelated", "Base"]


@promise(
    "Precedence",
    "If all refuse, the operation itself is called, which is typically a TypeError",
    python="st.abs(x)",
    differs="The error names the operation as it is called",
)
def test_the_operation_itself_is_last():
    with pytest.raises(TypeError, match=r"\babs\b"):
        st.abs(Base())
    for value in (Base(), refusing("Annotated", st.ExtensionType)()):
        for call in (lambda: st.abs(value), lambda: st.reduce_sum(value), lambda: st.add(value, st.constant([1]))):
            with pytest.raises(TypeError):
                call()


@promise(
    "Precedence",
    "The operation itself works if the value can be made a tensor",
    python="def __array__(self)",
)
def test_values_that_can_be_made_tensors():
    WithArray.asked.clear()
    assert st.abs(WithArray()).to_py() == [1, 2] and WithArray.asked == ["abs"]
    assert st.add(WithArray(), st.constant([1, 1])).to_py() == [0, 3]
    annotated = type(
        "Array", (st.ExtensionType,), {"__array__": WithArray.__array__, "__tf_dispatch__": Refusing.__tf_dispatch__}
    )
    assert st.abs(annotated()).to_py() == [1, 2]
