"""Values of one's own types in TensorFlow: structtensor.tf.extension_type(), from_structtensor() and to_structtensor()."""

import base64
import pathlib
import pickle
import subprocess
import sys
import typing

import numpy as np
import own_types_of_a_shop as shop
import pytest
import structtensor as st
import structtensor.tf
import tensorflow as tf

into, back = structtensor.tf.from_structtensor, structtensor.tf.to_structtensor


def masked(count=3):
    return shop.Masked(list(range(count)), [True] * count)


def point():
    return shop.Point(1.0, 2.0)


def plain():
    return shop.Plain(st.constant([1, 2]), "x")


def everything():
    points = st.stack([point(), point()])
    return shop.Everything(
        ragged=[[1], [2, 3]],
        structs=st.constant([{"a": 1}, {"a": 2}]),
        masked=masked(2),
        items={"z": [1, 5], "b": [2.0, 3.0]},
        pair=([1, 2], 3),
        points=(points, points),
        price=shop.Price(st.constant([3, 4]), "eur"),
        dense_shape=[None, 3],
        dtype="float",
        kind="a",
        either=None,
    )


MAKERS = [masked, point, lambda: st.stack([point(), point()]), everything, lambda: shop.Chain([1], shop.Chain([2]))]
VALUES = pytest.mark.parametrize("make", MAKERS, ids=["masked", "point", "points", "everything", "chain"])


def same(found, value):
    assert back(found) == value


@VALUES
def test_there_and_back(make):
    value = make()
    found = into(value)
    assert type(found) is structtensor.tf.extension_type(type(value))
    assert isinstance(found, tf.experimental.BatchableExtensionType)
    same(found, value)


def test_fields_hold_tensorflows_values():
    found = into(everything())
    assert isinstance(found.ragged, tf.RaggedTensor)
    assert isinstance(found.structs, structtensor.tf.StructuredTensor)
    assert isinstance(found.masked.values, tf.Tensor)
    assert found.pair[1] == 3 and found.price[1] == "eur" and found.kind == "a" and found.ratio == 0.5
    assert found.dense_shape.as_list() == [None, 3] and found.dtype == tf.float32


def test_built_in_values_are_tensorflows_own():
    assert into(st.constant(3)).numpy() == 3
    assert into(st.ragged.constant([[1], []])).to_list() == [[1], []]
    assert isinstance(into(st.constant({"a": 1})), structtensor.tf.StructuredTensor)
    for value in (st.constant(3), st.ragged.constant([[1], []]), st.constant({"a": 1})):
        assert back(into(value)).to_py() == value.to_py()


def test_counterparts_have_the_methods_of_the_class():
    found = into(masked())
    assert found.twice().values.numpy().tolist() == [0, 2, 4]
    assert (found + 1).values.numpy().tolist() == [1, 2, 3]
    assert found.shape == tf.type_spec_from_value(found).shape == [3]


def test_the_constructor_is_that_of_the_class():
    kind = structtensor.tf.extension_type(shop.Masked)
    assert back(kind([1, 2], mask=[True, False], unit="s")) == shop.Masked(np.int32([1, 2]), [True, False], "s")
    with pytest.raises(ValueError, match="incompatible"):
        kind([1, 2], [True])
    with pytest.raises(TypeError, match="mask"):
        kind([1, 2])

    class Doubled(st.ExtensionType):
        values: st.Tensor

        def __init__(self, half):
            self.values = half * 2

    assert structtensor.tf.extension_type(Doubled)(tf.constant(3)).values.numpy() == 6


def test_defaults_and_fields_of_base_classes():
    class Base(st.ExtensionType):
        x: typing.Optional[st.Tensor] = None
        none: typing.Tuple[()] = ()
        number: typing.Union[int, float] = 3
        by_number: typing.Mapping[int, st.Tensor] = {10: 1, 2: 5}

        @classmethod
        def with_x(cls, x):
            return cls(x=x)

        def __getitem__(self, key):
            return self.with_x(self.x[key])

    class Derived(Base):
        y: st.Tensor = 2.5

    kind = structtensor.tf.extension_type(Derived)
    same(kind(), Derived())
    found = tf.function(lambda x: kind.with_x(x)[1:])(tf.constant([1, 2], tf.int64))
    same(found, Derived(x=[2]))


