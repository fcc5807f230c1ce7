"""The links between the pages of a folder of HTML, and which are dead."""

from __future__ import annotations

import dataclasses
import html.parser
import pathlib
import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit


@dataclasses.dataclass
class Page:
    """What a page can be linked by, what it links to, and its tables."""

    ids: set[str] = dataclasses.field(default_factory=set)
    links: list[str] = dataclasses.field(default_factory=list)
    tables: str = ""


class _Reader(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self.open_tables = 0

    def handle_starttag(self, tag, attributes):
        self.open_tables += tag == "table"
        for name, value in attributes:
            if name == "id":
                self.page.ids.add(value)
            elif name in ("href", "src"):
                self.page.links.append(value or "")

    def handle_endtag(self, tag):
        self.open_tables -= tag == "table"

    def handle_data(self, data):
        if self.open_tables:
            self.page.tables += data


def page_of(text: str) -> Page:
    """What the HTML of a page says."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.page


def pages_of(folder: pathlib.Path) -> dict[str, Page]:
    """All pages below a folder, by their path in it.

    What a theme keeps among its static files is no page.
    """
    return {
        path.relative_to(folder).as_posix(): page_of(path.read_text())
        for path in sorted(folder.rglob("*.html"))
        if path.relative_to(folder).parts[0] != "_static"
    }


def dead_links(folder: pathlib.Path) -> list[str]:
    """The relative links that lead to no file, or to no id in a page."""
    pages = pages_of(folder)
    return [
        f"{name}: {link}"
        for name, page in pages.items()
        for link in page.links
        if _is_dead(link, name, pages, folder)
    ]


def _is_dead(
    link: str, name: str, pages: dict[str, Page], folder: pathlib.Path
) -> bool:
    url = urlsplit(link)
    if url.scheme or url.netloc:
        return False
    path = unquote(url.path)
    target = posixpath.normpath(
        posixpath.join(posixpath.dirname(name), path) if path else name
    )
    if target.startswith("..") or not (folder / target).is_file():
        return True
    # An empty fragment is the top of the page.
    fragment = unquote(url.fragment)
    return bool(fragment) and fragment not in pages.get(target, Page()).ids


def markdown_links(text: str) -> dict[str, str]:
    """The addresses and texts of links in Markdown."""
    found = re.findall(r"\[([^\]]+)\]\(([^)]+)\)", text)
    return {address: name for name, address in found}


def source_links(folder: pathlib.Path) -> Iterator[str]:
    """Links to sources that became fragments: `#docs/in_keras.md`."""
    for name, page in pages_of(folder).items():
        for link in page.links:
            if urlsplit(link).fragment.endswith((".md", ".py")):
                yield f"{name}: {link}"
