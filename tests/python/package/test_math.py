"""Elementwise functions against NumPy and Python."""

import math
import re

import numpy as np
import pytest
import structtensor as st

VALUES = [-40.0, -2.5, -1.0, -0.3, -0.0, 0.0, 1e-9, 0.5, 1.0, 2.5, 30.0, math.inf, -math.inf, math.nan]
UFUNCS = (
    "absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh exp expm1 floor isfinite isinf isnan log log10 "
    "log1p log2 negative positive reciprocal rint sign sin sinh sqrt square tan tanh trunc"
).split()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_of_numpy(name, dtype):
    array, ufunc = np.array(VALUES, dtype=dtype), getattr(np, name)
    expected = ufunc(array)
    found = ufunc(st.constant(array))
    assert isinstance(found, st.Tensor)
    assert found.to_numpy().dtype == expected.dtype
    tolerance = 1e-13 if dtype == "float64" else 2e-6
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=tolerance, atol=tolerance)
    # Under ragged rows, and with absent elements.
    ragged = st.RaggedTensor.from_row_lengths(array, [2, 0, len(VALUES) - 2])
    np.testing.assert_array_equal(ufunc(ragged).flat_values.to_numpy(), found.to_numpy())
    assert ufunc(st.constant([1.0, None], spec=st.TensorSpec((2,), dtype, nullable=True))).to_py()[1] is None


WHOLE = [0, 1, 2, 9, -3]


@pytest.mark.parametrize("dtype", ["bool", "int32", "int64", "uint32", "uint64"])
@pytest.mark.parametrize("name", sorted(set(UFUNCS) - {"absolute", "negative", "positive", "reciprocal", "sign", "square"}))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions_of_whole_numbers(name, dtype):
    array, ufunc = np.array(WHOLE[: 4 if dtype[0] == "u" else 5]).astype(dtype), getattr(np, name)
    expected = ufunc(array if dtype != "bool" or name in ("floor", "ceil", "trunc") else array.astype("int64"))
    found = ufunc(st.constant(array))
    assert isinstance(found, st.Tensor)
    assert found.to_numpy().dtype == expected.dtype
    np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-13)
    ragged = ufunc(st.RaggedTensor.from_row_lengths(array, [2, 0, len(array) - 2]))
    assert ragged.row_lengths().to_py() == [2, 0, len(array) - 2]
    np.testing.assert_array_equal(ragged.flat_values.to_numpy(), found.to_numpy())
    assert ufunc(st.constant([True, None], spec=st.TensorSpec((2,), "bool", nullable=True))).to_py()[1] is None


@pytest.mark.parametrize("name", ["arctan2", "hypot"])
def test_pairs_of_whole_numbers(name):
    x, y, ufunc = np.array([3, -5, 0], dtype="int32"), np.array([4, 12, 7]), getattr(np, name)
    for left, right in ((x, y), (x, 4), (4, y), (x > 0, y), (x, 0.5), (x.astype("double"), y), (x, True), (np.int64(3), y)):
        expected = ufunc(left, right)
        ours = st.constant(left) if isinstance(left, np.ndarray) else left
        found = ufunc(ours, st.constant(right) if isinstance(right, np.ndarray) else right)
        assert isinstance(found, st.Tensor) and found.dtype == "double"
        np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-13)
        np.testing.assert_array_equal((ufunc(ours, right) if ours is not left else found).to_numpy(), found.to_numpy())


def test_nothing_is_lost_of_whole_numbers():
    large = np.array([2**63 - 1, -(2**63)])
    for ufunc in (np.floor, np.ceil, np.trunc):
        np.testing.assert_array_equal(ufunc(st.constant(large)).to_numpy(), large)
    with pytest.raises(ValueError):
        st.sqrt(large)  # as TensorFlow does
    with pytest.raises(ValueError):
        np.sqrt(st.constant(["a"]))


