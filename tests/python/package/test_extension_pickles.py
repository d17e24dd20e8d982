"""Extension types between processes: pickles, classes that are made again, and classes that have changed."""

import gc
import pickle
import subprocess
import sys
import textwrap
import types
from typing import Tuple

import pytest
from shared_extension_types import Masked, OfTensor

import structtensor as st


def test_pickles_import_the_module_of_a_type(tmp_path):
    (tmp_path / "shapes_of_mine.py").write_text(
        "import structtensor as st\nclass Box(st.ExtensionType):\n    __name__ = 'mine.Box'\n    size: st.Tensor\n"
        "    shape = property(lambda self: self.size.shape)\n"
    )
    code = "import pickle, sys, structtensor as st\nsys.path.insert(0, sys.argv[1])\n"
    write = code + (
        "import shapes_of_mine as m\nb = m.Box([1, 2])\ns = st.StructuredTensor.from_fields({'b': b})\n"
        "g = s.partition_outer_dimension(st.RowPartition.from_row_lengths([2]))\n"
        "things = (s, s.spec, g, b, b.spec)\n"
        "pickle.dump([(pickle.dumps(thing), repr(thing)) for thing in things], open(sys.argv[2], 'wb'))\n"
    )
    subprocess.run([sys.executable, "-c", write, str(tmp_path), str(tmp_path / "p")], check=True)
    for position in range(5):  # each in a process that has not met the type
        read = code + (
            f"data, text = pickle.load(open(sys.argv[2], 'rb'))[{position}]\nassert 'shapes_of_mine' not in sys.modules\n"
            "assert repr(pickle.loads(data)) == text and 'shapes_of_mine' in sys.modules\n"
        )
        subprocess.run([sys.executable, "-c", read, str(tmp_path), str(tmp_path / "p")], check=True)
    lost = (
        code.replace("sys.path.insert(0, sys.argv[1])", "pass") + "pickle.loads(pickle.load(open(sys.argv[2], 'rb'))[0][0])\n"
    )
    done = subprocess.run([sys.executable, "-c", lost, str(tmp_path), str(tmp_path / "p")], capture_output=True, text=True)
    assert done.returncode == 1 and "ModuleNotFoundError" in done.stderr


def test_classes_of_one_name_do_not_mix():
    def make(annotation):
        class Local(st.ExtensionType):
            x: annotation
            shape = property(lambda self: ())

        return Local

    first, second = make(st.Tensor), make(Tuple[st.Tensor, ...])
    one, two = first(1), second([1, 2])
    assert st.type_spec_name(first) != st.type_spec_name(second)
    assert isinstance(st.stack([one, one])[0], first) and isinstance(st.stack([two, two])[0], second)
    with pytest.raises((TypeError, ValueError)):
        st.stack([one, two])
    del first, one
    gc.collect()
    assert st.stack([two])[0] == two


# --- Classes that are made again, and classes that have changed

CELL = """
import structtensor as st
class M(st.ExtensionType):
    v: st.Tensor
    shape = property(lambda self: self.v.shape)
"""


@pytest.fixture
def cells(monkeypatch):
    """A function that runs a text in a module, as a notebook runs its cells."""
    module = types.ModuleType(f"cells_{len(st._extension._classes)}")
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def run(text):
        exec(textwrap.dedent(text), module.__dict__)
        return module

    return run


def test_a_cell_that_is_run_twice():
    run = "import sys\nimport structtensor as st\n" + CELL
    write = (
        run + "M([1])\n" + run + "M([1])\nimport pickle\nm = M([1])\ns = st.StructuredTensor.from_fields({'m': m})\n"
        "g = s.partition_outer_dimension(st.RowPartition.from_row_lengths([1]))\n"
        "print(st.type_spec_name(M))\nsys.stdout.flush()\n"
        "sys.stdout.buffer.write(pickle.dumps((m, m.spec, s, s.spec, g, g['m'])))\n"
    )
    written = subprocess.run([sys.executable, "-c", write], check=True, capture_output=True).stdout
    name, data = written.split(b"\n", 1)
    assert name == b"__main__.M"
    for made_before in ("", "M([2])\n"):
        read = run + made_before + (
            f"import pickle\nm, ms, s, ss, g, gm = pickle.loads({data!r})\n"
            "assert m == s['m'] == M([1]) and ms == m.spec and ss == s.spec and type(g[0]['m']) is M and gm == g['m']\n"
            "assert st.concat([s, st.StructuredTensor.from_fields({'m': M([2])})])[1]['m'] == M(2)\n"
        )
        subprocess.run([sys.executable, "-c", read], check=True)


