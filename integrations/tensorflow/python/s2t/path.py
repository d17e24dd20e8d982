"""Field paths as struct2tensor writes them."""

import itertools
import re

# A name, "map[key]", or an extension in parentheses.
_STEP = re.compile(r"[\w-]+(\[[^\]]*\])?|\([\w-]+(\.[\w-]+)*\)")
_anonymous = itertools.count()

Step = str


class Path:
    """Names of fields, from the root. A name in parentheses is an extension. map[key] is the value at this key of a map.

    Raises ValueError for other steps, unless validate_step_format is false.
    """

    def __init__(self, field_list, validate_step_format=True):
        self.field_list, self._validate = tuple(str(step) for step in field_list), validate_step_format
        for step in self.field_list if validate_step_format else ():
            if not _STEP.fullmatch(step):
                raise ValueError(f"Field name must be a name, map[key] or (an.extension); found {step!r}")

    def _with(self, steps):
        return Path(steps, self._validate)

    def get_child(self, step):
        return self._with((*self.field_list, step))

    def get_parent(self):
        if not self.field_list:
            raise ValueError("Tried to find parent of root")
        return self._with(self.field_list[:-1])

    def concat(self, other):
        other = create_path(other)
        return Path(self.field_list + other.field_list, self._validate and other._validate)

    __add__ = concat

    def prefix(self, ending_index):
        return self._with(self.field_list[:ending_index])

    def suffix(self, starting_index):
        return self._with(self.field_list[starting_index:])

    def is_ancestor(self, other):
        return other.field_list[: len(self.field_list)] == self.field_list

    def get_least_common_ancestor(self, other):
        size = 0
        while size < min(len(self), len(other)) and self.field_list[size] == other.field_list[size]:
            size += 1
        return self.prefix(size)

    def __len__(self):
        return len(self.field_list)

    def __eq__(self, other):
        return isinstance(other, Path) and self.field_list == other.field_list

    def __lt__(self, other):
        return self.field_list < other.field_list

    def __hash__(self):
        return hash(self.field_list)

    def __str__(self):
        return ".".join(self.field_list)

    def __repr__(self):
        return str(self)


def create_path(path):
    """A Path from a text "a.b", from names, or from a Path."""
    if isinstance(path, Path):
        return path
    if not isinstance(path, str):
        return Path(path)
    if not path:
        return Path([])
    # Dots in parentheses and brackets are part of the step.
    steps, start, closing = [], 0, None
    for i, letter in enumerate(path):
        if closing is None and letter in "([":
            closing = ")" if letter == "(" else "]"
        elif letter == closing:
            closing = None
        elif closing is None and letter == ".":
            steps.append(path[start:i])
            start = i + 1
    return Path([*steps, path[start:]])


def parse_map_indexing_step(step):
    """("map", "key") from "map[key]"."""
    name, _, key = step.partition("[")
    if not key.endswith("]"):
        raise ValueError(f"expected map[key], found {step!r}")
    return name, key[:-1]


def get_anonymous_field():
    """A new name that no field has. The functions named ..._anonymous use it for the fields that they add."""
    return f"anonymous_{next(_anonymous)}"