PAIRS = "arctan2 hypot maximum minimum true_divide floor_divide remainder power".split()


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_pairs_of_fractions(name):
    x, y = np.meshgrid([-2.5, -1.0, 0.5, 3.0], [-1.5, 0.25, 2.0])
    ufunc = getattr(np, name)
    np.testing.assert_allclose(ufunc(st.constant(x), st.constant(y)).to_numpy(), ufunc(x, y), rtol=1e-13)
    np.testing.assert_allclose(ufunc(st.constant(x), 2.0).to_numpy(), ufunc(x, 2.0), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"])
def test_bits(name, dtype):
    x, y = np.array([0, 1, 12, 1000, 2**31 - 1], dtype=dtype), np.array([[0], [3], [7]], dtype=dtype)
    ufunc = getattr(np, name)
    found = ufunc(st.constant(x), st.constant(y))
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.to_numpy(), ufunc(x, y))
    np.testing.assert_array_equal(np.invert(st.constant(x)).to_numpy(), np.invert(x))


def test_operators_of_bits():
    x = st.constant([[12, 10], [], [-1]])
    assert (x & 6).to_py() == [[4, 2], [], [6]]
    assert (6 | x).to_py() == [[14, 14], [], [-1]]
    assert (x ^ x).to_py() == [[0, 0], [], [0]]
    assert (~x).to_py() == [[-13, -11], [], [0]]
    assert (x << 1).to_py() == [[24, 20], [], [-2]]
    assert (1 << st.constant([0, 4])).to_py() == [1, 16]
    assert (x >> 1).to_py() == [[6, 5], [], [-1]]
    assert (st.constant([True, False]) & True).to_py() == [True, False]
    assert (~st.constant([True, False])).to_py() == [False, True]
    assert st.bitwise.left_shift(st.constant([5]), 64).to_py() == [0]
    fractions = st.constant([1.5])
    for wrong in (lambda: x & 1.5, lambda: x << -1, lambda: fractions & fractions, lambda: ~st.constant(["a"])):
        with pytest.raises(ValueError):
            wrong()


def test_functions_that_numpy_lacks():
    x = [-3.5, -0.5, 0.25, 2.0]
    tensor = st.constant(x)
    assert st.math.erf(tensor).to_py() == pytest.approx([math.erf(v) for v in x])
    assert st.math.erfc(tensor).to_py() == pytest.approx([math.erfc(v) for v in x])
    assert st.math.lgamma(tensor).to_py() == pytest.approx([math.lgamma(v) for v in x])
    assert st.math.sigmoid(tensor).to_py() == pytest.approx([1 / (1 + math.exp(-v)) for v in x])
    assert st.math.rsqrt([4.0]).to_py() == [0.5]
    assert st.math.squared_difference(tensor, 1.0).to_py() == [(v - 1) ** 2 for v in x]
    assert st.math.divide_no_nan(tensor, [0.0, 1.0, 0.0, 4.0]).to_py() == [0, -0.5, 0, 0.5]
    for name in ("erf", "lgamma", "sigmoid", "log1p", "sin", "is_inf", "rsqrt"):
        for wrong in (["a"], [1], [True], "text"):
            with pytest.raises(ValueError):
                getattr(st.math, name)(wrong)
        for no_tensor in ([{"a": 1.5}], object()):
            with pytest.raises(TypeError):
                getattr(st.math, name)(no_tensor)


STRINGS = ["", " a b  c\t", "größe", "a,b,,c", ",", "日本 語\n"]