def test_values_without_tensors():
    class Static(st.BatchableExtensionType):
        n: int

    same(tf.function(lambda value: value)(into(Static(3))), Static(3))


@VALUES
def test_functions_are_traced_once(make):
    traces = []

    @tf.function
    def same_again(value):
        traces.append(1)
        return value

    same(same_again(same_again(into(make()))), make())
    same(same_again(into(make())), make())
    assert len(traces) == 1


def test_functions_take_other_sizes_after_one_more_trace():
    traces = []

    @tf.function(reduce_retracing=True)
    def twice(value):
        traces.append(1)
        return value.twice()

    for count in range(1, 5):
        same(twice(into(masked(count))), shop.Masked([2 * i for i in range(count)], [True] * count))
    assert len(traces) == 2


@VALUES
@pytest.mark.parametrize("condition", [True, False])
def test_cond(make, condition):
    value = into(make())
    same(
        tf.function(lambda condition, value: tf.cond(condition, lambda: value, lambda: value))(tf.constant(condition), value),
        make(),
    )


def test_cond_with_other_numbers_in_each_branch():
    choose = tf.function(lambda condition, value: tf.cond(condition, value.twice, lambda: value + 1))
    assert choose(tf.constant(True), into(masked())).values.numpy().tolist() == [0, 2, 4]
    assert choose(tf.constant(False), into(masked())).values.numpy().tolist() == [1, 2, 3]


def test_while_loop():
    @tf.function
    def often(value):
        return tf.while_loop(lambda i, value: i < 3, lambda i, value: (i + 1, value.twice()), (0, value))[1]

    same(often(into(masked())), shop.Masked([0, 8, 16], [True] * 3))


@VALUES
def test_datasets_of_whole_values(make, tmp_path):
    dataset = tf.data.Dataset.from_tensors(into(make())).map(lambda value: value).repeat(2)
    found = list(dataset)
    assert len(found) == 2
    for each in found:
        same(each, make())
    dataset.save(str(tmp_path))
    same(next(iter(tf.data.Dataset.load(str(tmp_path)))), make())


def test_datasets_of_rows():
    rows = [back(row) for row in tf.data.Dataset.from_tensor_slices(into(masked()))]
    assert rows == [masked()[i] for i in range(3)]
    rows = [back(row) for row in tf.data.Dataset.from_tensor_slices(into(st.stack([point(), point()])))]
    assert rows == [point(), point()]


@VALUES
def test_batches(make):
    dataset = tf.data.Dataset.from_tensors(into(make())).repeat(4)
    for each in dataset.batch(2).unbatch():
        same(each, make())
    batches = list(dataset.batch(2).map(lambda batch: batch))
    assert len(batches) == 2
    if not isinstance(make(), (shop.Everything, shop.Chain)):
        for batch in batches:
            same(batch, st.stack([make(), make()]))


def test_map_fn():
    found = tf.map_fn(
        lambda row: row.twice(), into(masked()), fn_output_signature=tf.type_spec_from_value(into(masked()))._unbatch()
    )
    same(found, shop.Masked([0, 2, 4], [True] * 3))


def test_gradients():
    value = into(point())
    with tf.GradientTape() as tape:
        tape.watch(value)
        product = value.x * value.y
    found = tape.gradient(product, value)
    assert isinstance(found, type(value)) and (found.x.numpy(), found.y.numpy()) == (2.0, 1.0)


@VALUES
def test_specs_are_pickled(make):
    spec = tf.type_spec_from_value(into(make()))
    assert pickle.loads(pickle.dumps(spec)) == spec


class Model(tf.Module):
    def __init__(self, value):
        super().__init__()
        self.same = tf.function(lambda value: value, input_signature=[tf.type_spec_from_value(value)])


