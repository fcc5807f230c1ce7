"""Scripts and styles that only one page needs."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

SCRIPTS = {"play": ["conventions.js", "rank_metrics.js", "play.js"]}
STYLES = {"play": ["play.css"]}


def add_files(app: Sphinx, page: str, *_: Any) -> None:
    """Add the files of a page. They do not need to be on a server."""
    for name in SCRIPTS.get(page, ()):
        app.add_js_file(name, loading_method="defer")
    for name in STYLES.get(page, ()):
        app.add_css_file(name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect it."""
    app.connect("html-page-context", add_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