def test_strings_as_in_python():
    tensor = st.constant(STRINGS)
    assert st.strings.strip(tensor).to_py() == [text.strip() for text in STRINGS]
    for maxsplit in (-1, 0, 1, 2, 10):
        assert st.strings.split(tensor, maxsplit=maxsplit).to_py() == [text.split(None, maxsplit) for text in STRINGS]
        for sep in (",", "a", " b", "ß"):
            assert st.strings.split(tensor, sep, maxsplit).to_py() == [text.split(sep, maxsplit) for text in STRINGS]
    for part in ("", "a", " a", "größe", "\n"):
        assert st.strings.starts_with(tensor, part).to_py() == [text.startswith(part) for text in STRINGS]
        assert st.strings.ends_with(tensor, part).to_py() == [text.endswith(part) for text in STRINGS]
    assert st.strings.split([b"a\xff,b"], b",").to_py() == [[b"a\xff", b"b"]]
    assert st.strings.split("a b").to_py() == ["a", "b"]
    assert st.strings.split(st.constant([["a b"], []])).to_py() == [[["a", "b"]], []]


def test_parts_of_strings():
    strings = ["abcdef", "größe!"]
    for pos in (-5, -1, 0, 3):
        for size in (0, 1, 100):
            bounds = [pos if pos >= 0 else len(text) + pos for text in strings]
            expected = [text[start : start + size] for text, start in zip(strings, bounds)]
            assert st.strings.substr(strings, pos, size, "utf8_char").to_py() == expected
    assert st.strings.substr(strings[:1], 1, 2).to_py() == ["bc"]
    ragged = st.constant([["a", "b"], [], ["c"]])
    assert st.strings.reduce_join(ragged, axis=-1, separator="+").to_py() == ["a+b", "", "c"]
    assert st.strings.reduce_join(ragged).to_py() == "abc"
    assert st.strings.reduce_join(ragged, axis=1, keepdims=True).to_py() == [["ab"], [""], ["c"]]


@pytest.mark.parametrize("pattern", ["a", "a*", "", "^", "b|,", "[a-zß]+", "(?i)GR"])
def test_regular_expressions_as_in_python(pattern):
    tensor = st.constant(STRINGS)
    matches = [re.fullmatch(pattern, text) is not None for text in STRINGS]
    assert st.strings.regex_full_match(tensor, pattern).to_py() == matches
    first = [re.sub(pattern, r"<\g<0>>", text, count=1) for text in STRINGS]
    assert st.strings.regex_replace(tensor, pattern, r"<\0>", replace_global=False).to_py() == first
    if pattern != "a*":  # Python replaces an empty match right after another match; RE2 does not
        every = [re.sub(pattern, r"<\g<0>>", text) for text in STRINGS]
        assert st.strings.regex_replace(tensor, pattern, r"<\0>").to_py() == every


def test_regular_expressions_under_rows():
    ragged = st.constant([["ab", "b"], [], ["cab"]])
    assert st.strings.regex_replace(ragged, "(a)(b)", r"\2\1").to_py() == [["ba", "b"], [], ["cba"]]
    assert st.strings.regex_full_match(ragged, ".?ab").to_py() == [[True, False], [], [True]]
    assert st.strings.regex_replace([b"a\xffb"], b"[^ab]", b"").to_py() == [b"ab"]


