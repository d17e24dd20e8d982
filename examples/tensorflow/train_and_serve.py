#!/usr/bin/env python3
"""Trains a model on serialized messages, saves it with the decoding inside, and asks it.

  train_and_serve.py train trips  MESSAGES MODEL              tf.Examples of taxi trips: the fare of a trip
  train_and_serve.py train spans  MESSAGES MODEL SCHEMA       OTLP traces: how long each span takes
  train_and_serve.py ask          MODEL MESSAGES              prints what the saved model says of the messages, as JSON

MESSAGES is a file of delimited messages (a varint of the size, and the message), MODEL a folder, SCHEMA a FileDescriptorSet as
protoc --descriptor_set_out writes it. The saved model takes a vector of serialized messages: asking it needs no schema, and
only an import of structtensor.tf, for its operations. Needs structtensor and TensorFlow 2.16 or later, with Keras 3.
"""

import argparse
import json
import pathlib
import sys

import structtensor as st
import structtensor.tf
import tensorflow as tf

SPANS = "resource_spans.scope_spans.spans"
KINDS = 6  # of spans
NAMES = 64  # buckets


def read_messages(path):
    """The messages of a file of delimited ones."""
    data, at, messages = pathlib.Path(path).read_bytes(), 0, []
    while at < len(data):
        size, shift = 0, 0
        while True:
            byte = data[at] if at < len(data) else sys.exit(f"{path}: the last size is cut off")
            at, size, shift = at + 1, size | (byte & 127) << shift, shift + 7
            if byte < 128:
                break
        if at + size > len(data):
            sys.exit(f"{path}: the message at byte {at} has {size} bytes, and the file ends before")
        messages.append(data[at : at + size])
        at += size
    return messages


class Trips:
    """A number for each message, from features by name. Some features may be missing."""

    def __init__(self, schema):
        del schema
        number = tf.io.FixedLenFeature([], tf.float32, 0.0)
        self.features = {name: number for name in ("fare", "trip_miles", "trip_seconds")}
        self.features["trip_start_hour"] = tf.io.FixedLenFeature([], tf.int64, 0)

    def inputs(self, serialized):
        """Rows of numbers, and the rows of the messages that they are in, which are all."""
        trips = structtensor.tf.parse_examples(serialized, {name: f for name, f in self.features.items() if name != "fare"})
        hours = tf.one_hot(trips["trip_start_hour"], 24)
        return tf.concat([trips["trip_miles"][:, None] / 10, trips["trip_seconds"][:, None] / 1000, hours], 1)

    def labels(self, serialized):
        return structtensor.tf.parse_examples(serialized, {"fare": self.features["fare"]})["fare"] / 10

    def answers(self, predicted, serialized):
        del serialized
        return {"fare": predicted * 10}


class Spans:
    """A number for each span. A message has any number of spans."""

    def __init__(self, schema):
        fields = ["name", "kind", "start_time_unix_nano", "end_time_unix_nano"]
        self.decode = structtensor.tf.Decoder(
            schema,
            "opentelemetry.proto.trace.v1.TracesData",
            select=[f"{SPANS}.{field}" for field in fields],
            optionals="default",
        )

    def inputs(self, serialized):
        spans = self.decode(serialized).reroot(SPANS)
        names = tf.strings.to_hash_bucket_fast(spans["name"], NAMES)
        return tf.concat([tf.one_hot(names, NAMES), tf.one_hot(spans["kind"], KINDS)], 1)

    def labels(self, serialized):
        spans = self.decode(serialized).reroot(SPANS)
        nanoseconds = tf.cast(spans["end_time_unix_nano"], tf.float64) - tf.cast(spans["start_time_unix_nano"], tf.float64)
        return tf.cast(tf.math.log1p(tf.maximum(nanoseconds, 0) / 1e6), tf.float32)

    def answers(self, predicted, serialized):
        """With the message that each span is of."""
        messages = self.decode(serialized)
        spans = (
            messages.with_updates(message=tf.range(messages.nrows())).broadcast("message", SPANS + ".message").reroot(SPANS)
        )
        return {"milliseconds": tf.math.expm1(predicted), "message": spans["message"], "name": spans["name"]}


TASKS = {"trips": Trips, "spans": Spans}


def train(task, messages, model_folder):
    import keras

    keras.utils.set_random_seed(1)
    dataset = tf.data.Dataset.from_tensor_slices(messages).batch(128)
    dataset = dataset.map(
        lambda serialized: (task.inputs(serialized), task.labels(serialized)), num_parallel_calls=tf.data.AUTOTUNE
    )
    width = next(iter(dataset))[0].shape[1]
    model = keras.Sequential([keras.Input([width]), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    # Messages have any number of rows; those of a step of training are of one size. Keras wants to know how many steps there
    # are.
    steps = dataset.unbatch().batch(256).cache()
    steps = steps.apply(tf.data.experimental.assert_cardinality(sum(1 for _ in steps)))
    history = model.fit(steps, epochs=3, shuffle=False, verbose=0)

    def serve(serialized):
        return task.answers(model(task.inputs(serialized))[:, 0], serialized)

    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("serve", serve, input_signature=[tf.TensorSpec([None], tf.string, name="serialized")])
    archive.write_out(str(model_folder), verbose=False)
    return history.history["loss"]


def ask(model_folder, messages):
    model = tf.saved_model.load(str(model_folder))
    answers = model.serve(tf.constant(messages))
    return {name: st.constant(tensor.numpy().tolist()).to_py() for name, tensor in answers.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train")
    training.add_argument("task", choices=TASKS)
    training.add_argument("messages")
    training.add_argument("model")
    training.add_argument("schema", nargs="?")
    asking = commands.add_parser("ask")
    asking.add_argument("model")
    asking.add_argument("messages")
    arguments = parser.parse_args()
    messages = read_messages(arguments.messages)
    if arguments.command == "ask":
        answers = ask(arguments.model, messages)
        print(
            json.dumps({name: [v.decode() if isinstance(v, bytes) else v for v in values] for name, values in answers.items()})
        )
        return
    if arguments.task == "spans" and arguments.schema is None:
        parser.error("spans need the schema")
    schema = arguments.schema and st.Schema.from_descriptor_set(pathlib.Path(arguments.schema).read_bytes())
    losses = train(TASKS[arguments.task](schema), messages, arguments.model)
    print(
        f"trained on {len(messages):,} messages; the loss went from {losses[0]:.3f} to {losses[-1]:.3f}; "
        f"saved as {arguments.model}"
    )


if __name__ == "__main__":
    main()
