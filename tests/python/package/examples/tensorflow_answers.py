"""What TensorFlow makes of the cases of example_cases.py: tensorflow_answers.py FILE records it, a JSON line for each.

python tensorflow_answers.py tensorflow_answers.jsonl.gz
"""

import gzip
import json
import sys

import example_cases as cases
import tensorflow as tf

# An error whose text is not UTF-8 becomes UnicodeDecodeError.
REFUSALS = (tf.errors.InvalidArgumentError, UnicodeDecodeError, ValueError)


def tf_features(features):
    """The same features, as tf.io has them."""
    result = {}
    for name, spec in features.items():
        fields = spec._asdict()
        fields["dtype"] = {"int64": tf.int64, "float32": tf.float32, "bytes": tf.string}[spec.dtype]
        if "partitions" in fields:
            fields["partitions"] = [getattr(tf.io.RaggedFeature, type(each).__name__)(each[0]) for each in spec.partitions]
            fields["row_splits_dtype"] = tf.as_dtype(spec.row_splits_dtype)
        result[name] = getattr(tf.io, type(spec).__name__)(**fields)
    return result


def plain(value):
    if isinstance(value, tf.SparseTensor):
        value = tf.RaggedTensor.from_sparse(value)
    return value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()


def answer_examples(messages, features):
    """The columns, or None for an error."""
    try:
        return {name: plain(value) for name, value in tf.io.parse_example(messages, tf_features(features)).items()}
    except REFUSALS:
        return None


def answer_sequences(messages):
    try:
        context, lists, lengths = tf.io.parse_sequence_example(
            messages, tf_features(cases.CONTEXT_FEATURES), tf_features(cases.SEQUENCE_FEATURES)
        )
    except REFUSALS:
        return None
    answer = {"context." + name: plain(value) for name, value in context.items()}
    answer.update({"lists." + name: plain(value) for name, value in lists.items()})
    answer.update({"lengths." + name: plain(lengths[name]) for name in ("steps", "pairs")})
    return answer


def text_of(value):
    """Bytes as {"hex": ...}, since JSON has none."""
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    return [text_of(each) for each in value] if isinstance(value, list) else value


def main():
    lines = []
    for kind, count in (("example", 240), ("sequence", 120), ("partition", 60)):
        for seed in range(count):
            messages = getattr(cases, kind + "_case")(seed)
            if kind == "sequence":
                answer = answer_sequences(messages)
            else:
                answer = answer_examples(messages, cases.EXAMPLE_FEATURES if kind == "example" else cases.PARTITION_FEATURES)
            answer = None if answer is None else {name: text_of(value) for name, value in answer.items()}
            lines.append(json.dumps({"kind": kind, "messages": [message.hex() for message in messages], "answer": answer}))
    with open(sys.argv[1], "wb") as file:
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as zipped:
            zipped.write(("\n".join(lines) + "\n").encode())
    print(f"{len(lines)} cases of TensorFlow {tf.__version__}, {sum('null' == line[-5:-1] for line in lines)} refused")


if __name__ == "__main__":
    main()
