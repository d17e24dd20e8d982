"""Draws docs/images/speed.svg from the table in docs/performance.md. With --check, only reports whether it is current."""

import argparse
import pathlib
import sys

TABLE = "docs/performance.md"
PICTURE = "docs/images/speed.svg"
SERIES = (("strongest parser", "parser"), ("columns", "columns"))
LEGEND = ("the strongest parser, which makes no columns", "the fastest other way to columns")

LEFT, TOP, ROW, BAR, UNIT = 190, 70, 34, 12, 50  # pixels; UNIT: of a factor of 1

STYLE = """
    text { font: 12px system-ui, sans-serif; fill: #1f2328; }
    .note { fill: #59636e; }
    .parser { fill: #d29922; }
    .columns { fill: #8c959f; }
    .ours { stroke: #0f766e; stroke-width: 2; }
    .grid { stroke: #d1d9e0; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .note { fill: #9198a1; }
      .columns { fill: #6e7681; }
      .ours { stroke: #2dd4bf; }
      .grid { stroke: #3d444d; }
    }
"""


def measured(text):
    """(data set, {column: factor}) of each row of the first table, whose last row is the mean."""
    table = text[text.index("\n| set |") + 1 :].split("\n\n")[0]
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    for row in rows:
        cells = dict(zip(header, row, strict=True))
        yield cells["set"], {name: float(cells[name].split()[0]) for name, _ in SERIES}


def picture(text):
    rows = list(measured(text))
    height = TOP + ROW * len(rows) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {height}" role="img" aria-labelledby="title">',
        '  <title id="title">How many times as long other libraries take as structtensor, for each data set</title>',
        f"  <style>{STYLE}  </style>",
        f'  <rect class="parser" x="{LEFT}" y="8" width="{BAR}" height="{BAR}"/>',
        f'  <text x="{LEFT + 20}" y="18">{LEGEND[0]}</text>',
        f'  <rect class="columns" x="{LEFT + 320}" y="8" width="{BAR}" height="{BAR}"/>',
        f'  <text x="{LEFT + 340}" y="18">{LEGEND[1]}</text>',
    ]
    bottom = TOP + ROW * len(rows)
    for factor in range(1, 13):
        x = LEFT + factor * UNIT
        parts.append(f'  <line class="grid" x1="{x}" y1="{TOP - 10}" x2="{x}" y2="{bottom}"/>')
        parts.append(f'  <text class="note" x="{x}" y="{bottom + 18}" text-anchor="middle">{factor}</text>')
    parts.append(f'  <text x="{LEFT + UNIT}" y="{TOP - 18}" text-anchor="middle">structtensor, to columns = 1</text>')
    for i, (name, factors) in enumerate(rows):
        y = TOP + ROW * i
        parts.append(f'  <text x="{LEFT - 10}" y="{y + 17}" text-anchor="end">{name}</text>')
        for j, (column, kind) in enumerate(SERIES):
            width = round(factors[column] * UNIT, 1)
            parts.append(f'  <rect class="{kind}" x="{LEFT}" y="{y + j * BAR}" width="{width}" height="{BAR}"/>')
            parts.append(f'  <text class="note" x="{LEFT + width + 5}" y="{y + j * BAR + 10}">{factors[column]:.2f}</text>')
    x = LEFT + UNIT
    parts.append(f'  <line class="ours" x1="{x}" y1="{TOP - 10}" x2="{x}" y2="{bottom}"/>')
    return "\n".join([*parts, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    root = pathlib.Path(__file__).resolve().parents[1]
    drawn = picture((root / TABLE).read_text(encoding="utf-8"))
    if not parser.parse_args().check:
        (root / PICTURE).write_text(drawn, encoding="utf-8")
    elif (root / PICTURE).read_text(encoding="utf-8") != drawn:
        sys.exit(f"{PICTURE} is not current; tools/speed_plot.py draws it")


if __name__ == "__main__":
    main()
