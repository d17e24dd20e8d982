"""Dispatch: which function is called for which arguments, and what cannot be registered."""

import inspect
import sys
import threading
import typing
from typing import List, Optional, Union

import numpy as np
import pytest

import structtensor as st
from structtensor import _functions


class A(st.ExtensionType):
    x: st.Tensor


class B(A):
    pass


class C(st.ExtensionType):
    x: st.Tensor


@pytest.fixture
def register():
    targets = []

    def register(decorator, target):
        assert decorator(target) is target
        targets.append(target)

    yield register
    for target in targets:
        st.dispatch.unregister_dispatch_for(target)


def test_canonical_arguments(register):
    calls = []

    def target(input_tensor: A, axis=None, keepdims=False):
        calls.append((type(input_tensor).__name__, axis, keepdims))
        return len(calls)

    register(st.dispatch.dispatch_for_api(st.reduce_sum), target)
    a = A([1, 2])
    assert [st.reduce_sum(a), st.reduce_sum(a, 1), st.reduce_sum(keepdims=True, input_tensor=a)] == [1, 2, 3]
    assert st.reduce_sum(a, axis=[0]) == 4
    assert calls == [("A", None, False), ("A", 1, False), ("A", None, True), ("A", [0], False)]
    with pytest.raises(TypeError):
        st.reduce_sum(a, nothing=3)
    with pytest.raises(TypeError):
        st.reduce_sum()
    assert len(calls) == 4


def test_signatures_by_name_and_position(register):
    def add(x, y):
        return "both"

    register(st.dispatch.dispatch_for_api(st.add, {"x": A, "y": A}, {0: A, 1: st.Tensor}), add)
    assert st.add(A([1]), A([1])) == "both" and st.add(A([1]), st.constant([1])) == "both"
    with pytest.raises((TypeError, ValueError)):
        st.add(st.constant([1]), A([1]))

    def concat(values: List[Union[A, st.Tensor]], axis=0):
        return axis

    register(st.dispatch.dispatch_for_api(st.concat), concat)
    assert st.concat([A([1]), st.constant([1])], 1) == 1 and st.concat((A([1]),)) == 0
    # Lists without such a value, and empty ones, are those of the function itself.
    assert st.concat([st.constant([1]), st.constant([2])]).to_py() == [1, 2]
    with pytest.raises((TypeError, ValueError)):
        st.concat([])
    with pytest.raises((TypeError, ValueError)):
        st.concat([A([1]), C([1])])


def test_subclasses_go_first_at_any_position(register):
    register(st.dispatch.dispatch_for_api(st.add, {"x": A}), lambda x, y: "A first")
    register(st.dispatch.dispatch_for_api(st.add, {"y": B}), lambda x, y: "B second")
    assert st.add(A([1]), 1) == "A first"
    assert st.add(A([1]), B([1])) == "B second"
    assert st.add(A([1]), A([1])) == "A first"


def test_otherwise_from_left_to_right(register):
    register(st.dispatch.dispatch_for_api(st.add, {"y": C}), lambda x, y: "C")
    register(st.dispatch.dispatch_for_api(st.add, {"x": A}), lambda x, y: "A")
    assert st.add(A([1]), C([1])) == "A"
    assert st.add(1, C([1])) == "C"


def test_the_closest_signature(register):
    register(st.dispatch.dispatch_for_api(st.add, {"x": A}), lambda x, y: "A, anything")
    register(st.dispatch.dispatch_for_api(st.add, {"x": A, "y": A}), lambda x, y: "A, A")
    register(st.dispatch.dispatch_for_api(st.add, {"x": B, "y": A}), lambda x, y: "B, A")
    assert [st.add(A([1]), 1), st.add(A([1]), A([1])), st.add(B([1]), A([1]))] == ["A, anything", "A, A", "B, A"]


def test_one_function_before_all_elementwise_ones(register):
    register(st.dispatch.dispatch_for_unary_elementwise_apis(A), lambda api, x: api.__name__)
    register(st.dispatch.dispatch_for_api(st.abs, {"x": A}), lambda x: "mine")
    assert st.abs(A([1])) == "mine" and st.exp(A([1])) == "exp"
    assert st.cast(A([1]), "int32") == "cast" and st.strings.length(input=A(["a"]), unit="byte") == "length"
    assert st.abs(B([1])) == "mine"


def test_not_implemented_goes_on(register):
    register(st.dispatch.dispatch_for_api(st.add, {"x": A}), lambda x, y: NotImplemented)
    with pytest.raises((TypeError, ValueError)):
        st.add(A([1]), 1)
    register(st.dispatch.dispatch_for_api(st.add, {"y": C}), lambda x, y: "C")
    assert st.add(A([1]), C([1])) == "C"
    assert A([1]) + C([1]) == "C"
    with pytest.raises(TypeError, match="unsupported operand"):
        A([1]) + 1


