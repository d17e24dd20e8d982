"""Arrow types as Spark has them, and the conversion of columns to other types.

Spark accepts a batch only if its Arrow schema is exactly the schema of the table: no unsigned numbers, no large or dictionary
types, times in microseconds, lists whose elements are named "element". `structtensor schema --to spark` prints the same types:

    uint32 -> long    uint64 -> decimal(20,0)    timestamp -> timestamp[us, UTC]    duration -> duration[us]
    large_list, fixed_size_list -> list          fixed_size_binary -> binary        dictionary -> its values

Columns are converted by type, from the outermost type to the inner ones. Buffers that both types have in common are shared. Of
a large list, only the offsets are converted.
"""

import pyarrow as pa
import pyarrow.compute as pc

TIMESTAMP = pa.timestamp("us", tz="UTC")
DURATION = pa.duration("us")
_UNSIGNED = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(), pa.uint64(): pa.decimal128(20, 0)}
_NUMBERS = (pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float32(), pa.float64())
_AS_THEY_ARE = {*_NUMBERS, pa.string(), pa.binary(), pa.date32()}
_UNITS_IN_A_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def _is_list(dtype):
    kinds = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(is_kind(dtype) for is_kind in kinds)


def spark_type(dtype, path):
    """The type of a column in Spark. Raises TypeError, with the path of the column, for a type that Spark does not have."""
    if dtype in _AS_THEY_ARE or pa.types.is_decimal128(dtype):
        return dtype
    if dtype in _UNSIGNED:
        return _UNSIGNED[dtype]
    if pa.types.is_dictionary(dtype):
        return spark_type(dtype.value_type, path)
    if pa.types.is_timestamp(dtype):
        return TIMESTAMP
    if pa.types.is_duration(dtype):
        return DURATION
    if pa.types.is_float16(dtype):
        return pa.float32()
    if pa.types.is_large_string(dtype):
        return pa.string()
    if pa.types.is_large_binary(dtype) or pa.types.is_fixed_size_binary(dtype):
        return pa.binary()
    if _is_list(dtype):
        item = dtype.value_field
        return pa.list_(pa.field("element", spark_type(item.type, f"{path}[]"), nullable=item.nullable))
    if pa.types.is_map(dtype):
        key = pa.field("key", spark_type(dtype.key_type, f"{path}.key"), nullable=False)
        value = pa.field("value", spark_type(dtype.item_type, f"{path}.value"), nullable=dtype.item_field.nullable)
        return pa.map_(key, value)
    if pa.types.is_struct(dtype):
        return pa.struct([spark_field(field, path) for field in dtype])
    raise TypeError(f"{path}: Spark has no type for Arrow's {dtype}; leave the field out by the option drop")


def spark_field(field, path=""):
    place = f"{path}.{field.name}" if path else field.name
    return pa.field(field.name, spark_type(field.type, place), nullable=field.nullable)


def spark_schema(schema):
    """The Arrow schema as Spark has it."""
    return pa.schema([spark_field(field) for field in schema])


def struct_type(schema):
    """pyspark's StructType for an Arrow schema. Requires: spark_schema() has made the Arrow schema."""
    from pyspark.sql.types import StructType

    return StructType([_struct_field(field) for field in schema])


def _struct_field(field):
    from pyspark.sql.types import StructField

    return StructField(field.name, _data_type(field.type), field.nullable)


def _plain_types():
    """Spark's types without parameters, by Arrow type."""
    from pyspark.sql import types

    return {
        pa.bool_(): types.BooleanType,
        pa.int8(): types.ByteType,
        pa.int16(): types.ShortType,
        pa.int32(): types.IntegerType,
        pa.int64(): types.LongType,
        pa.float32(): types.FloatType,
        pa.float64(): types.DoubleType,
        pa.string(): types.StringType,
        pa.binary(): types.BinaryType,
        pa.date32(): types.DateType,
        TIMESTAMP: types.TimestampType,
        DURATION: types.DayTimeIntervalType,
    }


