"""Makes the pages of the C++ reference for tools/site from Doxygen's XML: one page for each folder of public headers.

Comments in headers are plain text (`// words`), which Doxygen would ignore. With --filter, this script is Doxygen's input
filter: it marks comments as documentation, and does not change their words. Without --filter, it writes Markdown from the XML,
and prints MkDocs' configuration with these pages in the nav.
"""

import argparse
import collections
import html
import itertools
import pathlib
import re
import sys
import textwrap
import xml.etree.ElementTree as ET

COMMENT = re.compile(r"^\s*// ?(?!/)(.*)$")
TRAILING = re.compile(r"^(\s*[\w~].*?[,;{}]?)\s+// (.*)$")
# Specializations of templates of the standard library. Doxygen does not have the declarations of these templates.
OF_STD = re.compile(r"^inline constexpr bool std::")
LONGEST_LINE = 90  # of a declaration; in a longer one, each parameter has a line of its own
LABEL = re.compile(r"^(Shapes|Units|Ownership|Requires|Errors|Cost|Source|Elements|Returns|Sources): ?")


def marked(words):
    return ["/// @verbatim", *(f"/// {line}" for line in words), "/// @endverbatim"]


def marked_after(words):
    """Words about what comes before them. In a block, so that Doxygen does not join them with a comment that follows."""
    return ["/**< @verbatim", *words, "@endverbatim */"]


def filtered(lines):
    """The lines of a header with its comments marked as documentation, except comments that have a blank line below them."""
    result = []
    at = 0
    lines = [
        "" if OF_STD.match(line) or (below and OF_STD.match(below)) else line
        for line, below in itertools.zip_longest(lines, lines[1:])
    ]
    while at < len(lines):
        trailing = TRAILING.match(lines[at])
        if not COMMENT.match(lines[at]):
            words = []
            if trailing:
                words = [trailing.group(2)]
                while at + 1 < len(lines) and (more := COMMENT.match(lines[at + 1])) and more.group(1)[:1].islower():
                    words.append(more.group(1))
                    at += 1
            result.append(trailing.group(1) if trailing else lines[at])
            if trailing and not trailing.group(1).strip().startswith(("return", "if", "for", "namespace", "}")):
                result += marked_after(words)
            at += 1
            continue
        start = at
        while at < len(lines) and COMMENT.match(lines[at]):
            at += 1
        words = [COMMENT.match(line).group(1) for line in lines[start:at]]
        if start == 0:
            result += ["/// @file", *marked(words), ""]
        elif at < len(lines) and lines[at].strip():
            result += marked(words)
    return result


def text_of(element):
    """The comment of a declaration, as it was written."""
    lines = []
    for tag in ("briefdescription", "detaileddescription"):
        for verbatim in element.findall(f"{tag}//verbatim"):
            # Doxygen keeps the marks at the beginnings of the lines.
            marked_lines = (verbatim.text or "").strip("\n").splitlines()
            lines += [re.sub(r"^\s*///<? ?", "", line) for line in marked_lines]
    while lines and not lines[-1].strip():
        lines.pop()
    shift = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[shift:] for line in lines]


def markdown(lines):
    """The lines as Markdown paragraphs. Lines indented by two spaces are code, unless they continue a line with a label."""
    result, code, labelled = [], False, False
    for line in lines:
        label = LABEL.match(line)
        indented = line.startswith("  ") and not labelled
        if indented != code and line.strip():
            result += ["```" if code else "\n```cpp"] if code or indented else []
            code = indented
        if code:
            result.append(line[2:])
            continue
        if label:
            result += ["", f"**{label.group(1)}:** {escaped(line[label.end() :])}"]
            labelled = True
        else:
            labelled = labelled and line.startswith("  ")
            result.append(escaped(line.strip()))
    while result and not result[-1].strip():
        result.pop()
    return "\n".join(result + (["```"] if code else []))