@VALUES
def test_saved_models(make, tmp_path):
    tf.saved_model.save(Model(into(make())), str(tmp_path))
    same(tf.saved_model.load(str(tmp_path)).same(into(make())), make())


def test_saved_models_in_another_process(tmp_path):
    tf.saved_model.save(Model(into(masked())), str(tmp_path))
    program = f"""if True:
        import sys
        sys.path[:0] = {[str(pathlib.Path(shop.__file__).parent)]!r}
        import structtensor.tf
        import own_types_of_a_shop as shop
        import tensorflow as tf
        structtensor.tf.extension_type(shop.Masked)
        value = structtensor.tf.from_structtensor(shop.Masked([7, 8, 9], [True] * 3))
        found = tf.saved_model.load({str(tmp_path)!r}).same(value)
        print(structtensor.tf.to_structtensor(found).values.to_py())
    """
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert found.stdout.strip() == "[7, 8, 9]", found.stderr


def test_keras():
    keras = pytest.importorskip("keras")

    class Twice(keras.layers.Layer):
        def call(self, value):
            return value.values * 2

    assert np.asarray(Twice()(value=into(masked()))).tolist() == [0, 2, 4]


def test_tf_keras():
    tf_keras = pytest.importorskip("tf_keras")
    value = into(masked())
    taken = tf_keras.Input(type_spec=tf.type_spec_from_value(value))
    made = tf_keras.layers.Lambda(lambda value: tf.cast(value.values, tf.float32))(taken)
    assert tf_keras.Model(taken, made)(value).numpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize("in_structs", [False, True])
def test_python_functions_and_replicas(in_structs):
    value = into(st.StructuredTensor.from_fields({"own": masked(4)}, rank=1) if in_structs else masked(4))

    def total(rows):
        return tf.reduce_sum(rows["own", "values"] if in_structs else rows.values)

    @tf.function
    def in_python(value):
        return tf.py_function(lambda value: value, [value], Tout=tf.type_spec_from_value(value))

    assert total(in_python(value)).numpy() == 6
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(value).batch(2))
    step = tf.function(lambda rows: strategy.run(total, (rows,)))
    found = [strategy.experimental_local_results(step(batch)) for batch in batches]
    assert [[int(each) for each in replicas] for replicas in found] == [[0, 1], [2, 3]]


# --- Classes that derive from no class of structtensor


@pytest.mark.parametrize("in_a_field", [False, True])
def test_plain_classes(in_a_field, tmp_path):
    value = into(shop.Holder(plain()) if in_a_field else plain())

    def check(found):
        found = back(found).plain if in_a_field else back(found)
        assert isinstance(found, shop.Plain) and found.unit == "x" and found.values.to_py() == [1, 2]

    @tf.function
    def choose(condition, value):
        return tf.cond(condition, lambda: value, lambda: value)

    check(value)
    check(choose(tf.constant(True), value))
    check(next(iter(tf.data.Dataset.from_tensors(value))))
    tf.saved_model.save(Model(value), str(tmp_path))
    check(tf.saved_model.load(str(tmp_path)).same(value))


def test_plain_classes_show_their_components_and_specs():
    value = into(plain())
    assert value.components[0].numpy().tolist() == [1, 2]
    assert repr(value).startswith("WholeValue(spec=PlainSpec(TensorShape([2]), int64, 'x'), components=(<tf.Tensor")
    kinds = tf.nest.map_structure(lambda tensor: tensor.dtype, value, expand_composites=True)
    assert "tf.int64" in repr(kinds)


