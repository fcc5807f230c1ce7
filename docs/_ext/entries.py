"""Entries of the search: full names of metrics, and words without a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

import keras_rankmetrics as krm
from keras_rankmetrics.metrics.names import class_by_name

# Pages and the first ids of sections that are searched for by other words than
# their titles.
TOPICS = {
    ("comparing", "what-is-tested"): (
        "p values",
        "p-values",
        "paired t test",
        "significance",
    ),
    ("custom_loops", "training-loop-for-tensorflow-jax-and-pytorch"): (
        "stateless",
        "jax stateless",
    ),
    ("examples/index", ""): ("notebook", "notebooks"),
    ("metrics", "metrics-of-relevance"): ("cutoff",),
    ("own_metrics", ""): ("own metric", "custom metric", "write a metric"),
    ("what_is_measured", "ties"): ("ties",),
    ("what_is_measured", "best-and-worst-value-over-ties"): (
        "best and worst ties",
        "tie range",
    ),
}
WORD = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+|\d+[a-z]*")


def names_of(metric: str) -> Iterator[str]:
    """Yield the names of a class as words: "mean average precision"."""
    for name, each in class_by_name().items():
        if each == metric and len(name) > 1:
            words = " ".join(WORD.findall(name)).lower().removesuffix(" at k")
            yield words
            yield words.replace("normalized", "normalised")


METRICS = {
    f"metrics/{getattr(krm, name).short_name}": tuple(names_of(name))
    for name in dict.fromkeys(class_by_name().values())
}


def add_entries(app: Sphinx, tree: nodes.document) -> None:
    """Add the entries of a page to the index that the search reads."""
    page = app.env.current_document.docname
    found = {"": METRICS.get(page, ())}
    found |= {at: words for (name, at), words in TOPICS.items() if name == page}
    entries = [
        ("single", words, at, "main", None)
        for at, each in found.items()
        for words in dict.fromkeys(each)
    ]
    if entries:
        tree.insert(0, addnodes.index(entries=entries, inline=False))


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the entries."""
    app.connect("doctree-read", add_entries)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
