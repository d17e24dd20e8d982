"""Converts values, as Spanner sends them, to Arrow columns. The metadata of a result has the types of the columns."""

import base64
import datetime
import re

import structtensor as st

from . import _database

_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = datetime.datetime(1970, 1, 1)
_TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z")


class Options:
    """The options of the caller, and the specs of JSON columns, which later batches share."""

    def __init__(self, schema, json, timestamps, null_arrays, decoder_options):
        self.schema, self.timestamps, self.null_arrays, self.decoder_options = schema, timestamps, null_arrays, decoder_options
        # The specs of rows with the value as their field "v", because a value need not be an object.
        self.json = {
            path: None if spec is None else st.StructuredTensorSpec([None], {"v": spec}) for path, spec in (json or {}).items()
        }
        self.decoders = {}
        self.used = set()

    def check_paths(self):
        """Call this after columns have been read. Raises KeyError for a path that no column has."""
        paths = [*self.json, *(self.schema if isinstance(self.schema, dict) else ())]
        for path in paths:
            if path not in self.used:
                kind = "JSON" if path in self.json else "PROTO"
                raise KeyError(f"{path}: the result has no {kind} column of that name")


def names_of(fields, path=""):
    """The names of the fields of a STRUCT or a result. A field without a name in SQL is named by its position: _0."""
    names = [field.name or f"_{i}" for i, field in enumerate(fields)]
    for name in names:
        if names.count(name) > 1:
            where = f"{path}: " if path else ""
            raise ValueError(f"{where}two fields have the name {name}; give them different ones, SELECT a AS x, b AS y")
    return names


def without_nulls(values):
    """The values that are not None, and for each value its position among these, or None."""
    found, places = [], []
    for value in values:
        if value is None:
            places.append(None)
        else:
            places.append(len(found))
            found.append(value)
    return found, places


def _read_all(values, read):
    return [None if value is None or value.HasField("null_value") else read(value) for value in values]


def _scalars(read, type_):
    def decode(values, path, type_proto, options):
        import pyarrow

        return pyarrow.array(_read_all(values, read), getattr(pyarrow, type_)())

    return decode


def _float(value):
    kind = value.WhichOneof("kind")
    if kind == "number_value":
        return value.number_value
    if kind == "string_value" and value.string_value in ("NaN", "Infinity", "-Infinity"):
        return float(value.string_value)
    raise ValueError(f"expected a number, found {value}")


def _text(value):
    if value.WhichOneof("kind") != "string_value":
        raise ValueError(f"expected a text, found {value}")
    return value.string_value


def _bool(value):
    if value.WhichOneof("kind") != "bool_value":
        raise ValueError(f"expected a boolean, found {value}")
    return value.bool_value


def _bytes(value):
    return base64.b64decode(_text(value), validate=True)


def _date(value):
    return datetime.date.fromisoformat(_text(value))


def _timestamps(values, path, type_proto, options):
    import pyarrow

    unit = options.timestamps
    per_second = _UNITS[unit]
    counts = []
    for value in values:
        if value is None or value.HasField("null_value"):
            counts.append(None)
            continue
        match = _TIMESTAMP.fullmatch(_text(value))
        if match is None:
            raise ValueError(f"expected a time as RFC 3339 writes it, found {value.string_value!r}")
        since = datetime.datetime.fromisoformat(match[1]) - _EPOCH
        fraction = int((match[2] or "").ljust(9, "0")) * per_second // 10**9
        count = (since.days * 86400 + since.seconds) * per_second + fraction
        if not -(1 << 63) <= count < 1 << 63:
            raise ValueError(f'{value.string_value} is beyond 64 bits of {unit}; pass timestamps="us", which holds all times')
        counts.append(count)
    return pyarrow.array(counts, pyarrow.timestamp(unit, tz="UTC"))


def _with_nulls(spec):
    """The spec of any number of rows. Everything that can be absent is nullable in it."""
    shape = [None] * len(spec.shape)
    if isinstance(spec, st.StructuredTensorSpec):
        fields = {name: _with_nulls(field) for name, field in spec.fields.items()}
        return st.StructuredTensorSpec(shape, fields, spec.kind, nullable=True)
    if isinstance(spec, st.RaggedTensorSpec):
        return st.RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank, spec.row_splits_dtype, nullable=True)
    return st.TensorSpec(shape, spec.dtype, nullable=True)


def json_column(strings, path, options):
    """A column from JSON strings, with None for NULL: of the values in them, or of the strings themselves if options.json does
    not have the path."""
    import pyarrow

    if path not in options.json:
        return pyarrow.array(strings, pyarrow.string())
    options.used.add(path)
    found, places = without_nulls(strings)
    rows = st.from_json("[" + ",".join(f'{{"v":{text}}}' for text in found) + "]", options.json[path])
    if "v" not in rows.field_names():  # all values are null
        return pyarrow.nulls(len(places), pyarrow.struct([]))
    if options.json[path] is None:  # for the batches to come
        options.json[path] = _with_nulls(rows.spec)
    return _array(rows, "v").take(pyarrow.array(places, pyarrow.int64()))