def test_classes_that_this_process_does_not_have():
    value, structs = into(plain()), structs_of(st.constant([{"own": plain()}, {"own": plain()}]))

    def renamed(spec):
        return base64.b64encode(base64.b64decode(spec).replace(b"PlainSpec", b"OtherSpec")).decode()

    other = structtensor.tf.WholeValue(renamed(value.spec), value.components)
    assert repr(other).startswith("WholeValue(spec=..., components=(<tf.Tensor")
    own = structs._flat_fields["own"]
    hidden = {renamed(name): column for name, column in own._flat_fields[""].fields.items()}
    kind = structtensor.tf.StructuredTensor
    rows = kind((), {**own._flat_fields, "": kind((), hidden)})
    assert repr(rows) == "<StructuredTensor {0: int64 [2, 2]}, shape=(2,)>"
    for call in (lambda: back(other), rows.own_spec, rows.to_structtensor):
        with pytest.raises(KeyError, match="OtherSpec"):
            call()


def test_plain_classes_in_loops_and_python_functions():
    value = into(plain())

    @tf.function
    def often(value):
        return tf.while_loop(lambda i, value: i < 3, lambda i, value: (i + 1, value), (0, value))[1]

    @tf.function
    def in_python(value):
        return tf.py_function(lambda value: value, [value], Tout=tf.type_spec_from_value(value))

    for function in (often, in_python):
        assert back(function(value)).values.to_py() == [1, 2]


def test_gradients_of_plain_classes():
    value = into(shop.Plain(st.constant([1.0, 2.0]), "x"))
    with tf.GradientTape() as tape:
        tape.watch(value)
        squares = value.components[0] ** 2
    assert back(tape.gradient(squares, value)).values.to_py() == [2.0, 4.0]


@pytest.mark.parametrize("in_a_field", [False, True])
def test_plain_classes_have_no_rows(in_a_field):
    value = into(shop.Holder(plain()) if in_a_field else plain())
    whole = tf.data.Dataset.from_tensors(value)
    for call in (
        lambda: tf.data.Dataset.from_tensor_slices(value),
        lambda: whole.batch(2),
        lambda: whole.unbatch(),
        lambda: tf.map_fn(lambda row: row, value),
    ):
        with pytest.raises(TypeError, match="a WholeValue has no rows, so it cannot be batched or sliced"):
            call()


# --- Fields of structs


def whole_rows():
    return st.stack([shop.Chain([1]), shop.Chain([2, 3])])


def rows_of(field):
    return st.StructuredTensor.from_fields({"id": st.constant(list(range(len(field)))), "own": field}, rank=1)


FIELDS = {
    "masked": lambda: rows_of(shop.Masked([[1, 2], [3, 4]], [[True, False]] * 2)),
    "text": lambda: rows_of(shop.Masked(["a", "ü"], [True, False])),
    "times": lambda: rows_of(shop.Masked(st.cast(st.constant([1, 2]), "timestamp[us]"), [True, False])),
    "points": lambda: rows_of(st.stack([point(), point()])),
    "ragged": lambda: st.constant([{"own": masked(1)}, {"own": masked(2)}]),
    "whole": lambda: rows_of(whole_rows()),
    "holders": lambda: rows_of(st.stack([shop.Holder(plain()), shop.Holder(plain())])),
    "in a struct": lambda: st.StructuredTensor.from_fields({"inner": FIELDS["masked"]()}, rank=1),
}
STRUCTS = pytest.mark.parametrize("make", FIELDS.values(), ids=FIELDS)
structs_of = structtensor.tf.StructuredTensor.from_structtensor


@STRUCTS
def test_structs_with_fields_of_own_types(make):
    structs = make()
    found = structs_of(structs)
    assert found.to_structtensor().equals(structs)
    assert found[1].to_structtensor().equals(structs[1])
    assert found[::-1].to_structtensor().equals(st.reverse(structs, [0]))
    assert tf.concat([found, found], 0).to_structtensor().equals(st.concat([structs, structs], 0))
    nested = st.partition_outer_dimension(structs, st.RowPartition.from_row_splits([0, 0, 2]))
    assert structs_of(nested).to_structtensor().equals(nested)


