"""What tools/site finds wrong with a site, and how comments of headers become the words of the C++ reference."""

import subprocess
import sys

import conftest
import pytest

TOOLS = conftest.REPOSITORY / "tools"
GOOD = '<a href="other.html#there">x</a> <a href="https://example.com/a">y</a>'


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "reference" / "cpp"
    folder.mkdir(parents=True)
    for number in range(20):
        (folder / f"{number}.html").write_text(f"<article>{'word ' * 30}</article>")
    (tmp_path / "other.html").write_text('<h1 id="there">x</h1>')
    return tmp_path


def problems(site, page):
    (site / "page.html").write_text(page)
    done = subprocess.run([sys.executable, TOOLS / "check_site.py", site], capture_output=True, text=True, check=False)
    assert done.returncode == (1 if done.stderr else 0)
    return done.stderr


def test_a_valid_site_has_no_problems(site):
    assert problems(site, GOOD) == ""


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ('<a href="missing.html">x</a>', "missing.html leads nowhere"),
        ('<a href="other.html#gone">x</a>', "other.html#gone: the page has no such anchor"),
        ('<a href="#gone">x</a>', "#gone: the page has no such anchor"),
        ('<a href="https:///x">x</a>', "https:///x is not an address"),
        ('<img src="missing.png">', "missing.png leads nowhere"),
        ('<script src="https://example.com/x.js"></script>', "fetches https://example.com/x.js from another host"),
    ],
)
def test_broken_links_are_named(site, page, problem):
    assert f"page.html: {problem}" in problems(site, page)


def test_empty_pages_of_the_reference_are_named(site):
    (site / "reference" / "cpp" / "3.html").write_text("<nav>" + "word " * 50 + "</nav><article><h1>ops</h1></article>")
    assert "reference/cpp/3.html is empty" in problems(site, GOOD)


def test_comments_reach_doxygen_word_for_word(tmp_path):
    header = tmp_path / "x.h"
    header.write_text(
        "// The file.\n#ifndef X\n\n// Apart.\n\n// Gives *x* of @y.\n// More.\nint F();\nint g;  // a trailing\n// comment\n"
        "// About h.\nint h;\n"
    )
    done = subprocess.run(
        [sys.executable, TOOLS / "cpp_reference.py", "--filter", header], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        *("/// @file", "/// @verbatim", "/// The file.", "/// @endverbatim", ""),
        *("#ifndef X", "", "", "/// @verbatim", "/// Gives *x* of @y.", "/// More.", "/// @endverbatim", "int F();"),
        # Another form, so that Doxygen does not join it with the next comment.
        *("int g;", "/**< @verbatim", "a trailing", "comment", "@endverbatim */"),
        *("/// @verbatim", "/// About h.", "/// @endverbatim", "int h;"),
    ]