def test_elementwise_functions_have_their_other_arguments(register):
    def unary(api, x):
        return C(api(x.x))

    register(st.dispatch.dispatch_for_unary_elementwise_apis(C), unary)
    assert st.cast(C([1.5]), "int32") == C(st.constant([1], "int32"))
    assert st.clip(C([1, 5, 9]), 2, high=6) == C([2, 5, 6])
    assert -C([1]) == C([-1]) and abs(C([-1])) == C([1]) and ~C([True]) == C([False])
    assert np.negative(C([1])) == C([-1])
    with pytest.raises(TypeError, match="negative"):
        -A([1])
    with pytest.raises(ValueError, match="registered already"):
        st.dispatch.dispatch_for_unary_elementwise_apis(C)(lambda api, x: None)


def test_operators_and_numpy(register):
    def binary(api, x, y):
        return api.__name__, type(x).__name__, type(y).__name__

    either = Union[C, st.dispatch.TensorLike]
    register(st.dispatch.dispatch_for_binary_elementwise_apis(either, either), binary)
    c, tensor, array = C([1]), st.constant([1]), np.array([1])
    assert c + 1 == ("add", "C", "int") and 1 - c == ("subtract", "int", "C")
    assert tensor * c == ("multiply", "Tensor", "C") and c // tensor == ("floor_divide", "C", "Tensor")
    assert array / c == ("divide", "ndarray", "C") and np.add(tensor, c) == ("add", "Tensor", "C")
    assert np.float64(2) ** c == ("power", "float64", "C") and c % 2 == ("mod", "C", "int")
    assert (c < 1, 1 < c, c >= c) == (("less", "C", "int"), ("greater", "C", "int"), ("greater_equal", "C", "C"))
    assert c & True == ("bitwise_and", "C", "bool") and st.equal(c, c) == ("equal", "C", "C")
    assert st.ragged.constant([[1]]) + c == ("add", "RaggedTensor", "C")
    assert c == C([1]) and c != C([2])  # of whole values
    assert (tensor + 1).to_py() == [2] and st.add(1, 2).to_py() == 3
    with pytest.raises(TypeError):
        np.add(c, 1, out=array)
    with pytest.raises(TypeError):
        np.add.reduce(c)
    with pytest.raises(TypeError):
        np.linalg.norm(c)


def test_array_functions_of_numpy(register):
    register(
        st.dispatch.dispatch_for_api(st.reduce_sum, {"input_tensor": C}), lambda input_tensor, axis, keepdims: (axis, keepdims)
    )
    register(st.dispatch.dispatch_for_api(st.concat, {"values": List[C]}), lambda values, axis: len(values))
    register(st.dispatch.dispatch_for_api(st.tile, {0: C}), lambda input, multiples: multiples)
    assert np.sum(C([1])) == (None, False) and np.sum(C([1]), axis=1, keepdims=True) == (1, True)
    assert np.concatenate([C([1]), C([2])]) == 2 and np.tile(C([1]), 3) == 3
    with pytest.raises(TypeError):
        np.sum(C([1]), dtype="int32")
    with pytest.raises(TypeError):
        np.prod(C([1]))


def test_the_protocol_of_the_rfc():
    asked = []

    class Base(st.ExtensionType):
        x: st.Tensor

        @classmethod
        def __tf_dispatch__(cls, op, args, kwargs):
            asked.append((cls.__name__, op.__name__, len(args), kwargs))
            return NotImplemented if op is st.add else cls.__name__

    class Derived(Base):
        pass

    assert st.multiply(Base([1]), Derived([1])) == "Derived"
    assert st.reduce_max(Base([1]), keepdims=True) == "Base"
    with pytest.raises((TypeError, ValueError)):
        st.add(Base([1]), Derived([1]))
    assert asked == [
        ("Derived", "multiply", 2, {}),
        ("Base", "reduce_max", 3, {}),
        ("Derived", "add", 2, {}),
        ("Base", "add", 2, {}),
    ]


