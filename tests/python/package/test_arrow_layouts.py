"""Every layout of Arrow, nested at random, with nulls and slices: what comes in is what pyarrow's own scalars say it is."""

import datetime
import decimal
import random

import numpy as np
import pyarrow as pa
import pyarrow.compute  # noqa: F401
import pytest

import structtensor as st

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
MIDNIGHT = datetime.time()
STRINGS = ["", "a", "größe", "twelve bytes", "more than twelve bytes", "more than twelve bytes, too"]


def at(dice):
    return EPOCH + datetime.timedelta(microseconds=dice.randrange(-(10**14), 10**14))


def time_of_day(dice):
    return (EPOCH + datetime.timedelta(milliseconds=dice.randrange(86_400_000))).time()


def number(digits, scale):
    return lambda dice: decimal.Decimal(dice.randrange(-(10**digits) + 1, 10**digits)).scaleb(-scale, decimal.Context(prec=80))


def integer(bits, signed):
    low = -(2 ** (bits - 1)) if signed else 0
    return lambda dice: dice.randrange(low, low + 2**bits)


def text(dice):
    return dice.choice(STRINGS)


def binary(dice):
    return dice.choice(STRINGS).encode()


LEAVES = [
    *((pa.type_for_alias(f"int{bits}"), integer(bits, True)) for bits in (8, 16, 32, 64)),
    *((pa.type_for_alias(f"uint{bits}"), integer(bits, False)) for bits in (8, 16, 32, 64)),
    (pa.bool_(), lambda dice: dice.random() < 0.5),
    (pa.float16(), lambda dice: np.float16(dice.randrange(-100, 100) / 4)),
    (pa.float32(), lambda dice: dice.randrange(-100, 100) / 4),
    (pa.float64(), random.Random.random),
    (pa.string(), text),
    (pa.large_string(), text),
    (pa.string_view(), text),
    (pa.binary(), binary),
    (pa.large_binary(), binary),
    (pa.binary_view(), binary),
    (pa.binary(3), lambda dice: dice.randbytes(3)),
    (pa.decimal32(9, 2), number(9, 2)),
    (pa.decimal64(18, 18), number(18, 18)),
    (pa.decimal128(38, 10), number(38, 10)),
    (pa.decimal256(76, 0), number(76, 0)),
    (pa.timestamp("us", "UTC"), at),
    (pa.timestamp("us", "Asia/Kolkata"), at),
    (pa.timestamp("us"), lambda dice: at(dice).replace(tzinfo=None)),
    (pa.timestamp("s"), lambda dice: at(dice).replace(tzinfo=None, microsecond=0)),
    (pa.date32(), lambda dice: at(dice).date()),
    (pa.date64(), lambda dice: at(dice).date()),
    (pa.time32("s"), lambda dice: time_of_day(dice).replace(microsecond=0)),
    (pa.time32("ms"), time_of_day),
    (pa.time64("us"), time_of_day),
    (pa.duration("us"), lambda dice: at(dice) - EPOCH),
    (pa.null(), lambda dice: None),
]


def mask_of(dice, size):
    return pa.array([dice.random() < 0.2 for _ in range(size)], pa.bool_())


def leaf(dice, size, kind):
    type_, make = kind
    return pa.array([None if dice.random() < 0.2 else make(dice) for _ in range(size)], type_)


def offsets_of(dice, size):
    """Those of `size` lists, which need not start at 0, and how many elements they need."""
    offsets = [dice.randrange(3)]
    for _ in range(size):
        offsets.append(offsets[-1] + dice.randrange(4))
    return offsets, offsets[-1] + dice.randrange(3)


def lists(dice, size, depth):
    offsets, count = offsets_of(dice, size)
    large = dice.random() < 0.5
    return (pa.LargeListArray if large else pa.ListArray).from_arrays(
        pa.array(offsets, pa.int64() if large else pa.int32()), some_array(dice, count, depth), mask=mask_of(dice, size)
    )


def list_views(dice, size, depth):
    count = dice.randrange(1, 9)
    starts = [dice.randrange(count) for _ in range(size)]
    sizes = [dice.randrange(count - start + 1) for start in starts]
    large = dice.random() < 0.5
    offset_type = pa.int64() if large else pa.int32()
    return (pa.LargeListViewArray if large else pa.ListViewArray).from_arrays(
        pa.array(starts, offset_type), pa.array(sizes, offset_type), some_array(dice, count, depth), mask=mask_of(dice, size)
    )


