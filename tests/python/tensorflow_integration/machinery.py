"""What TensorFlow does with structs: a check for each row of the table in docs/tensorflow_support.md.

A check gets structs of some rank, and what they are in Python, and raises where TensorFlow cannot do it or gets it wrong.

As a program, it loads saved models and calls them: _use_in_a_fresh_process() starts it.
"""

import functools
import json
import re
import subprocess
import sys
import tempfile

import structtensor.tf
import tensorflow as tf

OURS = structtensor.tf.StructuredTensor
RANKS = (0, 1, 2, 3)


def value(depth=0):
    """A row: numbers, fractions and strings, a list, and a list of structs."""
    return {
        "id": 10 + depth, "price": 0.5 * depth, "text": b"text %d" % depth, "values": [float(i) for i in range(depth % 3)],
        "items": [{"n": i, "tags": [b"t"] * i} for i in range(depth % 3)],
    }  # fmt: skip


def lists_of(rank):
    rows = [value(2), value(1), value(0), value(4)]
    return {0: rows[0], 1: rows, 2: [rows[:3], [], rows[3:]], 3: [[rows[:1], rows[1:2]], [], [rows[2:]]]}[rank]


def ours(lists, rank):
    def flat(rows):
        items = [item for row in rows for item in row["items"]]
        starts = [0]
        for row in rows:
            starts.append(starts[-1] + len(row["items"]))
        inner = OURS(
            [tf.constant(starts, tf.int64)],
            {
                "n": tf.constant([item["n"] for item in items], tf.int32),
                "tags": tf.ragged.constant(
                    [item["tags"] for item in items], ragged_rank=1, dtype=tf.string, row_splits_dtype=tf.int64
                ),
            },
        )
        return {
            "id": tf.constant([row["id"] for row in rows], tf.int64),
            "price": tf.constant([row["price"] for row in rows], tf.float32),
            "text": tf.constant([row["text"] for row in rows]),
            "values": tf.ragged.constant(
                [row["values"] for row in rows], ragged_rank=1, dtype=tf.float32, row_splits_dtype=tf.int64
            ),
            "items": inner,
        }

    splits, rows = [], [lists] if rank == 0 else lists
    for _ in range(rank - 1):
        starts = [0]
        for row in rows:
            starts.append(starts[-1] + len(row))
        splits.append(tf.constant(starts, tf.int64))
        rows = [inner for row in rows for inner in row]
    return OURS(splits, flat(rows), rank)


def other_lists_of(rank):
    """Rows of other sizes."""
    rows = [value(1), value(5), value(2)]
    return {0: rows[1], 1: rows, 2: [[], rows], 3: [[rows[2:], [], rows[:2]]]}[rank]


def other_rows(structs):
    """Structs of the same type and of other sizes, and what they are in Python."""
    lists = other_lists_of(structs.rank)
    return (ours if isinstance(structs, OURS) else theirs)(lists, structs.rank), lists


def theirs(lists, rank):
    return ours(lists, rank).to_tensorflow()


def plain(structs):
    return structs.to_py() if isinstance(structs, OURS) else structs.to_pyval()


def field(structs, *names):
    """The field of either kind."""
    if isinstance(structs, OURS):
        return structs[names]
    return structs.field_value(names)


def total(structs):
    """A number for all that is in the field of fractions."""
    found = field(structs, "price")
    return tf.reduce_sum(found.flat_values if isinstance(found, tf.RaggedTensor) else found)


def sum_of(lists):
    return lists["price"] if isinstance(lists, dict) else sum(sum_of(item) for item in lists)


def spec_of(structs):
    spec = tf.type_spec_from_value(structs)
    return spec._with_rank(spec.rank) if isinstance(structs, OURS) else spec


def same(structs, lists):
    found = plain(structs)
    assert found == lists, f"{found} instead of {lists}"


def rows_of(structs, lists):
    if isinstance(lists, dict):
        raise NoRank
    return [structs[i] for i in range(len(lists))]


class NoRank(Exception):
    """The row of the table makes no sense for scalars."""


# --- The rows, in their order: names and checks


def function_with_signature(structs, lists):
    traces = []

    @tf.function(input_signature=[spec_of(structs)])
    def same_again(structs):
        traces.append(1)
        return structs

    same(same_again(same_again(structs)), lists)
    assert len(traces) == 1, "traced twice"


