"""Checks a built site: every link and every anchor in it has a target, and no page of a reference is empty."""

import html.parser
import pathlib
import re
import sys
import urllib.parse

LEAST_WORDS = 20  # of a page of a reference, without its navigation


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.foreign, self.anchors, self.text = [], [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif (name == "href" and tag in ("a", "link")) or (name == "src" and tag in ("img", "script")):
                self.links.append(value or "")
                if tag in ("script", "img") and re.match("(https?:)?//", value or ""):
                    self.foreign.append(value)

    def handle_data(self, data):
        self.text.append(data)


def broken_links(site):
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    for path, page in sorted(pages.items()):
        if path.name == "404.html":  # its links start at the root of a server
            continue
        for address in page.foreign:
            yield f"{path.relative_to(site)}: fetches {address} from another host"
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                if parts.scheme not in ("http", "https", "mailto", "data") or (
                    parts.scheme.startswith("http") and not parts.netloc
                ):
                    yield f"{path.relative_to(site)}: {link} is not an address"
                continue
            target = path if not parts.path else (path.parent / urllib.parse.unquote(parts.path)).resolve()
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.is_file():
                yield f"{path.relative_to(site)}: {link} leads nowhere"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                yield f"{path.relative_to(site)}: {link}: the page has no such anchor"


def empty_references(site):
    found = sorted((site / "reference" / "cpp").glob("*.html"))
    if len(found) < 20:
        yield f"reference/cpp has only {len(found)} pages"
    for path in found:
        article = re.search(r"<article.*?</article>", path.read_text(encoding="utf-8"), re.DOTALL)
        words = " ".join(Page(article.group()).text).split() if article else []
        if len(words) < LEAST_WORDS:
            yield f"{path.relative_to(site)} is empty"


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    problems = [*broken_links(site), *empty_references(site)]
    for problem in problems:
        print(f"tools/site: {problem}", file=sys.stderr)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
