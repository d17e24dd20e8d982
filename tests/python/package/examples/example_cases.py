"""Random tf.Examples and tf.SequenceExamples (valid, odd and damaged), and what they are parsed as.

Written by hand on the wire, since python-protobuf writes none of the odd ones.
"""

import random
import struct

import structtensor as st

BYTES, FLOAT, INT64 = 1, 2, 3


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def feature(kind, values, packed=True):
    if kind == BYTES:
        return field(kind, b"".join(field(1, value) for value in values))
    encode, tag = (lambda value: struct.pack("<f", value), b"\x0d") if kind == FLOAT else (varint, b"\x08")
    if packed:
        return field(kind, field(1, b"".join(encode(value) for value in values)) if values else b"")
    return field(kind, b"".join(tag + encode(value) for value in values))


def feature_map(features):
    """A Features, or a FeatureLists."""
    return b"".join(field(1, field(1, name.encode()) + field(2, content)) for name, content in features)


def example(features):
    return field(1, feature_map(features))


def random_values(dice, kind, count=None):
    count = dice.choice([0, 1, 1, 1, 2, 3, 20]) if count is None else count
    if kind == BYTES:
        return [bytes(dice.randrange(256) for _ in range(dice.randrange(4))) for _ in range(count)]
    if kind == FLOAT:
        return [dice.randrange(-100, 100) / 4 for _ in range(count)]
    return [dice.choice([0, 1, 2, -1, 300, 1 << 40]) for _ in range(count)]


def damaged(dice, message):
    message = bytearray(message)
    for _ in range(dice.choice([1, 1, 2])):
        if not message:
            break
        at, how = dice.randrange(len(message)), dice.random()
        if how < 0.5:
            message[at] = dice.choice([dice.randrange(256), 0, 255, 10, 18, 26, 1, 2])
        elif how < 0.7:
            del message[at:]
        elif how < 0.85:
            del message[at]
        else:
            message.insert(at, dice.randrange(256))
    return bytes(message)


# --- tf.Example

EXAMPLE_FEATURES = {
    "one": st.io.FixedLenFeature([], "int64"),
    "text": st.io.FixedLenFeature([], "bytes"),
    "default": st.io.FixedLenFeature([1], "float32", default_value=[2.5]),
    "pair": st.io.FixedLenFeature([2], "int64", default_value=[7, 8]),
    "list": st.io.VarLenFeature("int64"),
    "blocks": st.io.FixedLenSequenceFeature([2], "int64", allow_missing=True, default_value=-1),
    "padded": st.io.FixedLenSequenceFeature([], "bytes", allow_missing=True),
    "ragged": st.io.RaggedFeature("float32"),
}
_KINDS = {
    "one": INT64,
    "text": BYTES,
    "default": FLOAT,
    "pair": INT64,
    "list": INT64,
    "blocks": INT64,
    "padded": BYTES,
    "ragged": FLOAT,
}
_COUNTS = {"one": 1, "text": 1, "default": 1, "pair": 2}


def random_example(dice, odd):
    features = []
    for name, kind in _KINDS.items():
        if name not in ("one", "text") and dice.random() < 0.15:
            continue
        count = _COUNTS.get(name)
        if name == "blocks":
            count = 2 * dice.randrange(3)
        if odd and dice.random() < 0.01:
            count = None
        if odd and dice.random() < 0.01:
            kind = dice.choice([BYTES, FLOAT, INT64])
        # Unpacked floats of another number than the shape has end TensorFlow's process.
        packed = kind == FLOAT or dice.random() < 0.8
        content = feature(kind, random_values(dice, kind, count), packed)
        if odd and dice.random() < 0.03:
            content = b""
        features.append((name, content))
    if odd and dice.random() < 0.1:
        features.append(dice.choice(features))
    if dice.random() < 0.2:
        dice.shuffle(features)
    message = example(features)
    if odd:
        message += dice.choice([b""] * 20 + [field(1, b""), field(3, b"abc"), b"\x20\x05", example(features[:2])])
    return message


def example_case(seed):
    dice = random.Random(seed)
    messages = [random_example(dice, seed % 3 != 0) for _ in range(dice.choice([1, 2, 4]))]
    if seed % 3 == 2:
        at = dice.randrange(len(messages))
        messages[at] = damaged(dice, messages[at])
    return messages