@STRUCTS
def test_structs_with_fields_of_own_types_in_graphs(make, tmp_path):
    structs, traces = make(), []

    @tf.function
    def choose(condition, rows):
        traces.append(1)
        rows = tf.while_loop(lambda i, rows: i < 2, lambda i, rows: (i + 1, rows[::-1]), (0, rows))[1]
        return tf.cond(condition, lambda: rows, lambda: rows[1:])

    assert choose(tf.constant(True), structs_of(structs)).to_structtensor().equals(structs)
    assert choose(tf.constant(False), structs_of(structs)).to_structtensor().equals(structs[1:])
    assert choose(tf.constant(True), structs_of(structs[:1])).to_structtensor().equals(structs[:1])
    assert len(traces) == 1
    tf.saved_model.save(Model(structs_of(structs)), str(tmp_path))
    assert tf.saved_model.load(str(tmp_path)).same(structs_of(structs)).to_structtensor().equals(structs)


@STRUCTS
def test_structs_with_fields_of_own_types_in_datasets(make):
    structs = make()
    rows = list(tf.data.Dataset.from_tensor_slices(structs_of(structs)))
    assert [row.to_structtensor() for row in rows] == [structs[0], structs[1]]
    batch = next(iter(tf.data.Dataset.from_tensors(structs_of(structs)).unbatch().batch(2)))
    assert batch.to_structtensor().equals(structs)


def test_structs_whose_fields_have_fields_of_all_kinds():
    structs = rows_of(st.stack([everything(), everything()]))
    found = structs_of(structs).to_structtensor()
    assert found.to_py() == structs.to_py()
    assert found["own"].spec.element.value_type is shop.Everything
    one = back(structtensor.tf.to_extension_type(structs_of(structs)[0]["own"]))
    assert one.to_py() == everything().to_py() and (one.kind, one.price.currency) == ("a", "eur")


def test_fields_of_own_types_are_structs_of_components():
    found = structs_of(FIELDS["masked"]())
    assert found["own"].field_names() == ("values", "mask")
    assert found["own", "values"].numpy().tolist() == [[1, 2], [3, 4]]
    assert found["own"].own_spec().value_type is shop.Masked and found.own_spec() is None
    assert back(found["own"]) == FIELDS["masked"]()["own"]
    doubled = found.with_updates({"own.values": lambda values: values * 2})
    assert doubled["own"].own_spec() is None and doubled["own", "values"].numpy().tolist() == [[2, 4], [6, 8]]


def test_fields_show_nothing_hidden():
    found = structs_of(FIELDS["masked"]())
    spec = tf.type_spec_from_value(found)
    assert list(found.fields) == ["id", "own"] and list(found.fields["own"].fields) == ["values", "mask"]
    assert list(spec.fields) == ["id", "own"] and list(spec.fields["own"].fields) == ["values", "mask"]
    # The constructor takes the fields of all structs; without a name of the own type, they are plain structs.
    again = structtensor.tf.StructuredTensor((), found["own"].fields)
    assert again.own_spec() is None and again.to_py()[0] == {"values": [1, 2], "mask": [True, False]}


def test_rows_of_whole_values_are_structs_of_components():
    found = into(whole_rows())
    assert found.field_names() == ("head",) and back(found).equals(whole_rows())


def test_fields_of_own_types_become_counterparts_in_graphs():
    @tf.function
    def twice(rows):
        return structtensor.tf.to_extension_type(rows["own"]).twice()

    rows = FIELDS["masked"]()
    same(twice(structs_of(rows)), shop.Masked([[2, 4], [6, 8]], [[True, False]] * 2))
    same(twice(structs_of(rows)[1]), shop.Masked([6, 8], [True, False]))
    points = structs_of(FIELDS["points"]())
    same(structtensor.tf.to_extension_type(points["own"]), st.stack([point(), point()]))
    same(structtensor.tf.to_extension_type(points[0]["own"]), point())
    same(structtensor.tf.to_extension_type(structs_of(rows_of(whole_rows()))[1]["own"]), shop.Chain([2, 3]))
    same(structtensor.tf.to_extension_type(structs_of(FIELDS["ragged"]())[1]["own"]), masked(2))


