"""`llms.txt`: the pages of the site for language models, as Markdown links.

The format is that of llmstxt.org. The front page names the sections and has the
summary. Links are absolute if `html_baseurl` is set.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Any

from descriptions import description_of
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def below(env: BuildEnvironment, page: str) -> Iterator[str]:
    """Yield a page and all pages of its table of contents."""
    yield page
    for child in env.toctree_includes.get(page, ()):
        yield from below(env, child)


def name_of(env: BuildEnvironment, page: str) -> tuple[str, str]:
    """Return the name in the title of a page, and what a colon adds to it."""
    name, _, answer = env.titles[page].astext().partition(": ")
    return name, answer


def line_of(app: Sphinx, page: str) -> str:
    """Return the link to a page, with its question and its description."""
    name, answer = name_of(app.env, page)
    question = f"{answer[:1].upper()}{answer[1:]} " if "?" in answer else ""
    text = question + description_of(app.env.get_doctree(page))
    base = app.config.html_baseurl
    address = f"{base.rstrip('/')}/" if base else ""
    link = f"- [{name}]({address}{app.builder.get_target_uri(page)})"
    return f"{link}: {text}" if text else link


def text_of(app: Sphinx) -> str:
    """Return the text of the file."""
    env, front = app.env, app.config.root_doc
    summary = description_of(env.get_doctree(front))
    parts = [f"# {app.config.project}", f"> {summary}"]
    for section in env.toctree_includes[front]:
        parts.append(f"## {name_of(env, section)[0]}")
        pages = dict.fromkeys(below(env, section))
        parts.append("\n".join(line_of(app, page) for page in pages))
    return "\n\n".join(parts) + "\n"


def write(app: Sphinx, failed: Exception | None) -> None:
    """Write the file next to the pages."""
    if failed is None and app.builder.format == "html":
        file = pathlib.Path(app.outdir, "llms.txt")
        file.write_text(text_of(app), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect it."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
