"""Signatures and arguments of metrics, on the pages that explain them."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Iterator
from typing import Any, Literal

import wall
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

import keras_rankmetrics as krm

METRICS = {f"metrics/{name}": each for name, each in wall.METRICS.items()}
NAMES = {f"keras_rankmetrics.{each.__name__}" for each in METRICS.values()}

# Below the first paragraphs of a page. `...` are the arguments of all metrics.
SIGNATURE = """\
```{{eval-rst}}
.. py:class:: {name}({arguments})
   :module: keras_rankmetrics
   :canonical: {canonical}
   :single-line-parameter-list:
```

[All arguments](#arguments)

"""
# Below its text. The signature is above.
ARGUMENTS = """

:::{{seealso}}
[Which metric?](../which_metric.md), [Input](../input.md) for shapes and dtypes,
[Examples](../examples/index.md)
:::

## Arguments

:::{{div}} arguments
{table}
:::

```{{eval-rst}}
.. autoclass:: keras_rankmetrics.{name}
   :no-index:
```
"""
# Where the guide explains an argument.
GUIDES = {
    "k": "metrics.md#metrics-of-relevance",
    "relevance_threshold": "what_is_measured.md#relevance-threshold",
    "denominator": "what_is_measured.md#denominators",
    "ideal": "what_is_measured.md#the-ideal-of-ndcg",
    "ties": "what_is_measured.md#ties",
    "shuffle_ties": "what_is_measured.md#ties",
    "seed": "what_is_measured.md#ties",
    "empty": "what_is_measured.md#lists-without-relevant-items",
    "list_weight": "what_is_measured.md#weights",
    "adjusted": "strange.md#a-constant-model-gets-neither-0-nor-1",
    "inputs": "input.md",
    "unjudged": "what_is_measured.md#unjudged-items",
    "labels": "uncertain.md",
    "name": "in_keras.md#two-metrics-with-the-same-name",
    "dtype": "precision.md",
}
# What all metrics take, where its type does not say it.
COMMON = {
    "k": "the cutoff, or None for all ranks",
    "shuffle_ties": 'True for `ties="shuffle"`, False for `ties="stable"`',
    "seed": 'for `ties="shuffle"`: an integer or `keras.random.SeedGenerator`',
    "name": "the name in logs",
    "dtype": '`"float32"`, or `"float64"` on TensorFlow',
}
# What their values are for.
MEANINGS = {
    "ties": "tied items",
    "empty": "lists without relevant items",
    "list_weight": "the weight of a list",
    "adjusted": "the chance level",
    "inputs": "the form of the input",
    "unjudged": "unjudged items",
    "labels": "the meaning of labels",
}
# A catalogue of two items, for metrics that need one.
CATALOGUE = {
    "num_items": 2,
    "popularity": [0.5, 0.5],
    "is_tail": [0, 1],
    "vectors": [[1.0, 0.0], [0.0, 1.0]],
    "groups": [[1.0, 0.0], [0.0, 1.0]],
    "target": [0.5, 0.5],
}
HINTS = typing.get_type_hints(krm.RankingMetric.__init__)
# The section of a docstring that lists the arguments, and its entries.
SECTION = re.compile(r"^Args:\n((?:(?: {4}.*)?\n)+)", re.MULTILINE)
ENTRY = re.compile(r"^ {4}(\w+): ((?:.*\n)(?: {8}.*\n)*)", re.MULTILINE)
TYPE_NAME = re.compile(
    r"`(?:keras_rankmetrics\.types\.)?(\w+Fn|RankingMetric)`"
)


def with_signature(app: Sphinx, page: str, source: list[str]) -> None:
    """Add the signature to the page of a metric, and the arguments below."""
    if page in METRICS:
        source[0] = completed(source[0], METRICS[page])


def completed(text: str, metric: type[krm.RankingMetric]) -> str:
    """Return the text of a page with the signature and the arguments."""
    head, heading, rest = text.partition("## Formula")
    signature = SIGNATURE.format(
        name=metric.__name__,
        arguments=short(metric),
        canonical=f"{metric.__module__}.{metric.__name__}",
    )
    below = ARGUMENTS.format(
        name=metric.__name__, table="\n".join(table(metric))
    )
    return head + signature + heading + rest + below


def short(metric: type[krm.RankingMetric]) -> str:
    """Return the arguments of a metric without those that all metrics have."""
    own = [
        written(each)
        for each in parameters(metric)
        if each.name == "k" or each.name not in HINTS
    ]
    return ", ".join([*own, "..."])


def parameters(metric: type[krm.RankingMetric]) -> list[inspect.Parameter]:
    """Return the parameters of a metric, those of all metrics last."""
    every = inspect.signature(metric).parameters.values()
    return sorted(
        every, key=lambda each: each.name != "k" and each.name in HINTS
    )


def written(parameter: inspect.Parameter) -> str:
    """Return a parameter with its default, as in Python code."""
    if parameter.default is inspect.Parameter.empty:
        return parameter.name
    default = parameter.default
    text = getattr(default, "__name__", None) or repr(default).replace("'", '"')
    return f"{parameter.name}={text}"


def table(metric: type[krm.RankingMetric]) -> Iterator[str]:
    """Yield the lines of the table of arguments, which link to the guide."""
    documented = {
        name: " ".join(text.split())
        for name, text in ENTRY.findall(arguments_of(metric))
    }
    yield "| argument | meaning |"
    yield "|---|---|"
    for each in parameters(metric):
        code, name = f"`{written(each)}`", each.name
        if name in GUIDES:
            code = f"[{code}](../{GUIDES[name]})"
        meaning = documented.get(name) or COMMON.get(name)
        meaning = meaning or values_of(metric, name)
        yield f"| {code} | {linked(meaning).replace('|', '/')} |"


def arguments_of(metric: type[krm.RankingMetric]) -> str:
    """Return the entries of the arguments in the docstring of a metric."""
    found = SECTION.search(inspect.getdoc(metric) or "")
    return found[1] if found else ""


def values_of(metric: type[krm.RankingMetric], name: str) -> str:
    """Return the values of an argument of all metrics, by its type."""
    found = [
        value
        for part in (HINTS[name], *typing.get_args(HINTS[name]))
        if typing.get_origin(part) is Literal
        for value in typing.get_args(part)
        if takes(metric, name, value)
    ]
    texts = [f'`"{value}"`' for value in found]
    if name == "adjusted":
        texts.insert(0, "`None`")
    return f"{MEANINGS[name]}: {', '.join(texts)}"


def takes(metric: type[krm.RankingMetric], name: str, value: str) -> bool:
    """Return False if the metric refuses a value of an argument."""
    known = inspect.signature(metric).parameters
    needed = {k: x for k, x in {**CATALOGUE, "k": 3}.items() if k in known}
    metric(**needed)
    try:
        metric(**needed, **{name: value})
    except ValueError:
        return False
    return True


def linked(text: str) -> str:
    """Return the text with links to the types that it names."""
    return TYPE_NAME.sub(r"{py:class}`~keras_rankmetrics.\1`", text)


def without_arguments(
    app: Sphinx,
    what: str,
    name: str,
    documented: object,
    options: object,
    lines: list[str],
) -> None:
    """Leave out the arguments of a metric, which the table has."""
    if name in NAMES:
        lines[:] = SECTION.sub("", "\n".join(lines)).split("\n")


def unwrapped(app: Sphinx, page: nodes.document) -> None:
    """Keep the text of a docstring, without the signature that is above."""
    if app.env.current_document.docname in METRICS:
        for entry in list(page.findall(addnodes.desc)):
            if entry.get("no-index"):
                entry.replace_self(entry[-1].children)


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect all."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("source-read", with_signature)
    # Before napoleon, which reads the sections of a docstring.
    app.connect("autodoc-process-docstring", without_arguments, 350)
    # Before the entries of a page are collected.
    app.connect("doctree-read", unwrapped, 100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