def fixed_size_lists(dice, size, depth):
    length = dice.randrange(1, 4)
    return pa.FixedSizeListArray.from_arrays(some_array(dice, size * length, depth), length, mask=mask_of(dice, size))


def maps(dice, size, depth):
    offsets, count = offsets_of(dice, size)
    keys = pa.array([f"key {i}" for i in range(count)])
    return pa.MapArray.from_arrays(pa.array(offsets, pa.int32()), keys, some_array(dice, count, depth))


def structs(dice, size, depth):
    names = ["a", "b", "c"][: dice.randrange(1, 4)]
    return pa.StructArray.from_arrays([some_array(dice, size, depth) for _ in names], names, mask=mask_of(dice, size))


def dictionaries(dice, size, depth):
    count = dice.randrange(1, 6)
    indices = [None if dice.random() < 0.2 else dice.randrange(count) for _ in range(size)]
    index_type = dice.choice([pa.int8(), pa.uint16(), pa.int32(), pa.int64()])
    return pa.DictionaryArray.from_arrays(pa.array(indices, index_type), values_of(dice, count, depth))


def runs(dice, size, depth):
    ends = sorted(dice.sample(range(1, size + 1), dice.randrange(1, size + 1))) if size > 0 else []
    if size > 0 and ends[-1] != size:
        ends.append(size)
    index_type = dice.choice([pa.int16(), pa.int32(), pa.int64()])
    return pa.RunEndEncodedArray.from_arrays(pa.array(ends, index_type), values_of(dice, len(ends), depth))


def unions(dice, size, depth):
    members = [dice.randrange(2) for _ in range(size)]
    codes = [5, 0]
    types = pa.array([codes[member] for member in members], pa.int8())
    if dice.random() < 0.5:
        children = [values_of(dice, size, depth) for _ in codes]
        return pa.UnionArray.from_sparse(types, children, ["x", "y"], codes)
    # The offsets of a member ascend.
    offsets = [members[:i].count(member) for i, member in enumerate(members)]
    children = [values_of(dice, members.count(member) + dice.randrange(2), depth) for member in range(2)]
    return pa.UnionArray.from_dense(types, pa.array(offsets, pa.int32()), children, ["x", "y"], codes)


NESTED = [lists, list_views, fixed_size_lists, maps, structs, dictionaries, runs, unions]


def some_array(dice, size, depth, make=None):
    """An array of `size` elements, half of the time a slice of a longer one."""
    before, after = (dice.randrange(3), dice.randrange(3)) if dice.random() < 0.5 else (0, 0)
    total = before + size + after
    if depth == 0:
        make = leaf_of_any
    make = make or dice.choice([leaf_of_any, *NESTED])
    return make(dice, total, depth - 1).slice(before, size)


def values_of(dice, size, depth):
    """Values of dictionaries, runs and unions. Were they such themselves, pyarrow would not say which of them has the null."""
    return some_array(dice, size, depth, dice.choice([leaf_of_any, lists, list_views, fixed_size_lists, maps, structs]))


def leaf_of_any(dice, size, depth):
    return leaf(dice, size, dice.choice(LEAVES))


def nothing(type_):
    """What a null of that type is here."""
    if pa.types.is_fixed_size_list(type_):
        return [nothing(type_.value_type)] * type_.list_size
    if pa.types.is_dictionary(type_) or pa.types.is_run_end_encoded(type_):
        return nothing(type_.value_type)
    return [] if pa.types.is_map(type_) or hasattr(type_, "value_field") else None


def meaning(array):
    """The elements as they should be here, by what pyarrow says of one after the other."""
    return [meaning_of(array[i]) for i in range(len(array))]


