"""Values in notebooks: tables inside tables, which show the nesting.

All data is escaped, and so are names of fields. Colours are the colours of the page, or half transparent, so that both light
and dark pages are readable. Long data is cut, with the number of items that are left out. Nothing is computed that is not
shown.
"""

import html
import json

from . import _core
from . import _validity

_ROWS = 10  # in the outermost table
_INNER_ROWS = 5
_ELEMENTS = 10  # in a list of numbers or strings
_FIELDS = 20
_CHARACTERS = 100
_DEPTH = 8
_CELLS = 2000  # in the whole output

_STYLE = """<style>
.structtensor, .structtensor table { border-collapse: collapse; color: inherit; background: transparent; font-size: 0.95em; }
.structtensor th, .structtensor td { border: 1px solid rgba(128, 128, 128, 0.4); padding: 2px 6px; text-align: left;
  vertical-align: top; unicode-bidi: isolate; color: inherit; background: transparent; }
.structtensor th { background: rgba(128, 128, 128, 0.15); font-weight: 600; }
.structtensor th small, .structtensor caption { font-weight: 400; opacity: 0.7; }
.structtensor caption { caption-side: top; text-align: left; color: inherit; }
.structtensor td > table { margin: 0; }
.structtensor .absent { font-style: italic; color: #a04000; }
.structtensor .more { font-style: italic; opacity: 0.7; }
@media (prefers-color-scheme: dark) { .structtensor .absent { color: #ffb070; } }
</style>"""


def _escape(text):
    return html.escape(text, quote=True)


def _count(number, word):
    return f"{number:,} {word}" if number == 1 or word.endswith("more") else f"{number:,} {word}s"


def _more(text):
    return f'<span class="more">… {_escape(text)}</span>'


_ABSENT = '<span class="absent">null</span>'


def _cut(text, word):
    if len(text) <= _CHARACTERS:
        return _escape(text)
    return _escape(text[:_CHARACTERS]) + _more(_count(len(text) - _CHARACTERS, "more") + f" {word}")