def function_once(structs, lists):
    traces = []

    @tf.function
    def same_again(structs):
        traces.append(1)
        return structs

    same(same_again(structs), lists)
    others, other_lists = other_rows(structs)
    same(same_again(others), other_lists)
    assert len(traces) == 1, "traced again for other sizes"


def while_loop(structs, lists):
    others, other_lists = other_rows(structs)

    @tf.function
    def turns(times, x, y):
        return tf.while_loop(lambda i, x, y: i < times, lambda i, x, y: (i + 1, y, x), (0, x, y))[1:]

    for times, expected in ((3, [other_lists, lists]), (2, [lists, other_lists])):
        for found, each in zip(turns(tf.constant(times), structs, others), expected):
            same(found, each)


def growing_loop(structs, lists):
    if isinstance(lists, dict):
        raise NoRank

    @tf.function
    def doubled(times, x):
        return tf.while_loop(lambda i, x: i < times, lambda i, x: (i + 1, tf.concat([x, x], 0)), (0, x))[1]

    same(doubled(tf.constant(2), structs), lists * 4)


def cond(structs, lists):
    others, other_lists = other_rows(structs)
    choose = tf.function(lambda which, x, y: tf.cond(which, lambda: x, lambda: y))
    same(choose(tf.constant(True), structs, others), lists)
    same(choose(tf.constant(False), structs, others), other_lists)


def case(structs, lists):
    others, other_lists = other_rows(structs)
    choose = tf.function(lambda which, x, y: tf.case([(which, lambda: x)], default=lambda: y))
    same(choose(tf.constant(True), structs, others), lists)
    same(choose(tf.constant(False), structs, others), other_lists)
    switch = tf.function(lambda which, x, y: tf.switch_case(which, [lambda: x, lambda: y]))
    same(switch(tf.constant(0), structs, others), lists)
    same(switch(tf.constant(1), structs, others), other_lists)


def map_fn(structs, lists):
    if isinstance(lists, dict):
        raise NoRank
    totals = tf.map_fn(total, structs, fn_output_signature=tf.float32)
    assert totals.numpy().tolist() == [sum_of(row) for row in lists]


def group(structs, lists):
    @tf.function
    def grouped(structs):
        with tf.control_dependencies([tf.group(structs)]):
            return total(structs) + 0.0

    assert float(grouped(structs)) == sum_of(lists)


def py_function(structs, lists):
    seen = []

    def look(structs):
        seen.append(plain(structs))
        return total(structs)

    assert float(tf.py_function(look, [structs], tf.float32)) == sum_of(lists)
    assert seen == [lists]


def gradients(structs, lists):
    del lists
    with tf.GradientTape() as tape:
        tape.watch(structs)
        result = total(structs) * 3
    gradient = field(tape.gradient(result, structs), "price")
    found = gradient.flat_values if isinstance(gradient, tf.RaggedTensor) else gradient
    assert set(tf.reshape(found, [-1]).numpy().tolist()) == {3.0}


def from_tensors(structs, lists):
    same(next(iter(tf.data.Dataset.from_tensors(structs))), lists)


def from_tensor_slices(structs, lists):
    if isinstance(lists, dict):
        raise NoRank
    found = [plain(row) for row in tf.data.Dataset.from_tensor_slices(structs)]
    assert found == lists


def batch(structs, lists):
    dataset = tf.data.Dataset.from_tensors(structs).repeat(2)
    if isinstance(lists, list):
        dataset = tf.data.Dataset.from_tensor_slices(structs).batch(2)
        assert [plain(each) for each in dataset] == [lists[i : i + 2] for i in range(0, len(lists), 2)]
    else:
        same(next(iter(dataset.batch(2))), [lists, lists])


def unbatch(structs, lists):
    if isinstance(lists, dict):
        raise NoRank
    assert [plain(row) for row in tf.data.Dataset.from_tensors(structs).unbatch()] == lists


def ragged_batch(structs, lists):
    same(next(iter(tf.data.Dataset.from_tensors(structs).repeat(2).ragged_batch(2))), [lists, lists])


def rebatch(structs, lists):
    if isinstance(lists, dict):
        raise NoRank
    dataset = tf.data.Dataset.from_tensor_slices(structs).batch(3).rebatch(2)
    assert [plain(each) for each in dataset] == [lists[i : i + 2] for i in range(0, len(lists), 2)]


def save_and_load(structs, lists):
    with tempfile.TemporaryDirectory() as folder:
        tf.data.Dataset.from_tensors(structs).save(folder + "/saved")
        same(next(iter(tf.data.Dataset.load(folder + "/saved"))), lists)


