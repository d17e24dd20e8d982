"""The rules by which an answer agrees with TensorFlow's; tests/vectors/README.md has them in words."""

import math

import numpy as np

from . import specs


def same(a, b):
    """Equality of JSON: true is not 1, 1 is 1.0."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    return a == b


def _kind(json):
    kind = json.get("kind") if isinstance(json, dict) else None
    return kind if isinstance(kind, str) else ""


def _is_float(json):
    return isinstance(json, float) or (isinstance(json, dict) and "$float" in json)


def _float(json):
    return float(json["$float"]) if isinstance(json, dict) else float(json)


def _same_float(a, b):
    """Compares bit for bit, except that all NaNs are equal."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b and math.copysign(1, a) == math.copysign(1, b)


def _same_float32(a, b):
    with np.errstate(over="ignore"):
        return _same_float(float(np.float32(a)), float(np.float32(b)))


def _near(a, b, tolerance):
    if a == b or _same_float(a, b):
        return True
    # TensorFlow takes some variances as differences, which leaves noise where the answer is 0.
    noise = 1e-7
    distance = abs(a - b)
    return distance <= noise or distance <= tolerance * max(abs(a), abs(b))


def _elements(nested, rank, out):
    if rank == 0:
        out.append(nested)
        return out
    for row in nested:
        _elements(row, rank - 1, out)
    return out


def _axes_and_elements(dump):
    """Every axis after axis 0 as row splits, so that it does not matter how an axis was stored."""
    ragged = dump["kind"] == "ragged"
    splits = [list(axis) for axis in dump["row_splits"]] if ragged else []
    flat = dump["flat_values"] if ragged else dump
    nrows = flat["shape"][0] if flat["shape"] else 1
    for size in flat["shape"][1:]:
        splits.append([i * size for i in range(nrows + 1)])
        nrows *= size
    return splits, _elements(flat["values"], len(flat["shape"]), [])


def _shortened(json):
    text = repr(json)
    return text if len(text) <= 300 else text[:300] + "..."