def test_wrong_arguments_of_strings():
    for wrong, error in (
        (lambda: st.strings.substr(["a"], 2, 1), ValueError),
        (lambda: st.strings.substr(["a"], 0, -1), ValueError),
        (lambda: st.strings.substr(["a"], 1 << 70, 1), OverflowError),
        (lambda: st.strings.substr(["a"], -(1 << 63), 1), ValueError),
        (lambda: st.strings.substr(["a"], 0, 1, "bits"), ValueError),
        (lambda: st.strings.split(["a"], maxsplit=-2), ValueError),
        (lambda: st.strings.split(["a"], sep=5), TypeError),
        (lambda: st.strings.split([1]), ValueError),
        (lambda: st.strings.strip(5), ValueError),
        (lambda: st.strings.starts_with(["a"], 5), TypeError),
        (lambda: st.strings.ends_with([1], "a"), ValueError),
        (lambda: st.strings.regex_full_match(["a"], "("), ValueError),
        (lambda: st.strings.regex_full_match(["a"], "(a{1000}){1000}"), ValueError),
        (lambda: st.strings.regex_full_match([1], "a"), ValueError),
        (lambda: st.strings.regex_full_match(["a"], 5), TypeError),
        (lambda: st.strings.regex_replace(["a"], "a", r"\1"), ValueError),
        (lambda: st.strings.regex_replace(["a"], "a", "\\"), ValueError),
        (lambda: st.strings.regex_replace(["a" * 1000], "a*", r"\0" * 3_000_000), MemoryError),
        (lambda: st.strings.reduce_join(["a"], axis=1), ValueError),
        (lambda: st.strings.reduce_join([1.5]), ValueError),
        (lambda: st.strings.reduce_join([{"a": "b"}]), TypeError),
    ):
        with pytest.raises(error):
            wrong()


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64", "float32", "float64"])
def test_quotients_that_are_rounded_to_zero(dtype):
    x, y = np.meshgrid(np.array([0, 1, 7, 8, 100], dtype=dtype), np.array([1, 3, 8, 9], dtype=dtype))
    if dtype[0] != "u":
        x = np.concatenate([x, -x, x, -x])
        y = np.concatenate([y, y, -y, -y])
    remainder = np.fmod(st.constant(x), st.constant(y))
    assert remainder.to_numpy().dtype == x.dtype
    np.testing.assert_array_equal(remainder.to_numpy(), np.fmod(x, y))
    np.testing.assert_array_equal(st.math.fmod(x, y).to_numpy(), np.fmod(x, y))
    quotient = st.math.truncatediv(x, y).to_numpy()
    np.testing.assert_array_equal(quotient, np.trunc(x.astype("double") / y).astype(dtype))
    np.testing.assert_array_equal(quotient * y + remainder.to_numpy(), x)


def test_corners_of_quotients():
    least = np.array([-(2**63), -(2**31)])
    assert st.math.truncatediv(least, [-1, -1]).to_py() == [-(2**63), 2**31]  # wraps around, as everywhere
    assert st.math.fmod(least, [-1, -1]).to_py() == [0, 0]
    ragged = st.constant([[7, -7], [], [None]], spec=st.RaggedTensorSpec((3, None), "int64", ragged_rank=1, nullable=True))
    assert st.math.truncatediv(ragged, 2).to_py() == [[3, -3], [], [None]]
    assert st.math.fmod(ragged, 4).to_py() == [[3, -3], [], [None]]
    assert st.math.fmod([5.5, -5.5], math.inf).to_py() == [5.5, -5.5]
    for function in (st.math.truncatediv, st.math.fmod):
        with pytest.raises(ValueError, match="divided by 0"):
            function([1], [0])
        with pytest.raises(ValueError):
            function(["a"], ["b"])


REDUCTIONS = ["sum", "prod", "mean", "var", "std", "max", "min", "amax", "amin", "any", "all"]