def _data_type(dtype):
    from pyspark.sql import types

    if pa.types.is_struct(dtype):
        return types.StructType([_struct_field(field) for field in dtype])
    if pa.types.is_map(dtype):
        return types.MapType(_data_type(dtype.key_type), _data_type(dtype.item_type), dtype.item_field.nullable)
    if _is_list(dtype):
        return types.ArrayType(_data_type(dtype.value_type), dtype.value_field.nullable)
    if pa.types.is_decimal(dtype):
        return types.DecimalType(dtype.precision, dtype.scale)
    return _plain_types()[dtype]()


def arrow_schema(struct):
    """The Arrow schema that Spark has for a StructType. Raises ValueError for a type that columns of messages cannot have."""
    return pa.schema([_arrow_field(field, "") for field in struct])


def _arrow_field(field, path):
    place = f"{path}.{field.name}" if path else field.name
    return pa.field(field.name, _arrow_type(field.dataType, place), nullable=field.nullable)


def _arrow_type(data_type, path):
    from pyspark.sql import types

    if isinstance(data_type, types.StructType):
        return pa.struct([_arrow_field(field, path) for field in data_type])
    if isinstance(data_type, types.ArrayType):
        element = _arrow_type(data_type.elementType, f"{path}[]")
        return pa.list_(pa.field("element", element, nullable=data_type.containsNull))
    if isinstance(data_type, types.MapType):
        value = pa.field("value", _arrow_type(data_type.valueType, f"{path}.value"), nullable=data_type.valueContainsNull)
        return pa.map_(pa.field("key", _arrow_type(data_type.keyType, f"{path}.key"), nullable=False), value)
    if isinstance(data_type, types.DecimalType):
        return pa.decimal128(data_type.precision, data_type.scale)
    for dtype, kind in _plain_types().items():
        if isinstance(data_type, kind):
            return dtype
    raise ValueError(f"{path}: messages have no columns of the type {data_type.simpleString()}")


def _is_number(dtype):
    return pa.types.is_integer(dtype) or pa.types.is_floating(dtype) or pa.types.is_decimal(dtype)


def check_projection(have, want, path=""):
    """Raises ValueError unless the fields `have` can be converted to the fields `want`. `want` may have fewer fields."""
    known = {field.name: field for field in have}
    for field in want:
        place = f"{path}.{field.name}" if path else field.name
        if field.name not in known:
            raise ValueError(f"{place}: the messages have no such field; there are {', '.join(known) or 'none'}")
        found = known[field.name]
        if found.nullable and not field.nullable:
            raise ValueError(f"{place}: it may be absent, so the schema must allow null there")
        _check_type(found.type, field.type, place)


def _check_type(have, want, path):
    if pa.types.is_struct(have) and pa.types.is_struct(want):
        check_projection(have, want, path)
    elif pa.types.is_map(have) and pa.types.is_map(want):
        _check_type(have.key_type, want.key_type, f"{path}.key")
        check_projection([have.item_field], [want.item_field.with_name(have.item_field.name)], path)
    elif _is_list(have) and _is_list(want) and not pa.types.is_map(have) and not pa.types.is_map(want):
        element = have.value_field.with_name("element")
        check_projection([element], [want.value_field.with_name("element")], path)
    elif have != want and not (_is_number(have) and _is_number(want)):
        raise ValueError(f"{path}: the messages have {have} there, and the schema says {want}")


def _without_offset(array):
    """The same elements, in buffers that begin with the first element."""
    return array if array.offset == 0 else pa.concat_arrays([array])


def _narrow_offsets(offsets, path):
    try:
        return offsets.cast(pa.int32())
    except pa.ArrowInvalid:
        advice = "make batches smaller (batch_size, batch_bytes)"
        raise ValueError(f"{path}: a batch has more than 2^31 elements; {advice}") from None