def escaped(text):
    """Text for Markdown. Only code between backticks has a meaning; all other characters are escaped."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts = ["\\`".join(parts)]
    for even in range(0, len(parts), 2):
        parts[even] = re.sub(r"([\\*_\[\]#|~])", r"\\\1", html.escape(parts[even], quote=False))
    return "`".join(parts)


def plain(element):
    """The code in an element, spaced as in the headers: std::vector<T>."""
    text = "" if element is None else re.sub(r"\s+", " ", "".join(element.itertext())).strip()
    text = re.sub(r"(?<=\w)< | >(?=[>,&*)\s]|$)", lambda match: match.group().strip(), text)
    text = re.sub(r"(?<=[\w>]) ([&*]+) ?(?=\w)", r"\1 ", text)
    text = re.sub(r"(?<=[\w>]) ([&*]+)(?!\w)", r"\1", text)
    return re.sub(r"(?<=\w)=(?=[\w{\"-])", " = ", text)


def parameter(element):
    default = element.find("defval")
    return f"{plain(element.find('type'))} {plain(element.find('declname'))}".strip() + (
        f" = {plain(default)}" if default is not None else ""
    )


def enum_value(element):
    initializer, words = plain(element.find("initializer")), " ".join(text_of(element))
    line = f"  {plain(element.find('name'))}{' ' + initializer if initializer else ''},"
    if not words:
        return line + "\n"
    if len(line + words) <= LONGEST_LINE:
        return f"{line}  // {words}\n"
    return "".join(f"  // {part}\n" for part in textwrap.wrap(words, LONGEST_LINE - 5)) + line + "\n"


def declaration(member):
    kind = member.get("kind")
    templates = map(parameter, member.findall("templateparamlist/param"))
    prefix = f"template <{', '.join(templates)}>\n" if member.find("templateparamlist") is not None else ""
    name, kind_type = plain(member.find("name")), plain(member.find("type"))
    if kind == "enum":
        values = "".join(map(enum_value, member.findall("enumvalue")))
        return f"enum{' class' if member.get('strong') == 'yes' else ''} {name} {{\n{values}}};"
    if kind == "typedef":
        return f"{prefix}using {name} = {re.sub('^typedef ', '', kind_type)};"
    static = "static " if member.get("static") == "yes" and not kind_type.startswith("static") else ""
    if kind == "function":
        start, arguments = f"{static}{kind_type + ' ' if kind_type else ''}{name}", plain(member.find("argsstring"))
        if len(start + arguments) > LONGEST_LINE:
            end = arguments[arguments.rindex(")") :]
            arguments = "(\n    " + ",\n    ".join(map(parameter, member.findall("param"))) + end
        return f"{prefix}{start}{arguments};"
    initializer = plain(member.find("initializer"))
    shown_initializer = f" {initializer}" if 0 < len(initializer) < LONGEST_LINE else ""
    return f"{prefix}{static}{kind_type} {name}{plain(member.find('argsstring'))}{shown_initializer};"


def line_of(element):
    return int(element.find("location").get("line"))


def last_line_of(element):
    return max(line_of(element), int(element.find("location").get("bodyend") or 0))


def gap(member):
    """The number of lines from one declaration to the next if no blank line is between them. A template takes a line more."""
    return 1 if member.find("templateparamlist") is None else 2


def groups(members):
    """Declarations with their comments. A declaration without a comment belongs to the one right above it."""
    result = []
    for member in sorted(members, key=line_of):
        words = [] if member.get("kind") == "enum" and not text_of(member) else text_of(member)
        if words or not result or line_of(member) > last_line_of(result[-1][0][-1]) + gap(member):
            result.append(([member], words))
        else:
            result[-1][0].append(member)
    return result


def shown(members):
    parts = []
    for grouped, words in groups(members):
        code = "\n".join(declaration(member) for member in grouped)
        parts.append(f"```cpp\n{code}\n```\n\n{markdown(words)}\n")
    return "\n".join(parts)


class Header:
    def __init__(self):
        self.words, self.classes, self.members = [], [], []


def headers_of(xml):
    result = collections.defaultdict(Header)
    for path in sorted(xml.glob("*.xml")):
        compound = ET.parse(path).getroot().find("compounddef")
        if compound is None:
            continue
        kind = compound.get("kind")
        if kind == "file":
            result[compound.find("location").get("file")].words = text_of(compound)
        elif kind in ("class", "struct", "union", "concept"):
            if compound.get("prot") != "private" and "internal" not in compound.findtext("compoundname"):
                result[compound.find("location").get("file")].classes.append(compound)
            continue
        if kind in ("file", "namespace") and "internal" not in (compound.findtext("compoundname") or ""):
            for member in compound.findall("sectiondef/memberdef"):
                if member.get("kind") != "define":
                    result[member.find("location").get("file")].members.append(member)
    return result


def public(compound):
    wanted = ("function", "variable", "typedef", "enum")
    return [m for m in compound.findall("sectiondef/memberdef") if m.get("prot") == "public" and m.get("kind") in wanted]


def class_words(compound):
    name = compound.findtext("compoundname").removeprefix("structtensor::")
    bases = [f"`{plain(base)}`" for base in compound.findall("basecompoundref") if "internal" not in plain(base)]
    initializer = plain(compound.find("initializer"))
    parts = [f"### `{name}`\n", markdown(text_of(compound)) + "\n"]
    if bases:
        parts.append(f"Base: {', '.join(bases)}\n")
    if initializer:
        concept = (
            initializer.replace("structtensor::", "")
            .replace("&& ", " &&\n    ")
            .replace("  &&", " &&")
            .replace("> concept", ">\nconcept")
        )
        parts.append(f"```cpp\n{concept}\n```\n")
    return "\n".join([*parts, shown(public(compound))])


def room_page(room, headers):
    parts = [f"# {room}\n"]
    for path, header in sorted(headers.items()):
        parts.append(
            f'## {pathlib.PurePath(path).name}\n\n```cpp\n#include "{path.removeprefix("runtime/")}"\n```\n\n'
            f"{markdown(header.words)}\n"
        )
        parts += [class_words(one) for one in sorted(header.classes, key=line_of)]
        free = shown(header.members)
        if free:
            parts.append(("### Functions and types\n\n" if header.classes else "") + free)
    return "\n".join(parts)


def write_pages(xml, pages):
    rooms = collections.defaultdict(dict)
    for path, header in headers_of(xml).items():
        folder = pathlib.PurePath(path).parent.relative_to("runtime")
        rooms[str(folder).removeprefix("structtensor/")][path] = header
    folder = pages / "reference" / "cpp"
    folder.mkdir(parents=True)
    index = ["# C++ reference\n", "The public headers of the library, by folder.\n", "| folder | headers |", "|---|---|"]
    nav = []
    for room, headers in sorted(rooms.items()):
        name = room.replace("/", "_") + ".md"
        (folder / name).write_text(room_page(room, headers), encoding="utf-8")
        names = ", ".join(f"`{pathlib.PurePath(path).name}`" for path in sorted(headers))
        index.append(f"| [{room}]({name}) | {names} |")
        nav.append(f"          - {room}: reference/cpp/{name}")
    (folder / "index.md").write_text("\n".join(index) + "\n", encoding="utf-8")
    return "\n".join(["      - C++ headers:", "          - reference/cpp/index.md", *nav])


def main():
    if sys.argv[1] == "--filter":
        print("\n".join(filtered(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").splitlines())))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--xml", "--pages", "--config", "--site"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    options = parser.parse_args()
    nav = write_pages(options.xml, options.pages)
    generated = "      - Generated code: docs/generated_code.md"
    config = options.config.read_text(encoding="utf-8")
    assert config.count(generated) == 1, (
        f"{options.config} has lost the line {generated.strip()!r}, after which the reference goes"
    )
    print(
        config.replace(generated, f"{generated}\n{nav}").replace("HOOKS", str(options.config.resolve().with_name("hooks.py")))
    )
    print(f"docs_dir: '{options.pages.resolve()}'\nsite_dir: '{options.site.resolve()}'")


if __name__ == "__main__":
    main()