def _scalar(tensor, in_list):
    element = tensor.item()
    if element is not None and tensor.dtype.startswith(("timestamp[", "duration[")):
        return _escape(json.loads(tensor.to_json()))
    if element is None:
        return _ABSENT
    if isinstance(element, str):
        if not in_list:
            return _cut(element, "characters")
        shown = json.dumps(element[:_CHARACTERS], ensure_ascii=False)
        rest = len(element) - _CHARACTERS
        return _escape(shown) + (_more(_count(rest, "more") + " characters") if rest > 0 else "")
    if isinstance(element, bytes):
        shown = repr(element[: _CHARACTERS // 2])
        rest = len(element) - _CHARACTERS // 2
        return _escape(shown) + (_more(_count(rest, "more") + " bytes") if rest > 0 else "")
    if isinstance(element, bool):
        return "true" if element else "false"
    return _escape(str(element))


class _Writer:
    def __init__(self):
        self.cells = 0  # written so far

    def full(self):
        return self.cells >= _CELLS

    def list(self, array, depth):
        """A tensor or ragged tensor of rank 1 or more, on one line."""
        shown = []
        for i in range(min(array.nrows, _ELEMENTS)):
            if self.full():
                break
            self.cells += 1
            row = array[i]
            if row.rank == 0:
                shown.append(_scalar(row, True))
            else:
                shown.append(self.list(row, depth + 1) if depth < _DEPTH else _more(""))
        rest = array.nrows - len(shown)
        if rest:
            shown.append(_more(_count(rest, "more")))
        return "[" + ", ".join(shown) + "]"

    def struct(self, struct, depth):
        """One struct, with one line for each field."""
        if not struct.field_names():
            return "{}"
        lines = []
        for name in struct.field_names()[:_FIELDS]:
            lines.append(f"<tr><th>{_cut(name, 'characters')}</th><td>{self.value(struct[name], depth + 1)}</td></tr>")
        if len(struct.field_names()) > _FIELDS:
            rest = _more(_count(len(struct.field_names()) - _FIELDS, "more") + " fields")
            lines.append(f'<tr><td colspan="2">{rest}</td></tr>')
        return f"<table>{''.join(lines)}</table>"

    def heading(self, structs, with_types):
        cells = []
        for name in structs.field_names()[:_FIELDS]:
            spec = structs.spec.fields[name]
            kind = f" <small>{_escape(_type_name(spec))}</small>" if with_types else ""
            cells.append(f"<th>{_cut(name, 'characters')}{kind}</th>")
        if len(structs.field_names()) > _FIELDS:
            cells.append(f"<th>{_more(_count(len(structs.field_names()) - _FIELDS, 'more') + ' fields')}</th>")
        return f"<tr>{''.join(cells)}</tr>"

    def structs(self, structs, depth, most, caption=""):
        """Structs of rank 1, as a table with one line for each struct."""
        names = structs.field_names()[:_FIELDS]
        if not structs.nrows and not caption:
            return "[]"
        rows = structs[:most]
        there = _validity.of_structs(rows)
        width = max(len(names) + (len(structs.field_names()) > _FIELDS), 1)
        lines = []
        for i in range(rows.nrows):
            if self.full():
                break
            row = rows[i]
            if there is not None and not there[i]:
                lines.append(f'<tr><td colspan="{width}">{_ABSENT}</td></tr>')
                continue
            if not names:
                lines.append("<tr><td>{}</td></tr>")
                continue
            cells = "".join(f"<td>{self.value(row[name], depth + 1)}</td>" for name in names)
            if len(structs.field_names()) > _FIELDS:
                cells += f"<td>{_more('')}</td>"
            lines.append(f"<tr>{cells}</tr>")
        rest = structs.nrows - len(lines)
        if rest:
            rest = _more(f"{rest:,} more " + ("row" if rest == 1 else "rows"))
            lines.append(f'<tr><td colspan="{width}">{rest}</td></tr>')
        return f"<table>{caption}{self.heading(structs, bool(caption))}{''.join(lines)}</table>"

    def value(self, value, depth):
        self.cells += 1
        if self.full() or depth > _DEPTH:
            return _more("")
        if not isinstance(value, (_core.Tensor, _core.RaggedTensor, _core.StructuredTensor)):
            return _cut(repr(value), "characters")  # an extension type has a text for people
        if not isinstance(value, _core.StructuredTensor):
            return _scalar(value, False) if value.rank == 0 else self.list(value, depth)
        if value.rank == 0:
            there = _validity.of_structs(_core.expand_dims(value, 0))
            return _ABSENT if there is not None and not there[0] else self.struct(value, depth)
        if value.rank == 1:
            return self.structs(value, depth, _INNER_ROWS)
        return self.rows(value, depth, _INNER_ROWS)

    def rows(self, value, depth, most, caption=""):
        """Values of rank 2 or more, with one numbered line for each row."""
        lines = []
        for i in range(min(value.nrows, most)):
            if self.full():
                break
            lines.append(f"<tr><th>{i}</th><td>{self.value(value[i], depth + 1)}</td></tr>")
        rest = value.nrows - len(lines)
        if rest:
            rest = _more(f"{rest:,} more " + ("row" if rest == 1 else "rows"))
            lines.append(f'<tr><td colspan="2">{rest}</td></tr>')
        return f"<table>{caption}{''.join(lines)}</table>"


def _type_name(spec):
    if isinstance(spec, _core.ExtensionRowsSpec):
        return "rows of " + _type_name(spec.element)
    if not isinstance(spec, (_core.TensorSpec, _core.RaggedTensorSpec, _core.StructuredTensorSpec)):
        return spec.value_type.__name__
    if not isinstance(spec, _core.StructuredTensorSpec):
        return spec.dtype + ("?" if spec.nullable else "")
    return ("map" if spec.kind == "map_entry" else "struct") + ("?" if spec.nullable else "")


def repr_html(self):
    """The value as HTML, for notebooks: the first rows, with tables for structs and `null` for absent elements."""
    what = f"{type(self).__name__}, shape {self.shape}"
    if isinstance(self, _core.RaggedTensor):
        what += f", {_type_name(self.spec)}"
    caption = f"<caption>{_escape(what)}</caption>"
    writer = _Writer()
    if self.rank == 0:
        table = f"<table>{caption}<tr><td>{writer.value(self, 0)}</td></tr></table>"
    elif self.rank == 1:
        table = writer.structs(self, 0, _ROWS, caption)
    else:
        table = writer.rows(self, 0, _ROWS, caption)
    return f'{_STYLE}<div class="structtensor">{table}</div>'