def test_counterparts_become_fields_in_graphs():
    @tf.function
    def with_twice(rows):
        changed = structtensor.tf.to_extension_type(rows["own"]).twice()
        return rows.with_updates({"own": structtensor.tf.from_extension_type(changed)})

    rows = FIELDS["masked"]()
    expected = shop.Masked([[2, 4], [6, 8]], [[True, False]] * 2)
    assert with_twice(structs_of(rows)).to_structtensor()["own"] == expected
    points = structs_of(FIELDS["points"]())
    field = structtensor.tf.from_extension_type(structtensor.tf.to_extension_type(points["own"]))
    assert points.with_updates({"own": field}).to_structtensor().equals(FIELDS["points"]())

    class Nested(st.ExtensionType):
        parts: typing.Mapping[str, shop.Masked]
        lists: st.RaggedTensor
        shape = property(lambda self: self.lists.shape[:1])

    nested = Nested({"z": masked(2), "a": shop.Masked([5, 6], [True, True], "s")}, [[1], []])
    assert back(structtensor.tf.from_extension_type(into(nested))) == nested


def test_from_extension_type_refuses_values_without_rows():
    convert = structtensor.tf.from_extension_type
    with pytest.raises(TypeError, match=r"expected a value of an extension_type\(\), found int"):
        convert(1)
    with pytest.raises(ValueError, match="from_extension_type: .* no rows"):
        convert(into(shop.Chain([1])))
    with pytest.raises(ValueError, match="from_extension_type: "):
        convert(into(point()))


def test_to_extension_type_refuses_other_structs():
    convert = structtensor.tf.to_extension_type
    rows = structs_of(FIELDS["masked"]())
    with pytest.raises(TypeError, match="expected structs made from an extension type"):
        convert(rows)
    with pytest.raises(ValueError, match="found the rank 2"):
        convert(tf.stack([rows, rows])["own"])
    with pytest.raises(TypeError, match="not whole rows"):
        convert(structs_of(rows_of(whole_rows()))["own"])


def test_own_types_with_other_static_data_are_not_joined():
    rows, other = (structs_of(rows_of(shop.Masked([1], [True], unit))) for unit in ("m", "km"))
    with pytest.raises(ValueError, match="concat: own: the types differ: .*'m'.*'km'"):
        tf.concat([rows, other], 0)


# --- Errors


def test_other_objects_are_errors():
    with pytest.raises(TypeError, match="from_structtensor: expected a value of structtensor, found list"):
        into([1])
    with pytest.raises(TypeError, match="to_structtensor: expected a tensor.*found list"):
        back([1])
    with pytest.raises(TypeError, match="derives from structtensor.ExtensionType, found .*int"):
        structtensor.tf.extension_type(int)


def test_graphs_have_no_numbers():
    def convert(value):
        with pytest.raises(TypeError, match="outside the function"):
            back(value)
        return value

    tf.function(convert)(into(masked()))


def test_absent_elements_are_errors_with_their_path():
    with pytest.raises(ValueError, match="masked.values: elements are absent"):
        into(Outer(shop.Masked(st.constant([1, None]), [True, False])))


class Outer(st.ExtensionType):
    masked: shop.Masked


def test_fields_that_tensorflow_does_not_have_are_errors():
    class WithArray(st.ExtensionType):
        array: np.ndarray

    class WithSpec(st.ExtensionType):
        specs: "tuple[st.TensorSpec, ...]"

    with pytest.raises(TypeError, match="WithArray.array: extension types of TensorFlow have no fields of ndarray"):
        structtensor.tf.extension_type(WithArray)
    with pytest.raises(TypeError, match="WithSpec.specs: .* no fields of TensorSpec"):
        structtensor.tf.extension_type(WithSpec)


def test_a_class_that_is_made_again_has_a_counterpart_of_its_own():
    def define():
        class Again(st.ExtensionType):
            x: st.Tensor

        Again.__qualname__ = "Again"
        return Again

    first, second = define(), define()
    assert back(into(first(1))) == first(1)
    assert back(into(second(1))) == second(1)
    assert structtensor.tf.extension_type(first) is not structtensor.tf.extension_type(second)