# --- tf.SequenceExample

_Ragged = st.io.RaggedFeature
CONTEXT_FEATURES = {
    "one": st.io.FixedLenFeature([], "int64"),
    "default": st.io.FixedLenFeature([2], "float32", default_value=[1.0, 2.0]),
    "list": st.io.VarLenFeature("bytes"),
    "ragged": st.io.RaggedFeature("int64"),
}
SEQUENCE_FEATURES = {
    "steps": st.io.FixedLenSequenceFeature([], "int64"),
    "pairs": st.io.FixedLenSequenceFeature([2], "float32", allow_missing=True),
    "ragged": st.io.RaggedFeature("int64"),
    "grouped": st.io.RaggedFeature("int64", value_key="values", partitions=[_Ragged.RowLengths("lengths")], validate=True),
}


def random_sequence_example(dice, odd):
    def some(kind, count):
        if odd and dice.random() < 0.01:
            kind = dice.choice([BYTES, FLOAT, INT64])
        return feature(kind, random_values(dice, kind, count), dice.random() < 0.8)

    context = [("one", some(INT64, 1))]
    context += [
        (name, some(kind, count))
        for name, kind, count in [("default", FLOAT, 2), ("list", BYTES, None), ("ragged", INT64, None)]
        if dice.random() < 0.8
    ]
    lists = [("steps", b"".join(field(1, some(INT64, 1)) for _ in range(dice.randrange(4))))]
    for name, kind, count in [("pairs", FLOAT, 2), ("ragged", INT64, None)]:
        if dice.random() < 0.8:
            lists.append((name, b"".join(field(1, some(kind, count)) for _ in range(dice.randrange(4)))))
    groups = [[dice.randrange(3) for _ in range(dice.randrange(3))] for _ in range(dice.randrange(3))]
    lists.append(("lengths", b"".join(field(1, feature(INT64, lengths)) for lengths in groups)))
    lists.append(("values", b"".join(field(1, feature(INT64, random_values(dice, INT64, sum(lengths)))) for lengths in groups)))
    if odd and dice.random() < 0.1:
        lists.append(dice.choice(lists))
    return field(1, feature_map(context)) + field(2, feature_map(lists))


def sequence_case(seed):
    dice = random.Random(seed)
    messages = [random_sequence_example(dice, seed % 2 == 1) for _ in range(dice.choice([1, 2, 3]))]
    if seed % 4 == 3:
        at = dice.randrange(len(messages))
        # Cut only: of other damage TensorFlow's process ends now and then.
        messages[at] = messages[at][: dice.randrange(len(messages[at]) + 1)]
    return messages


# --- Partitions: features that fit each other

PARTITION_FEATURES = {
    kind: st.io.RaggedFeature("int64", value_key="values", partitions=[getattr(_Ragged, kind)(kind)], validate=True)
    for kind in ("RowSplits", "RowLengths", "RowStarts", "RowLimits", "ValueRowIds")
}
PARTITION_FEATURES["pairs"] = st.io.RaggedFeature(
    "int64", value_key="even", partitions=[_Ragged.UniformRowLength(2)], validate=True
)
PARTITION_FEATURES["two"] = st.io.RaggedFeature(
    "int64", value_key="values", partitions=[_Ragged.RowLengths("groups"), _Ragged.RowLengths("RowLengths")], validate=True
)


def _some_parts(dice, whole):
    parts = []
    while whole > 0:
        parts.append(dice.randrange(whole + 1))
        whole -= parts[-1]
    return parts


def partition_case(seed):
    dice = random.Random(seed)
    messages = []
    for _ in range(dice.choice([1, 2, 4])):
        lengths = [dice.randrange(3) for _ in range(dice.randrange(4))]
        splits = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
        columns = {
            "values": [dice.randrange(100) for _ in range(sum(lengths))],
            "RowSplits": splits,
            "RowLengths": lengths,
            "RowStarts": splits[:-1],
            "RowLimits": splits[1:],
            "ValueRowIds": [i for i, length in enumerate(lengths) for _ in range(length)],
            "groups": _some_parts(dice, len(lengths)),
            "even": [dice.randrange(9) for _ in range(2 * dice.randrange(4))],
        }
        messages.append(example([(name, feature(INT64, values)) for name, values in columns.items()]))
    return messages