def test_what_cannot_be_registered():
    def target(x, y):
        pass

    wrong = [
        lambda: st.dispatch.dispatch_for_api(len),
        lambda: st.dispatch.dispatch_for_api(st.constant),
        lambda: st.dispatch.dispatch_for_api(st.add, {"z": A}),
        lambda: st.dispatch.dispatch_for_api(st.add, {2: A}),
        lambda: st.dispatch.dispatch_for_api(st.add, {"x": A, 0: A}),
        lambda: st.dispatch.dispatch_for_api(st.add, {"x": "A"}),
        lambda: st.dispatch.dispatch_for_api(st.add, {"x": typing.Any}),
        lambda: st.dispatch.dispatch_for_api(st.add, {"x": typing.Dict[str, A]}),
        lambda: st.dispatch.dispatch_for_api(st.add, {"x": st.Tensor}),
        lambda: st.dispatch.dispatch_for_api(st.add, {}),
        lambda: st.dispatch.dispatch_for_api(st.add)(target),
        lambda: st.dispatch.dispatch_for_api(st.add, {"x": A})(lambda x: None),
        lambda: st.dispatch.dispatch_for_api(st.add, {"x": A})(lambda x, z: None),
        lambda: st.dispatch.dispatch_for_unary_elementwise_apis(st.Tensor)(lambda api, x: None),
        lambda: st.dispatch.dispatch_for_unary_elementwise_apis(A)(lambda x: None),
        lambda: st.dispatch.dispatch_for_binary_elementwise_apis(A, A)(lambda x, y: None),
        lambda: st.dispatch.dispatch_for_binary_elementwise_apis(A, 3),
        lambda: st.dispatch.unregister_dispatch_for(target),
    ]
    for function in wrong:
        with pytest.raises(ValueError):
            function()
    for not_callable in (
        lambda: st.dispatch.dispatch_for_api(st.add, 3),
        lambda: st.dispatch.dispatch_for_unary_elementwise_apis(A)(3),
    ):
        with pytest.raises(TypeError):
            not_callable()


def test_every_function_says_what_it_takes():
    for name in ("is_unary_elementwise_op", "is_binary_elementwise_op"):
        assert getattr(st.dispatch, name)(len) is False
    assert st.dispatch.is_unary_elementwise_op(st.abs) and st.dispatch.is_unary_elementwise_op(st.strings.length)
    assert st.dispatch.is_binary_elementwise_op(st.equal) and not st.dispatch.is_unary_elementwise_op(st.equal)
    assert st.dispatch.is_reduction_op(st.reduce_sum) and not st.dispatch.is_reduction_op(st.add)
    assert st.abs in st.dispatch.unary_elementwise_apis() and st.add in st.dispatch.binary_elementwise_apis()
    assert len(st.dispatch.unary_elementwise_apis()) > 40 and len(st.dispatch.binary_elementwise_apis()) == 29


def test_optional_and_several_signatures(register):
    def where(condition: Optional[A], x: Union[A, None] = None, y=None):
        return "where"

    register(st.dispatch.dispatch_for_api(st.where), where)
    assert st.where(A([True])) == "where" and st.where(None, A([1])) == "where"
    assert st.where(st.constant([True])).to_py() == [[0]]


def test_every_function_of_x_and_y_is_elementwise():
    functions = [each for each in _functions.ALL.values() if hasattr(each, "_api")]
    of_x_and_y = {f.__name__ for f in functions if list(inspect.signature(f).parameters) == ["x", "y", "name"]}
    assert of_x_and_y == {f.__name__ for f in st.dispatch.binary_elementwise_apis()} and len(of_x_and_y) > 20


def test_lists_that_contain_themselves_are_the_functions_matter(register):
    @st.dispatch.dispatch_for_api(st.add)
    def add(x: A, y: A):
        return "added"

    register(lambda target: target, add)
    items = [1]
    items.append(items)
    with pytest.raises(ValueError, match="deeper than"):
        st.add(items, 1)


def test_threads_register_one_handler():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    accepted = []
    barrier = threading.Barrier(8)

    def register_one():
        def handler(api, x):
            return "mine"

        barrier.wait()
        try:
            accepted.append(st.dispatch.dispatch_for_unary_elementwise_apis(C)(handler))
        except ValueError:
            pass

    try:
        for _ in range(20):
            threads = [threading.Thread(target=register_one) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(accepted) == 1
            assert st.abs(C([1])) == "mine"
            st.dispatch.unregister_dispatch_for(accepted.pop())
    finally:
        sys.setswitchinterval(before)


def test_the_protocol_is_a_protocol():
    class Asked:
        @classmethod
        def __tf_dispatch__(cls, op, args, kwargs):
            return op.__name__, len(args), kwargs

    assert isinstance(Asked(), st.DispatchableType) and issubclass(Asked, st.DispatchableType)
    assert not isinstance(3, st.DispatchableType)
    assert st.gather(Asked(), [0], bounds="values") == ("gather", 2, {"bounds": "values"})
    assert st.constant([1]) * Asked() == ("multiply", 2, {}) and Asked() is not None
