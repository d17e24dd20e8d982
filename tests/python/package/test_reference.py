"""The reference that tools/reference renders: every public name is in it with words, and no link leads nowhere."""

import html.parser
import inspect
import pathlib
import re
import subprocess
import urllib.parse

import pytest

import structtensor as st

pytestmark = pytest.mark.slow

MODULES = (st, st.bitwise, st.dispatch, st.io, st.math, st.nest, st.ragged, st.strings, st.struct)
REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
SITE = pathlib.Path(st.__file__).parents[1]
# What nanobind makes the docstring of a function that has none, and puts in front of one that has: its signature. Those of
# properties have no name.
SIGNATURE = re.compile(r"\w*\(.*\) -> .*")
VOID = {"meta", "link", "input", "br", "img", "hr", "path", "use"}


class Page(html.parser.HTMLParser):
    """The places of a page, its links, and the words in the docstring of each place."""

    def __init__(self, text):
        super().__init__()
        self.places, self.links, self.docstrings = set(), [], {}
        self._open = []  # (tag, place, whether it is in a docstring)
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        _, place, in_docstring = self._open[-1] if self._open else ("", "", False)
        if "id" in attributes:
            self.places.add(attributes["id"])
            if tag == "section" or "classattr" in (attributes.get("class") or ""):
                place = attributes["id"]
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag not in VOID:
            self._open.append((tag, place, in_docstring or attributes.get("class") == "docstring"))

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self._open and self._open[-1][2]:
            place = self._open[-1][1]
            self.docstrings[place] = (self.docstrings.get(place, "") + " " + data).strip()


def undocumented(page, names):
    """The names that the page does not have, or for which it only has a signature."""
    return [name for name in names if not page.docstrings.get(name) or SIGNATURE.match(page.docstrings[name])]


def own_members(owner):
    """(name, words) of the public members that the class defines, or a base class of it that is not public."""
    for name in dir(owner):
        home = next(base for base in owner.__mro__ if name in vars(base))
        if name.startswith("_") or not home.__module__.startswith("structtensor"):
            continue
        if home is owner or home.__name__ not in st.__all__:
            member = vars(home)[name]
            # help() finds the words for slots in their dict.
            slots = vars(home).get("__slots__", ())
            words = slots[name] if isinstance(slots, dict) and name in slots else getattr(member, "__func__", member).__doc__
            yield name, SIGNATURE.sub("", words or "", count=1).strip()


def broken_links(pages):
    """(page, link) for each link between pages, or in one, that leads to no place. `pages`: {path: Page}."""
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            place = urllib.parse.unquote(parts.fragment)
            if target not in pages or (place and place not in pages[target].places):
                broken.append((path.name, link))
    return broken


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    command = [REPOSITORY / "tools" / "reference", "--site", SITE, folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str((folder / "index.html").resolve())
    # pdoc warns of what it does not understand.
    assert done.stderr == ""
    return folder


@pytest.fixture(scope="module")
def pages(folder):
    return {path.resolve(): Page(path.read_text()) for path in folder.rglob("*.html")}


def page_of(pages, name):
    return next(page for path, page in pages.items() if path.name == name)


def test_every_public_name_is_there_with_words(pages):
    assert len(st.__all__) > 120 and len({name for module in MODULES for name in module.__all__}) > 220
    for module in MODULES:
        assert undocumented(page_of(pages, f"{module.__name__.rpartition('.')[2]}.html"), module.__all__) == [], module


def test_help_shows_the_same_words():
    # A union of types, a text and dtypes have no docstrings of their own; their words are in the stub.
    public = {name: getattr(module, name) for module in MODULES for name in module.__all__}
    strings = {name: each.__doc__ for name, each in public.items() if name != "TensorLike" and not isinstance(each, str)}
    assert [name for name, text in strings.items() if not text or not text.strip() or SIGNATURE.match(text.strip())] == []
    assert len(set(strings.values())) == len(strings)


def test_every_method_and_property_has_words(pages):
    page = page_of(pages, "structtensor.html")
    classes = [owner for name in st.__all__ if inspect.isclass(owner := getattr(st, name))]
    words = {f"{owner.__name__}.{name}": text for owner in classes for name, text in own_members(owner)}
    assert len(words) > 300
    assert [place for place, text in words.items() if not text] == []
    # The reference has them, too, but for an inner class and what stubs leave out.
    shown = [place for place in words if place in page.places]
    assert len(shown) > 0.9 * len(words)
    assert [place for place in shown if not page.docstrings.get(place)] == []


def test_a_method_says_what_the_function_of_its_name_says():
    def first(object):
        return SIGNATURE.sub("", object.__doc__, count=1).strip().split("\n\n")[0]

    both = [(owner, name) for owner in (st.Tensor, st.RaggedTensor, st.StructuredTensor) for name, _ in own_members(owner)]
    functions = {name: getattr(module, name) for module in (st, st.math, st.struct) for name in module.__all__}
    methods = [(owner, name) for owner, name in both if callable(getattr(owner, name)) and name in functions]
    assert len(methods) > 55
    assert [(owner, name) for owner, name in methods if first(getattr(owner, name)) != first(functions[name])] == []
    for owner, name in methods:
        place = f"{functions[name].__module__}.{functions[name].__qualname__}"
        assert f"{place}()" in getattr(owner, name).__doc__


def test_no_member_shows_a_signature_for_words(pages):
    page = page_of(pages, "structtensor.html")
    assert {"Tensor.reduce_sum", "RaggedTensor.from_row_splits", "Schema.from_proto"} <= page.places
    assert [place for place, text in page.docstrings.items() if SIGNATURE.match(text)] == []


def test_no_link_leads_nowhere(pages):
    assert sum(len(page.links) for page in pages.values()) > 500
    assert broken_links(pages) == []


def test_what_is_missing_is_found(folder, pages):
    path = (folder / "structtensor.html").resolve()
    text = path.read_text()
    renamed = Page(text.replace('id="concat"', 'id="concatenate"'))
    assert undocumented(renamed, ["concat", "stack"]) == ["concat"]
    assert broken_links({**pages, path: renamed}) == [("structtensor.html", "#concat")] * text.count('href="#concat"')
    words = st.stack.__doc__.split("\n")[0]
    assert words in text
    silent = Page(re.sub(r'(<section id="stack">.*?<div class="docstring">).*?(</div>)', r"\1\2", text, flags=re.DOTALL))
    assert undocumented(silent, ["concat", "stack"]) == ["stack"]

    class Bindings:
        __module__ = "structtensor._core"
        silent = property(lambda self: None, doc="(self) -> int")
        spoken = property(lambda self: None, doc="(self) -> int\n\nHow many.")

    assert list(own_members(Bindings)) == [("silent", ""), ("spoken", "How many.")]


def test_what_it_refuses(tmp_path):
    tool = REPOSITORY / "tools" / "reference"
    done = subprocess.run([tool, "--nothing"], capture_output=True, text=True, check=False)
    assert (done.returncode, "unknown argument '--nothing'" in done.stderr) == (2, True)
    done = subprocess.run([tool, "--site", tmp_path], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, "no package structtensor" in done.stderr) == (1, True)
    done = subprocess.run([tool, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.startswith("usage: tools/reference")) == (0, True)