def test_pickles_say_the_names_of_types(cells):
    module = cells(CELL)
    value = module.M([1, 2])
    name = st.type_spec_name(module.M)
    struct = st.StructuredTensor.from_fields({"m": value})
    load, (version, classes, spec, parts) = struct.__reduce_ex__(2)
    assert classes == ((name, module.M),)
    assert load(version, (module.M,), spec, parts) == struct  # the form of before
    # What another session wrote, in which the class had another name of the same length.
    other = name[:-1] + "X"
    renamed = spec.replace(name.encode(), other.encode())
    back = load(version, ((other, module.M),), renamed, parts)
    assert back["m"] == value and type(back["m"]) is module.M and back["m"].spec == value.spec
    assert st.concat([back["m"], value]).v.to_py() == [1, 2, 1, 2]
    assert pickle.loads(pickle.dumps(back)) == back and pickle.loads(pickle.dumps(back.spec)) == back.spec
    assert st.type_spec_name(module.M) == name
    with pytest.raises(ValueError, match="Masked as .*, which is the name of M"):
        load(version, ((other, Masked),), renamed, parts)
    with pytest.raises(ValueError, match="extension type 'int'"):
        load(version, (("int", int),), renamed, parts)
    # A class that has no name yet takes it, so that its values go with those of the pickle.
    fresh = cells(CELL.replace("class M", "class N")).N
    third = name[:-1] + "N"
    back = load(version, ((third + ".2", fresh), (name, module.M)), spec, parts)
    assert st.type_spec_name(fresh) == third + ".2" and back == struct


def test_a_class_that_is_made_again_keeps_the_name(cells):
    old = cells(CELL).M
    first = old([1])
    new = cells(CELL).M
    second = new([2])
    assert new is not old and st.type_spec_name(new) == st.type_spec_name(old)
    assert st.lookup_type_spec(st.type_spec_name(new)) is new.Spec
    assert type(st.stack([first, second])) is new and st.stack([first, second]).v.to_py() == [[1], [2]]
    named = CELL + "    __name__ = 'cells.of.G'\n"
    for _ in range(3):
        again = cells(named).M
        assert st.type_spec_name(again) == "cells.of.G" and st.lookup_type_spec("cells.of.G") is again.Spec
        assert type(st.stack([again([1])])[0]) is again
    with pytest.raises(ValueError, match="M is already registered as 'cells.of.G'; choose another name"):
        cells(named.replace("class M", "class Other"))
    # Functions may make many classes of one name, and keep them.
    made = [type("Made", (st.ExtensionType,), {"__annotations__": {"x": st.Tensor}}) for _ in range(2)]
    assert st.type_spec_name(made[0]) != st.type_spec_name(made[1])


def test_classes_that_have_changed(cells):
    old = cells(CELL).M
    value = old([1])
    struct = st.StructuredTensor.from_fields({"m": value})
    written = [pickle.dumps(thing) for thing in (value, value.spec, struct, struct.spec, st.stack([value]))]
    assert pickle.loads(written[2]) == struct
    new = cells(CELL.replace("v: st.Tensor", "w: st.Tensor").replace("self.v", "self.w")).M
    new([1])
    for data in written:
        with pytest.raises(ValueError, match="of an extension type with the fields v; now it is .* with the fields w"):
            pickle.loads(data)
    with pytest.raises(ValueError, match="fields v; now"):
        struct["m"]
    # The same names, other annotations.
    cells(CELL.replace("v: st.Tensor", "v: int").replace("self.v.shape", "()"))
    for data in written[:2]:
        with pytest.raises(TypeError, match="v: expected 'int'"):
            pickle.loads(data)
    cells(CELL.replace("v: st.Tensor", "v: st.Tensor | st.RaggedTensor"))
    assert pickle.loads(written[0]).v.to_py() == [1] and pickle.loads(written[1]).shape == (1,)


def test_pickles_of_specs_of_rows():
    """Which may have ragged components where values have dense ones."""
    rows = st.StructuredTensor.from_fields({"m": OfTensor([1, 2, 3])})
    rows = rows.partition_outer_dimension(st.RowPartition.from_row_lengths([2, 1]))
    spec = rows.spec.fields["m"]
    assert isinstance(spec.v, st.RaggedTensorSpec) and pickle.loads(pickle.dumps(spec)) == spec