def convert(array, dtype, path=""):
    """Converts an array to a type. Fields of structs are found by their names. Fields that the type does not have are left out,
    and fields that the array does not have are absent in all rows.

    Raises ValueError, with the path, for a value that the type cannot hold. Times that microseconds cannot count become absent.
    """
    have = array.type
    if have == dtype:
        return array
    if pa.types.is_dictionary(have):
        return convert(array.dictionary_decode(), dtype, path)
    if pa.types.is_struct(dtype):
        return _convert_struct(_without_offset(array), dtype, path)
    if pa.types.is_map(dtype):
        return _convert_map(_without_offset(array), dtype, path)
    if _is_list(dtype):
        return _convert_list(_without_offset(array), dtype, path)
    if pa.types.is_timestamp(have) or pa.types.is_duration(have):
        return _convert_times(array, dtype)
    try:
        return array.cast(dtype)
    except pa.ArrowInvalid as error:
        raise ValueError(f"{path}: {error}") from None


def _convert_struct(array, dtype, path):
    children = []
    for field in dtype:
        place = f"{path}.{field.name}" if path else field.name
        index = array.type.get_field_index(field.name)
        children.append(pa.nulls(len(array), field.type) if index < 0 else convert(array.field(index), field.type, place))
    return pa.Array.from_buffers(dtype, len(array), [array.buffers()[0]], array.null_count, children=children)


def _convert_map(array, dtype, path):
    keys = convert(array.keys, dtype.key_type, f"{path}.key")
    items = convert(array.items, dtype.item_type, f"{path}.value")
    entry = pa.struct([dtype.key_field, dtype.item_field])
    entries = pa.Array.from_buffers(entry, len(keys), [None], 0, children=[keys, items])
    return pa.Array.from_buffers(dtype, len(array), array.buffers()[:2], array.null_count, children=[entries])


def _convert_list(array, dtype, path):
    if pa.types.is_fixed_size_list(array.type):
        array = array.cast(pa.list_(array.type.value_field))
    values = convert(array.values, dtype.value_type, f"{path}[]")
    offsets = _narrow_offsets(array.offsets, path)
    buffers = [array.buffers()[0], offsets.buffers()[1]]
    return pa.Array.from_buffers(dtype, len(array), buffers, array.null_count, children=[values])


def _convert_times(array, dtype):
    """Converts units. Fractions of the new unit are cut off towards the past, as everywhere in structtensor."""
    have, want = _UNITS_IN_A_SECOND[array.type.unit], _UNITS_IN_A_SECOND[dtype.unit]
    counts = array.view(pa.int64())
    if have > want:
        factor = have // want
        rest = pc.subtract(counts, pc.multiply(pc.divide(counts, factor), factor))
        counts = pc.subtract(pc.divide(counts, factor), pc.if_else(pc.less(rest, 0), 1, 0))
    elif have < want:
        factor = want // have
        least, most = -(2**63) // factor + 1, (2**63 - 1) // factor
        fits = pc.and_(pc.greater_equal(counts, least), pc.less_equal(counts, most))
        counts = pc.multiply(pc.if_else(fits, counts, pa.scalar(None, pa.int64())), factor)
    return counts.view(dtype)


def convert_batch(batch, schema):
    """The columns of a record batch that the schema names, in the order and with the types of the schema."""
    columns = []
    for field in schema:
        index = batch.schema.get_field_index(field.name)
        if index < 0:
            columns.append(pa.nulls(batch.num_rows, field.type))
        else:
            columns.append(convert(batch.column(index), field.type, field.name))
    if not columns:
        # A table without columns still has rows.
        return pa.RecordBatch.from_struct_array(pa.Array.from_buffers(pa.struct([]), batch.num_rows, [None], 0, children=[]))
    return pa.RecordBatch.from_arrays(columns, schema=schema)