@pytest.mark.parametrize("dtype", ["bool", "int32", "int64", "uint32", "uint64", "float32", "float64"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_of_numpy(name, dtype):
    array = np.array([[[0, 1, 2], [3, 1, 0]], [[5, 0, 1], [1, 1, 1]]]).astype(dtype)
    function = getattr(np, name)
    for arguments in ({}, {"axis": 0}, {"axis": -1}, {"axis": (0, 2)}, {"axis": 1, "keepdims": True}, {"keepdims": True}):
        expected = function(array, **arguments)
        found = function(st.constant(array), **arguments)
        assert isinstance(found, st.Tensor)
        assert found.to_numpy().dtype == expected.dtype
        np.testing.assert_allclose(found.to_numpy(), expected, rtol=1e-6)
    # Rows that are ragged, one by one.
    ragged = st.RaggedTensor.from_row_lengths(array.reshape(-1), [5, 1, 6])
    rows = [array.reshape(-1)[a:b] for a, b in ((0, 5), (5, 6), (6, 12))]
    np.testing.assert_allclose(function(ragged, axis=1).to_numpy(), [function(row) for row in rows], rtol=1e-6)


def test_sums_of_numpy_are_wide():
    many = np.full(3, 2**31 - 1, dtype="int32")
    assert np.sum(st.constant(many)).to_py() == np.sum(many) == 3 * (2**31 - 1)
    assert st.reduce_sum(many).to_py() != 3 * (2**31 - 1)  # keeps the dtype, as TensorFlow's does
    assert np.sum(st.constant([1.5, None, 2.0], spec=st.TensorSpec((3,), "double", nullable=True))).to_py() == 3.5


@pytest.mark.parametrize(
    "value", [np.zeros((0,), "int64"), np.zeros((3, 0)), np.zeros((0,), "bool"), np.ma.masked_all(2, "int32")]
)
@pytest.mark.parametrize("function", [np.max, np.min, np.maximum.reduce, np.minimum.reduce])
def test_nothing_has_no_extremes(value, function):
    with pytest.raises(ValueError, match=r"of no elements, .*st\.reduce_m"):
        function(st.constant(value), axis=-1)


def test_rows_without_elements_have_no_extremes():
    ragged = st.constant([[3, 1], [], [2]])
    with pytest.raises(ValueError, match="max of no elements"):
        np.max(ragged, axis=1)
    assert np.max(ragged).to_py() == 3 and np.min(ragged[::2], axis=1).to_py() == [1, 2]
    # As NumPy: of no rows there are no extremes to ask for.
    assert np.max(st.constant(np.zeros((0, 3))), axis=1).to_py() == []
    assert np.isnan(np.max(st.constant([1.0, np.nan])).to_py()) == np.isnan(np.max(np.array([1.0, np.nan])))


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_or", "logical_and"])
def test_reductions_by_ufuncs(name):
    array = np.array([[1, 2, 0], [3, 0, 5]])
    reduce = getattr(np, name).reduce
    for arguments in ({}, {"axis": 1}, {"axis": None}, {"axis": -1, "keepdims": True}):
        found = reduce(st.constant(array), **arguments)
        assert isinstance(found, st.Tensor)
        np.testing.assert_array_equal(found.to_numpy(), reduce(array, **arguments))


def test_arguments_of_reductions_that_values_lack():
    x = st.constant([[1.0, 2.0], [3.0]])
    for name, arguments in (
        ("sum", {"dtype": "float32"}),
        ("sum", {"initial": 1}),
        ("mean", {"where": [True]}),
        ("var", {"ddof": 1}),
    ):
        with pytest.raises(TypeError, match=f"{name}: .*{next(iter(arguments))}.*to_numpy"):
            getattr(np, name)(x, **arguments)
    with pytest.raises(TypeError, match="add: .*initial"):
        np.add.reduce(x, initial=5)
    with pytest.raises(ValueError, match="axis"):
        np.sum(x, axis=2)
    with pytest.raises(TypeError):
        np.sum(x, axis="a")
    with pytest.raises(TypeError):
        np.add.accumulate(x)
    with pytest.raises(ValueError):
        np.sum(st.constant(["a"]))


def test_other_functions_of_numpy_get_arrays():
    array = np.array([[3, 1], [2, 4]])
    tensor = st.constant(array)
    assert isinstance(np.concatenate([tensor, tensor]), np.ndarray)
    np.testing.assert_array_equal(np.concatenate([tensor, tensor]), np.concatenate([array, array]))
    np.testing.assert_array_equal(np.where(tensor > 2, tensor, 0), np.where(array > 2, array, 0))
    np.testing.assert_array_equal(np.sort(tensor), np.sort(array))
    assert np.median(tensor) == 2.5
    assert np.sum([tensor, tensor]) == 20
    assert np.allclose(tensor, array)

    class Other:
        def __array_function__(self, function, types, args, kwargs):
            return function.__name__

    # Another library's arrays have the first word, on whichever side.
    assert np.concatenate([tensor, Other()]) == np.concatenate([Other(), tensor]) == "concatenate"