def from_generator(structs, lists):
    dataset = tf.data.Dataset.from_generator(lambda: iter([structs]), output_signature=spec_of(structs))
    same(next(iter(dataset)), lists)


def parallel_map(structs, lists):
    dataset = tf.data.Dataset.from_tensors(structs).repeat(4).map(total, num_parallel_calls=2)
    assert [float(each) for each in dataset] == [sum_of(lists)] * 4


def padded_batch(structs, lists):
    same(next(iter(tf.data.Dataset.from_tensors(structs).padded_batch(1))), [lists])


def reduce_state(structs, lists):
    same(tf.data.Dataset.range(3).reduce(structs, lambda state, _: state), lists)


def vectorized_map(structs, lists):
    if isinstance(lists, dict):
        raise NoRank
    assert tf.vectorized_map(total, structs).numpy().tolist() == [sum_of(row) for row in lists]


def _use_in_a_fresh_process(structs, how):
    """Saves a model with functions of such structs. Another process, which did not make the model, loads it by `how`."""
    spec = spec_of(structs)

    class Model(tf.Module):
        @tf.function(input_signature=[spec])
        def takes(self, structs):
            return total(structs)

        @tf.function(input_signature=[spec])
        def returns(self, structs):
            return structs

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Model(), folder)
        make = "ours" if isinstance(structs, OURS) else "theirs"
        process = _process_that_uses_models()
        process.stdin.write(json.dumps([how, folder, make, structs.rank]) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        assert answer, "the process has ended"
        problem = json.loads(answer)
        if problem:
            # The error of the other process, by its name.
            raise type(problem[0], (Exception,), {})(problem[1])


@functools.cache
def _process_that_uses_models():
    """The process is kept for the next model, because importing TensorFlow takes seconds."""
    return subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def _use(how, folder, make, rank):
    """Loads a model and calls it with the structs and with structs of other sizes."""
    if how == "hub":
        import tensorflow_hub

    model = tensorflow_hub.load(folder) if how == "hub" else tf.saved_model.load(folder)
    make = {"ours": ours, "theirs": theirs}[make]
    for lists in (lists_of(rank), other_lists_of(rank)):
        if how == "returns":
            same(model.returns(make(lists, rank)), lists)
        else:
            _equal(model.takes(make(lists, rank)), sum_of(lists))


def saved_model_takes(structs, lists):
    del lists
    _use_in_a_fresh_process(structs, "takes")


def saved_model_returns(structs, lists):
    del lists
    _use_in_a_fresh_process(structs, "returns")


def _equal(found, expected):
    assert abs(float(found) - expected) < 1e-5, f"{found} instead of {expected}"


def hub(structs, lists):
    del lists
    import tensorflow_hub  # noqa: F401: where it is not installed, this says so

    _use_in_a_fresh_process(structs, "hub")


def keras_layer(structs, lists):
    import keras

    class Total(keras.layers.Layer):
        def call(self, structs=None):
            return total(structs)

    _equal(Total()(structs=structs), sum_of(lists))


def keras_fit(structs, lists):
    import keras

    if not isinstance(lists, list):
        raise NoRank

    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.scale = self.add_weight(shape=(1,), initializer="ones", name="scale")

        def call(self, inputs):
            return tf.reshape(inputs["total"], [-1, 1]) * self.scale

    model = Model()
    model.compile(keras.optimizers.SGD(0.01), "mse")
    dataset = tf.data.Dataset.from_tensors(structs).map(lambda x: ({"total": total(x)[None]}, tf.zeros([1, 1])))
    losses = model.fit(dataset, epochs=3, verbose=0).history["loss"]
    _equal(losses[0], sum_of(lists) ** 2)
    assert losses[2] < losses[1] < losses[0], f"the losses {losses} do not fall"


def tf_keras_input(structs, lists):
    import tf_keras

    if not isinstance(lists, list):
        raise NoRank
    inputs = tf_keras.Input(type_spec=spec_of(structs))
    model = tf_keras.Model(inputs, tf_keras.layers.Lambda(total)(inputs))
    _equal(model(structs), sum_of(lists))


def mirrored_strategy(structs, lists):
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    dataset = strategy.experimental_distribute_dataset(
        tf.data.Dataset.from_tensors(structs).repeat(2).batch(2, drop_remainder=True)
    )
    found = 0.0
    for each in dataset:
        per_replica = strategy.run(total, args=(each,))
        found += float(strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None))
    _equal(found, 2 * sum_of(lists))