def _json(values, path, type_proto, options):
    return json_column(_read_all(values, _text), path, options)


def _array(rows, name):
    """A field as one Arrow array."""
    column = rows.to_arrow().column(name)
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def proto_column(messages, path, message, options):
    """A column from serialized messages, with None for NULL: of bytes, or of structs if there is a schema."""
    import pyarrow

    schema = _database.schema_of(options.schema, path)
    if schema is None:
        return pyarrow.array(messages, pyarrow.binary())
    options.used.add(path)
    decoder = options.decoders.get(path)
    if decoder is None:
        if message is not None:
            message = _database.message_of(schema, message, path)
        decoder = schema.decoder(message, timestamps=options.timestamps, **options.decoder_options)
        options.decoders[path] = decoder
    found, places = without_nulls(messages)
    table = decoder.decode(found).to_arrow()
    if not table.num_columns:  # a message type without fields: such an Arrow table does not know how many rows it has
        return pyarrow.array([None if place is None else {} for place in places], pyarrow.struct([]))
    structs = table.to_struct_array()
    if isinstance(structs, pyarrow.ChunkedArray):
        structs = structs.combine_chunks() if structs.num_chunks != 1 else structs.chunk(0)
    return structs.take(pyarrow.array(places, pyarrow.int64()))


def _protos(values, path, type_proto, options):
    return proto_column(_read_all(values, _bytes), path, type_proto.proto_type_fqn, options)


def _arrays(values, path, type_proto, options):
    import pyarrow

    elements, offsets = [], [0]
    for value in values:
        if value is None or value.HasField("null_value"):
            if options.null_arrays == "fail" and value is not None:
                raise ValueError('an array is NULL, which is read as an empty one; pass null_arrays="empty" to allow that')
        else:
            if value.WhichOneof("kind") != "list_value":
                raise ValueError(f"expected a list, found {value}")
            elements.extend(value.list_value.values)
        offsets.append(len(elements))
    inner = decode(elements, path, type_proto.array_element_type, options)
    return pyarrow.LargeListArray.from_arrays(pyarrow.array(offsets, pyarrow.int64()), inner)


def _structs(values, path, type_proto, options):
    import pyarrow

    fields = type_proto.struct_type.fields
    names = names_of(fields, path)
    columns, nulls = [[] for _ in fields], []
    for value in values:
        null = value is None or value.HasField("null_value")
        nulls.append(null)
        row = [None] * len(columns) if null else value.list_value.values
        if len(row) != len(columns):
            raise ValueError(f"expected {len(columns)} fields, found {len(row)}")
        for column, cell in zip(columns, row):
            column.append(cell)
    if not names:
        return pyarrow.array([None if null else {} for null in nulls], pyarrow.struct([]))
    arrays = [
        decode(column, f"{path}.{name}", field.type_, options) for column, name, field in zip(columns, names, fields)
    ]
    return pyarrow.StructArray.from_arrays(arrays, names, mask=pyarrow.array(nulls, pyarrow.bool_()))


# By the names in google.spanner.v1.TypeCode.
_DECODERS = {
    "BOOL": _scalars(_bool, "bool_"),
    "INT64": _scalars(lambda value: int(_text(value)), "int64"),
    "ENUM": _scalars(lambda value: int(_text(value)), "int32"),
    "FLOAT32": _scalars(_float, "float32"),
    "FLOAT64": _scalars(_float, "float64"),
    "STRING": _scalars(_text, "string"),
    "NUMERIC": _scalars(_text, "string"),
    "INTERVAL": _scalars(_text, "string"),
    "UUID": _scalars(_text, "string"),
    "BYTES": _scalars(_bytes, "binary"),
    "DATE": _scalars(_date, "date32"),
    "TIMESTAMP": _timestamps,
    "JSON": _json,
    "PROTO": _protos,
    "ARRAY": _arrays,
    "STRUCT": _structs,
}


def type_name(type_proto):
    """The name of a type's code, or its number if this client does not know the type."""
    from google.cloud.spanner_v1 import TypeCode

    try:
        return TypeCode(type_proto.code).name
    except ValueError:
        return str(type_proto.code)


def decode(values, path, type_proto, options):
    name = type_name(type_proto)
    if name not in _DECODERS:
        raise ValueError(f"{path}: columns of type {name} are not supported; cast the column to STRING in the query")
    return _DECODERS[name](values, path, type_proto, options)


def decode_column(values, path, type_proto, options, first_row):
    """One column of a result. Errors name the row; it is only searched for after an error."""
    try:
        return decode(values, path, type_proto, options)
    except (ValueError, st.DecodeError) as error:
        for i, value in enumerate(values):
            try:
                decode([value], path, type_proto, options)
            except (ValueError, st.DecodeError) as of_row:
                raise ValueError(f"row {first_row + i}, {path}: {of_row}") from of_row
        raise error