class Comparison:
    def __init__(self, splits_dtype=True, exact_specs=False, approximate=False, unordered=False):
        self.splits_dtype = splits_dtype  # compares row_splits_dtype and shape_dtype
        self.exact_specs = exact_specs  # a spec may not know more than expected
        self.approximate = approximate  # floats, of arithmetic
        self.unordered = unordered  # items of a list
        self.struct_splits_dtype = ""  # of the struct of rank >= 2 that the array is a field of
        self.differences = []

    def add(self, path, expected, found):
        self.differences.append(f"{path or 'value'}: expected {_shortened(expected)}, found {_shortened(found)}")

    def dumps(self, expected, found, path):
        kind, found_kind = _kind(expected), _kind(found)
        arrays = ("tensor", "ragged")
        if kind in arrays and found_kind in arrays:
            self.arrays(expected, found, path)
        elif kind == "py" and found_kind == "list" and not found["items"]:
            self.py(expected["value"], [], path)
        elif kind == "list" and not expected["items"] and found == {"kind": "py", "value": []}:
            return
        elif kind != found_kind:
            self.add(path + ".kind", kind, found)
        elif kind == "structured":
            self.structs(expected, found, path)
        elif kind == "list":
            self.lists(expected, found, path)
        elif kind == "py":
            self.py(expected["value"], found["value"], path)
        elif kind == "spec":
            self.specs(expected["value"], found["value"], path)
        else:
            self.members(expected, found, path)  # rowpart, shape, sparse

    def members(self, expected, found, path):
        for name, value in expected.items():
            member = f"{path}.{name}"
            if name not in found:
                self.add(member, value, "nothing")
            elif name == "dtype":
                if self.splits_dtype and value != found[name]:
                    self.add(member, value, found[name])
            elif name in ("static", "static_shape", "static_lengths", "uniform_row_length"):
                self.known(value, found[name], member)
            elif _kind(value):
                self.dumps(value, found[name], member)
            elif not same(value, found[name]):
                self.add(member, value, found[name])

    def known(self, expected, found, path):
        """Sizes that are known in `expected` must be known in `found`, too."""
        if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
            for i, (a, b) in enumerate(zip(expected, found)):
                self.known(a, b, f"{path}[{i}]")
        elif expected is not None and not same(expected, found):
            self.add(path, expected, found)

    def arrays(self, expected, found, path):
        if expected["dtype"] != found["dtype"]:
            return self.add(path + ".dtype", expected["dtype"], found["dtype"])
        self.known(expected["shape"], found["shape"], path + ".shape")
        if len(expected["shape"]) != len(found["shape"]):
            return
        want_splits, want = _axes_and_elements(expected)
        have_splits, have = _axes_and_elements(found)
        for i, splits in enumerate(want_splits):
            if i >= len(have_splits) or not same(splits, have_splits[i]):
                return self.add(f"{path}.row_splits[{i}]", splits, have_splits[i : i + 1])
        if len(want) != len(have):
            return self.add(path + ".values", want, have)
        for i, (a, b) in enumerate(zip(want, have)):
            if not self.equal_elements(a, b, expected["dtype"]):
                return self.add(f"{path}.values, element {i}", a, b)
        if expected["kind"] == found["kind"] == "ragged" and self.splits_dtype:
            dtype = found["row_splits_dtype"]
            if dtype not in (expected["row_splits_dtype"], self.struct_splits_dtype):
                self.add(path + ".row_splits_dtype", expected["row_splits_dtype"], dtype)

    def equal_elements(self, expected, found, dtype):
        single = dtype in ("float32", "float16", "bfloat16")
        if (not single and dtype != "float64") or expected is None or found is None:
            return same(expected, found)
        want, have = _float(expected), _float(found)
        if self.approximate and _near(want, have, 1e-6 if single else 1e-12):
            return True
        return _same_float32(want, have) if single else _same_float(want, have)

    def structs(self, expected, found, path):
        self.known(expected["shape"], found["shape"], path + ".shape")
        if not same(expected["nrows"], found["nrows"]):
            self.add(path + ".nrows", expected["nrows"], found["nrows"])
        if self.splits_dtype and expected["shape_dtype"] != found["shape_dtype"]:
            self.add(path + ".shape_dtype", expected["shape_dtype"], found["shape_dtype"])
        self.partitions(expected["row_partitions"], found["row_partitions"], path + ".row_partitions")
        outer = self.struct_splits_dtype
        self.struct_splits_dtype = "" if len(expected["shape"]) < 2 else expected["shape_dtype"]
        for name, field in expected["fields"].items():
            if name in found["fields"]:
                self.dumps(field, found["fields"][name], f"{path}.fields.{name}")
            else:
                self.add(f"{path}.fields.{name}", field, "no such field")
        for name, field in found["fields"].items():
            if name not in expected["fields"]:
                self.add(f"{path}.fields.{name}", "no such field", field)
        self.struct_splits_dtype = outer

    def partitions(self, expected, found, path):
        """Of a struct: only the rows and what is known of them."""
        if not expected and all(partition["uniform_row_length"] is not None for partition in found):
            return
        if len(expected) != len(found):
            return self.add(path, expected, found)
        for i, (a, b) in enumerate(zip(expected, found)):
            if not same(a["row_splits"], b["row_splits"]):
                self.add(f"{path}[{i}].row_splits", a["row_splits"], b["row_splits"])
            self.known(a["uniform_row_length"], b["uniform_row_length"], f"{path}[{i}].uniform_row_length")

    def lists(self, expected, found, path):
        items, rest = expected["items"], list(found["items"])
        if len(items) != len(rest):
            return self.add(path + ".items", items, found["items"])
        if not self.unordered:
            for i, (a, b) in enumerate(zip(items, rest)):
                self.dumps(a, b, f"{path}.items[{i}]")
            return
        for item in items:
            for i, candidate in enumerate(rest):
                attempt = Comparison(self.splits_dtype, self.exact_specs, self.approximate, self.unordered)
                attempt.dumps(item, candidate, "")
                if not attempt.differences:
                    del rest[i]
                    break
            else:
                return self.add(path + ".items, in any order", item, rest)

    def py(self, expected, found, path):
        if isinstance(expected, dict) and isinstance(found, dict) and len(expected) == len(found):
            for name, value in expected.items():
                member = f"{path}.{name}"
                if name not in found:
                    self.add(member, value, "nothing")
                elif name in ("spec", "supertype"):
                    # Here the supertype is of specs alone, and so exact.
                    exact, self.exact_specs = self.exact_specs, self.exact_specs or name == "supertype"
                    self.specs(value, found[name], member)
                    self.exact_specs = exact
                else:
                    self.py(value, found[name], member)
        elif self.unordered and isinstance(expected, str) and isinstance(found, str):
            if sorted(expected.splitlines()) != sorted(found.splitlines()):
                self.add(path, expected, found)
        else:
            self.pyval(expected, found, path)

    def pyval(self, expected, found, path):
        if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
            for i, (a, b) in enumerate(zip(expected, found)):
                self.pyval(a, b, f"{path}[{i}]")
        elif _is_float(expected) and _is_float(found):
            want, have = _float(expected), _float(found)
            near = self.approximate and _near(want, have, 1e-6)
            # The element may be a 32-bit float. The two sides may print different numbers of digits.
            if not near and not _same_float(want, have) and not _same_float32(want, have):
                self.add(path, expected, found)
        elif isinstance(expected, dict) and isinstance(found, dict) and len(expected) == len(found):
            for name, value in expected.items():
                if name in found:
                    self.pyval(value, found[name], f"{path}.{name}")
                else:
                    self.add(f"{path}.{name}", value, "nothing")
        elif not same(expected, found) or _is_float(expected) != _is_float(found):
            self.add(path, expected, found)

    def specs(self, expected, found, path):
        """expected: TensorFlow's text; found: a tree."""
        try:
            tree = specs.parse(expected)
        except ValueError as error:
            return self.add(path, str(error), found)
        self.spec_trees(tree, found, path)

    def spec_trees(self, expected, found, path):
        if same(expected, found):
            return
        if expected is None and isinstance(found, (int, list)) and not self.exact_specs:
            return
        if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
            for i, (a, b) in enumerate(zip(expected, found)):
                self.spec_trees(a, b, f"{path}[{i}]")
            return
        if not isinstance(expected, dict) or not isinstance(found, dict):
            return self.add(path, expected, found)
        types = expected.get("$type"), found.get("$type")
        arrays = ("Tensor", "Ragged")
        other_kind = not self.exact_specs and types[0] != types[1] and types[0] in arrays and types[1] in arrays
        outer = self.struct_splits_dtype
        if types[0] == "Structured":
            self.struct_splits_dtype = expected["shape_dtype"] if len(expected["shape"]) >= 2 else ""
        for name, value in expected.items():
            member = f"{path}.{name}"
            if other_kind and name in ("$type", "ragged_rank", "row_splits_dtype"):
                continue
            if name not in found:
                self.add(member, value, "nothing")
            elif name == "row_splits_dtype" and found[name] == self.struct_splits_dtype:
                continue
            elif name == "ragged_rank" and not self.exact_specs:
                continue
            elif name == "row_partitions" and not value and not self.exact_specs:
                if any(partition["uniform_row_length"] is None for partition in found[name]):
                    self.add(member, value, found[name])
            else:
                self.spec_trees(value, found[name], member)
        for name, value in found.items():
            if name not in expected and not (other_kind and name in ("ragged_rank", "row_splits_dtype")):
                self.add(f"{path}.{name}", "nothing", value)
        self.struct_splits_dtype = outer


# What a wrong argument may raise in Python.
_ARGUMENT_ERRORS = (ValueError, TypeError, KeyError, IndexError, OverflowError)


def wanted_errors(expected, op):
    """The classes of errors that are accepted in place of TensorFlow's error."""
    name, message = expected.get("class", ""), expected.get("message", "")
    # Those make partitions from the arguments they index; a bad argument is what they have.
    makes_partitions = op in ("rt_from", "rp")
    names_index = message.startswith(("slice index ", "Row key ")) or " is not in [0, " in message
    if not makes_partitions and (name == "IndexError" or names_index):
        return (IndexError,)
    if name == "KeyError":
        return (KeyError, ValueError, TypeError)
    return _ARGUMENT_ERRORS
