"""TypeSpecs as trees of plain data, and the same trees parsed from TensorFlow's text for them."""

import structtensor as st

_DTYPES = {"float": "float32", "double": "float64", "bytes": "string"}


def dtype_name(dtype):
    """TensorFlow's name of a dtype."""
    return _DTYPES.get(dtype, dtype)


def _dims(shape):
    return None if shape is None else list(shape)


def _is_dense(partition):
    return partition.nrows is not None and partition.uniform_row_length is not None


def tree(spec, partitions_unless_dense=False):
    """{"$type": ..., name: value, ...}.

    partitions_unless_dense: leaves partitions out where all are dense, as TensorFlow's text does.
    """
    if spec is None:
        return None
    if isinstance(spec, st.TensorSpec):
        return {"$type": "Tensor", "shape": _dims(spec.shape), "dtype": dtype_name(spec.dtype)}
    if isinstance(spec, st.RaggedTensorSpec):
        return {
            "$type": "Ragged",
            "shape": _dims(spec.shape),
            "dtype": dtype_name(spec.dtype),
            "ragged_rank": spec.ragged_rank,
            "row_splits_dtype": spec.row_splits_dtype,
        }
    if isinstance(spec, st.RowPartitionSpec):
        return {
            "$type": "RowPartition",
            "nrows": spec.nrows,
            "nvals": spec.nvals,
            "uniform_row_length": spec.uniform_row_length,
            "dtype": spec.dtype,
        }
    partitions = spec.row_partitions
    if partitions_unless_dense and all(_is_dense(partition) for partition in partitions):
        partitions = []
    return {
        "$type": "Structured",
        "shape": _dims(spec.shape),
        "shape_dtype": spec.shape_dtype,
        "row_partitions": [tree(partition) for partition in partitions],
        "fields": {name: tree(field, partitions_unless_dense) for name, field in spec.fields.items()},
    }


class _Parser:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def take(self, token):
        if not self.text.startswith(token, self.at):
            return False
        self.at += len(token)
        return True

    def expect(self, token):
        if not self.take(token):
            raise ValueError(f"spec text, offset {self.at}: expected {token!r} in {self.text}")

    def node(self):
        if self.take("["):
            return self.items()
        if self.take("{"):
            return self.members(": ", "}", {})
        end = self.at
        while end < len(self.text) and self.text[end] not in ",()[]{}":
            end += 1
        word, self.at = self.text[self.at : end], end
        if not word:
            raise ValueError(f"spec text, offset {self.at}: expected a value in {self.text}")
        if self.take("("):
            return self.members("=", ")", {"$type": word})
        if word == "None":
            return None
        return int(word) if word.lstrip("-").isdigit() else word

    def items(self):
        items = []
        if self.take("]"):
            return items
        items.append(self.node())
        while self.take(", "):
            items.append(self.node())
        self.expect("]")
        return items

    def members(self, separator, close, members):
        if self.take(close):
            return members
        while True:
            end = self.text.find(separator, self.at)
            if end < 0:
                raise ValueError(f"spec text, offset {self.at}: expected a name in {self.text}")
            name, self.at = self.text[self.at : end], end + len(separator)
            members[name] = self.node()
            if not self.take(", "):
                break
        self.expect(close)
        return members


def parse(text):
    """The tree of TensorFlow's text. Raises ValueError for any other text."""
    parser = _Parser(text)
    node = parser.node()
    if parser.at != len(text):
        raise ValueError(f"spec text, offset {parser.at}: expected the end in {text}")
    return node
