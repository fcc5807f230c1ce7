"""Links to the notebook of a page, below its title."""

from __future__ import annotations

import pathlib
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

COLAB = "https://colab.research.google.com/github/{}/blob/main/docs/{}"


def add_links(app: Sphinx, tree: nodes.document) -> None:
    """Add a download and, once there is a public repository, Colab."""
    page = pathlib.PurePath(app.env.current_document.docname)
    file = f"examples/{page.name}.ipynb"
    if not (app.srcdir / file).exists():
        return
    line = nodes.inline()
    line += addnodes.download_reference(
        "", "", nodes.Text("Download as a notebook"), reftarget=f"/{file}"
    )
    if repository := app.config.html_context["repository"]:
        address = COLAB.format(repository, file)
        line += nodes.Text(" · ")
        line += nodes.reference("", "Open in Colab", refuri=address)
    # No paragraph, since the first one describes the page to search engines.
    box = nodes.container("", line, classes=["notebook"])
    next(tree.findall(nodes.section)).insert(1, box)


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect it, before Sphinx collects the downloads of a page."""
    app.connect("doctree-read", add_links, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
