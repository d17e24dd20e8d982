"""What notebooks show: nesting as tables, absent values, cuts with their counts, and nothing of the data as markup."""

import html.parser

import numpy as np
import pyarrow as pa
import pytest

import structtensor as st


class Tables(html.parser.HTMLParser):
    """The tables as nested lists of strings, the tags that are used, and whether each is closed where it was opened."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.tables, self.stack = [], set(), set(), [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag in ("table", "tr", "td", "th"):
            new = []
            (self.stack[-1] if self.stack else self.tables).append(new)
            self.stack.append(new)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag in ("table", "tr", "td", "th"):
            self.stack.pop()

    def handle_data(self, data):
        if self.stack and self.open[-1] not in ("caption", "small"):
            self.stack[-1].append(data)


def shown(value):
    (table,) = Tables(value._repr_html_()).tables
    return table


def cells(row):
    return [cell[0] if len(cell) == 1 else cell for cell in row]


def test_nesting_is_tables_in_tables():
    rows = st.constant([{"a": 1, "b": [{"c": "x", "d": [1, 2]}, {"c": "y", "d": []}], "e": {"f": 1.5}}])
    heading, row = shown(rows)
    assert [cell[0].strip() for cell in heading] == ["a", "b", "e"]
    a, b, e = cells(row)
    assert a == "1"
    assert [cells(line) for line in b] == [["c", "d"], ["x", "[1, 2]"], ["y", "[]"]]
    assert [cells(line) for line in e] == [["f", "1.5"]]
    text = rows._repr_html_()
    assert "StructuredTensor, shape (1,)" in text and "<small>int64</small>" in text
    assert "prefers-color-scheme" in text


def test_what_is_absent_is_marked():
    rows = st.from_arrow(pa.table({"a": [1, None], "s": pa.array([None, {"x": 1}])}))
    text = rows._repr_html_()
    assert text.count('<span class="absent">null</span>') == 2
    assert '<span class="absent">null</span>' in st.from_arrow(pa.array([{"x": 1}, None]))._repr_html_()
    # A text of that name is not.
    assert 'class="absent"' not in st.constant([{"a": "null"}])._repr_html_()


def test_long_things_are_cut_and_counted():
    rows = st.constant([{"text": "x" * 1100, "list": list(range(50)), "bytes": b"b" * 80} for _ in range(1234)])
    text = rows._repr_html_()
    assert text.count("… 1,000 more characters") == 10
    assert text.count("… 40 more<") == 10
    assert text.count("… 30 more bytes") == 10
    assert "… 1,224 more rows" in text
    assert len(text) < 20_000
    assert "… 1 more row<" in st.constant([{"a": 1}] * 11)._repr_html_()
    wide = st.StructuredTensor.from_fields({f"f{i}": [1] for i in range(100)})
    assert "… 80 more fields" in wide._repr_html_()
    inner = st.constant([{"a": [{"b": i} for i in range(9)]}])
    assert "… 4 more rows" in inner._repr_html_()
    # Many cells of many lists, one in the other.
    deep = st.constant([{"a": [{"b": [{"c": [{"d": [[i] * 9] * 9} for i in range(9)]}] * 9}] * 9}] * 9)
    assert len(deep._repr_html_()) < 200_000


def test_values_of_other_ranks():
    assert [cells(line) for line in shown(st.constant([[1, 2], [], [3]]))] == [["0", "[1, 2]"], ["1", "[]"], ["2", "[3]"]]
    assert cells(shown(st.constant([[["a"], []], []]))[0])[1] == '[["a"], []]'
    assert "RaggedTensor, shape (3, None), int64" in st.constant([[1, 2], [], [3]])._repr_html_()
    first, second = shown(st.constant([[{"a": 1}], []]))
    assert [cells(line) for line in cells(first)[1]] == [["a"], ["1"]]
    assert cells(second)[1] == "[]"
    assert "1" in st.constant({"a": 1})._repr_html_()
    maps = st.from_arrow(pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())))
    assert "<th>key</th>" in maps._repr_html_() and "<td>k</td>" in maps._repr_html_()
    times = st.constant(np.array(["2026-01-01T00:00:00"], "M8[s]"))
    assert "2026-01-01" in st.StructuredTensor.from_fields({"t": times})._repr_html_()
    for value in (st.StructuredTensor.from_fields({}, nrows=3), st.constant([{"a": 1}])[:0], st.ragged.constant([[1]])[:0]):
        Tables(value._repr_html_())


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</td></table></div><h1>",
    "&lt;b&gt;",
    "<!--",
    "\u202etxt",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_and_values_stay_text(text):
    rows = st.from_arrow(
        pa.table(
            {
                text: [text],
                "list": [[text]],
                "bytes": [text.encode()],
                "struct": [{text: text}],
                "structs": pa.array([[{text: text}]]),
                "map": pa.array([[(text, text)]], pa.map_(pa.string(), pa.string())),
            }
        )
    )
    out = rows._repr_html_()
    parsed = Tables(out)
    assert parsed.tags <= {"style", "div", "table", "caption", "tr", "th", "td", "small", "span"}
    assert parsed.attributes <= {"class", "colspan"}
    heading, row = parsed.tables[0]
    assert heading[0][0].strip() == text
    assert cells(row)[0] == text
    assert "<script" not in out and "<img" not in out and "<h1" not in out and "<!--" not in out