def mirrored_fit(structs, lists):
    import keras

    if not isinstance(lists, list):
        raise NoRank
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        scale = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
        model = keras.Sequential([keras.Input((1,)), scale])
        model.compile("sgd", "mse")
    expected = sum_of(lists)
    dataset = tf.data.Dataset.from_tensors(structs).repeat(4).map(lambda x: (total(x)[None], tf.zeros([1]))).batch(2)
    loss = model.fit(dataset, epochs=1, steps_per_epoch=1, verbose=0).history["loss"][0]
    assert abs(loss - expected**2) <= 1e-3 * expected**2, f"the loss {loss} instead of {expected**2}"


def concat(structs, lists):
    if isinstance(lists, dict):
        raise NoRank
    same(tf.concat([structs, structs], 0), lists + lists)


def stack(structs, lists):
    same(tf.stack([structs, structs]), [lists, lists])


def slicing(structs, lists):
    if isinstance(lists, dict):
        raise NoRank
    same(structs[1:3], lists[1:3])
    same(structs[-1], lists[-1])


def pickled_spec(structs, lists):
    del lists
    import pickle

    spec = spec_of(structs)
    assert pickle.loads(pickle.dumps(spec)) == spec


ROWS = {
    "`tf.function`, with the spec as its signature": function_with_signature,
    "`tf.function`, traced once for values of any sizes": function_once,
    "`tf.while_loop`, with other sizes in each iteration": while_loop,
    "`tf.while_loop`, with a growing number of rows": growing_loop,
    "`tf.cond`, with other sizes in each branch": cond,
    "`tf.case`, `tf.switch_case`, with other sizes in each branch": case,
    "`tf.map_fn`": map_fn,
    "`tf.vectorized_map`": vectorized_map,
    "`tf.group`": group,
    "`tf.py_function`": py_function,
    "gradients": gradients,
    "`Dataset.from_tensors`": from_tensors,
    "`Dataset.from_tensor_slices`": from_tensor_slices,
    "`Dataset.from_generator`": from_generator,
    "`Dataset.map`, in parallel": parallel_map,
    "`Dataset.batch`": batch,
    "`Dataset.unbatch`": unbatch,
    "`Dataset.ragged_batch`": ragged_batch,
    "`Dataset.padded_batch`": padded_batch,
    "`Dataset.rebatch`": rebatch,
    "`Dataset.reduce`, as its state": reduce_state,
    "`Dataset.save`, `load`": save_and_load,
    "SavedModel: a function takes it": saved_model_takes,
    "SavedModel: a function returns it": saved_model_returns,
    "`tensorflow_hub.load`": hub,
    "Keras: a layer takes it by keyword": keras_layer,
    "Keras: preprocessing in `fit`": keras_fit,
    "tf_keras: `Input(type_spec=...)`": tf_keras_input,
    "`MirroredStrategy`, a distributed dataset": mirrored_strategy,
    "`MirroredStrategy`, preprocessing in Keras' `fit`": mirrored_fit,
    "`tf.concat`": concat,
    "`tf.stack`": stack,
    "slices and rows": slicing,
    "pickled specs": pickled_spec,
}
# What TensorFlow has for tensors only, and does not do at all ranks.
CANNOT = {padded_batch, vectorized_map}


def outcome(check, make, rank):
    """ "yes", "" where it makes no sense, "not installed", or what the error says."""
    lists = lists_of(rank)
    try:
        check(make(lists, rank), lists)
    except NoRank:
        return ""
    except ModuleNotFoundError as problem:
        return f"not installed: {problem.name}"
    except Exception as problem:  # noqa: BLE001: whatever TensorFlow raises is the outcome
        name = type(problem).__name__
        return f"{name}: " + line_of(str(problem)).removeprefix(f"{name}: ")
    return "yes"


def line_of(text, longest=180):
    """The line of an error's text that says what is wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    line = lines[0]
    if line.startswith(("Graph execution error", "in user code")):
        # Then come a trace of the stack, the problem, and the nodes of the graph where it showed.
        line = next((line for line in reversed(lines) if not line.startswith("[[")), line)
    line = re.sub(r"^(\{\{function_node .*?\}\} )+", "", line)
    return line if len(line) <= longest else line[:longest] + " ..."


if __name__ == "__main__":
    for request in sys.stdin:
        found = None
        try:
            _use(*json.loads(request))
        except Exception as problem:  # noqa: BLE001: the other process says what it is
            found = [type(problem).__name__, str(problem)]
        print(json.dumps(found), flush=True)