def meaning_of(scalar):
    type_ = scalar.type
    if pa.types.is_union(type_):
        index = type_.type_codes.index(scalar.type_code)
        fields = [type_.field(i) for i in range(type_.num_fields)]
        return {
            field.name: meaning_of(scalar.value) if i == index and scalar.value is not None else nothing(field.type)
            for i, field in enumerate(fields)
            if not pa.types.is_null(field.type)
        }
    if pa.types.is_dictionary(type_):
        return meaning_of(scalar.value) if scalar.is_valid else nothing(type_)
    if pa.types.is_run_end_encoded(type_):
        return meaning_of(scalar.value) if scalar.is_valid else nothing(type_)
    if not scalar.is_valid:
        return nothing(type_)
    if pa.types.is_struct(type_):
        return {field.name: meaning_of(scalar[field.name]) for field in type_ if not pa.types.is_null(field.type)}
    if pa.types.is_map(type_):
        return list(zip(meaning(scalar.values.field(0)), meaning(scalar.values.field(1))))
    if hasattr(scalar, "values"):
        return meaning(scalar.values)
    value = scalar.as_py()
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, datetime.datetime):
        return value if value.tzinfo else value.replace(tzinfo=datetime.timezone.utc)
    if isinstance(value, datetime.date):
        return datetime.datetime.combine(value, MIDNIGHT, datetime.timezone.utc)
    if isinstance(value, datetime.time):
        return datetime.datetime.combine(EPOCH, value, datetime.timezone.utc) - EPOCH
    return value


def check(array):
    array.validate(full=True)
    value = st.from_arrow(array)
    assert pa.array(value).to_pylist() == meaning(array), array.type


@pytest.mark.parametrize("kind", LEAVES, ids=lambda kind: str(kind[0]))
def test_elements(kind):
    dice = random.Random(1)
    for size in (0, 1, 7, 40):
        array = leaf(dice, size, kind)
        check(array)
        check(array.slice(size // 3, size // 2))


@pytest.mark.parametrize("make", NESTED, ids=lambda make: make.__name__)
def test_nested(make):
    for seed in range(60):
        dice = random.Random(seed)
        check(some_array(dice, dice.choice([0, 1, 5, 11]), 1 + seed % 3, make))


def test_extension_types_are_what_they_are_stored_as():
    array = pa.array([b"0123456789abcdef", None], pa.uuid())
    assert st.from_arrow(array).to_py() == [b"0123456789abcdef", None]


def test_intervals_are_errors_that_say_what_to_do():
    table = pa.table({"wait": pa.array([(1, 2, 3)], pa.month_day_nano_interval())})
    with pytest.raises(ValueError, match='field wait: a column of the Arrow type interval \\("tin"\\) cannot be read; cast it'):
        st.from_arrow(table)


def test_batches_of_a_table_have_one_type():
    """Also where only some of them have nulls."""
    for type_ in (pa.list_(pa.int32(), 2), pa.dictionary(pa.int8(), pa.string()), pa.run_end_encoded(pa.int32(), pa.int64())):
        plain = type_.value_type if not pa.types.is_fixed_size_list(type_) else type_
        values = [[1, 2], [3, 4]] if plain is type_ else ["a", "b"] if pa.types.is_string(plain) else [1, 2]
        arrays = [pa.array(values, plain), pa.array([None, values[0]], plain)]
        if pa.types.is_dictionary(type_):
            arrays = [array.dictionary_encode().cast(type_) for array in arrays]
        elif plain is not type_:
            arrays = [pa.compute.run_end_encode(array) for array in arrays]
        value = st.from_arrow(pa.table({"x": pa.chunked_array(arrays)}))["x"]
        absent = [None, None] if plain is type_ else None
        assert value.to_py() == [*values, absent, values[0]]


@pytest.mark.parametrize(
    "type_",
    [
        *(type_ for type_, _ in LEAVES),
        pa.dictionary(pa.int8(), pa.string()),
        pa.dictionary(pa.int32(), pa.string_view()),
        pa.run_end_encoded(pa.int32(), pa.string()),
        pa.list_(pa.string_view()),
        pa.large_list(pa.int64()),
        pa.list_view(pa.int64()),
        pa.large_list_view(pa.binary_view()),
        pa.list_(pa.string(), 3),
        pa.map_(pa.string(), pa.string_view()),
        pa.struct([("a", pa.string_view()), ("b", pa.list_view(pa.int8()))]),
        pa.dense_union([pa.field("a", pa.int64()), pa.field("b", pa.string_view())]),
        pa.sparse_union([pa.field("a", pa.int64()), pa.field("b", pa.string())]),
    ],
    ids=str,
)
def test_streams_without_batches(type_):
    schema = pa.schema([("x", type_)])
    rows = st.from_arrow(pa.RecordBatchReader.from_batches(schema, []))
    assert len(rows) == 0
    # As from batches: a column of nulls only says nothing.
    assert rows.field_names() == (() if type_ == pa.null() else ("x",))
