"""Members of classes in the reference, and signatures that read well."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

# Members that a page shows, where a class inherits many more from Keras.
OF_STATES = (
    "state",
    "get_state",
    "set_state",
    "merge_state",
    "sync",
)
MEMBERS = {
    "RankingMetric": (
        "at",
        "measure",
        "update_state",
        "result",
        "per_list",
        "estimate",
        "standard_error",
        "confidence_interval",
        "count",
        "effective_count",
        *OF_STATES,
        "signature",
        "relevance",
        "has_value",
        "aggregate",
        "has_upper_bound",
        "more_is_better",
        "turns_under",
        "needs_whole_lists",
        "whole_lists_under",
        "needs_k_under",
        "strict_order_under",
        "option_in_name",
        "short_name",
        "options",
        "reads",
        "own_weight",
        "expected_measure",
    ),
    "MetricCollection": (
        "update_state",
        "result",
        "per_list",
        *OF_STATES,
        "signatures",
    ),
    "Comparison": (
        "update_state",
        "estimates",
        "differences",
        "table",
        "signature",
    ),
    "JudgeCorrected": (
        "update_state",
        "per_list",
        "estimate",
        "standard_error",
        "confidence_interval",
        "signature",
    ),
    "Sliced": ("estimates", "table", "signature"),
    "Quantiles": ("intervals", "table", "signature"),
    "LowerMean": (
        "estimate",
        "standard_error",
        "confidence_interval",
        "signature",
    ),
    "SampledRanks": ("estimates", "histogram", "table", "signature"),
    "Ranking": (
        "overall",
        "highest_gain",
        "has_gain",
        "retrieved",
        "others",
        "all_others",
        "others_above",
        "pairs",
        "ranks",
        "missed",
        "mean_weight",
        "hits",
        "total",
        "weighted_total",
        "share",
        "discount",
        "precision",
        "blended_ratio",
        "at_first_hit",
        "at_stop",
        "best_at_stop",
        "precision_per_hit",
        "reciprocal_rank_per_hit",
        "by_chance",
        "best",
        "discounted",
        "best_of_retrieved",
        "with_gain",
        "as_binary",
        "by_subtopic",
        "shown",
        "number_shown",
        "mean_of_relevant",
        "sum_over_ranks",
        "against_reference",
        "logged",
    ),
    "Estimate": ("interval", "margin"),
    "State": ("arrays", "from_arrays", "to_bytes", "from_bytes"),
    "Aggregate": ("shape", "of_batch", "result"),
    "PerList": ("per_list",),
    "Subtopics": ("total", "mean", "best_at_stop"),
    "Shown": (
        "start",
        "size",
        "ranks",
        "probability",
        "is_certain",
        "exposure",
        "gains",
        "at",
        "times",
        "by_item",
    ),
    "Preset": ("at",),
    "Vocabulary": ("parse",),
}


def readable(
    app: Sphinx,
    what: str,
    name: str,
    documented: object,
    options: object,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """A signature without what only the package sets, nor marks of objects."""
    return tidied(signature), tidied(returned)


def tidied(text: str | None) -> str | None:
    """The text of a signature, as a person would write it."""
    if text is None:
        return None
    text = re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text)
    text = re.sub(r"<(?:function|class) '?([\w.]+)'?[^>]*>", last_part, text)
    text = re.sub(r", _\w+: [^,()]+ = <factory>", "", text)
    return text.replace("<factory>", "...")


def last_part(match: re.Match[str]) -> str:
    """The name of an object without those of its modules."""
    return match[1].rpartition(".")[2]


# Arguments that a docstring leaves to the base class, and what it says of them.
COMMON = re.compile(
    r"^    ([\w, ]+):\s+see\s+`RankingMetric`\.(.*(?:\n        .*)*)\n?",
    re.MULTILINE,
)
BASE = ":py:class:`RankingMetric <keras_rankmetrics.RankingMetric>`"


def with_common_arguments(
    app: Sphinx,
    what: str,
    name: str,
    documented: object,
    options: object,
    lines: list[str],
) -> None:
    """Names the arguments of the base class together."""
    lines[:] = in_one_sentence("\n".join(lines)).split("\n")


def in_one_sentence(doc: str) -> str:
    """The docstring, with one sentence in place of a line for each."""
    found = COMMON.findall(doc)
    if not found:
        return doc
    names = [f"`{n.strip()}`" for some, _ in found for n in some.split(",")]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    notes = " ".join(" ".join(note.split()) for _, note in found).strip()
    sentence = f"The arguments {listed} are those of {BASE}. {notes}".strip()
    rest = COMMON.sub("", doc)
    return rest.replace("Args:\n", f"{sentence}\n\nArgs:\n", 1)


# Sources that define names of two modules. `viewcode` links back to all of them
# as if they were of the second.
LINKED_AS = {
    f"keras_rankmetrics.{module}.": f"keras_rankmetrics.{other}"
    for module, other in {
        "conventions.convention": "conventions.",
        "engine.ranking.ranking": "",
        "types": "",
    }.items()
}


def linked(app: Sphinx, page: nodes.document) -> None:
    """Gives entries the addresses by which their sources link to them."""
    for entry in page.findall(addnodes.desc_signature):
        for module, other in LINKED_AS.items():
            entry["ids"] += [
                id.replace(module, other)
                for id in entry["ids"]
                if id.startswith(module)
            ]


def without_addresses(app: Sphinx, page: nodes.document) -> None:
    """Make text of `NDCG@10`, which looks like an address of mail."""
    for link in list(page.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(nodes.Text(link.astext()))


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects both, and hands the members to the templates."""
    app.setup_extension("sphinx.ext.autodoc")
    app.config["autosummary_context"] = {"members_of": MEMBERS}
    app.connect("autodoc-process-signature", readable)
    # Before napoleon, which reads the sections of a docstring.
    app.connect("autodoc-process-docstring", with_common_arguments, 400)
    app.connect("doctree-read", linked)
    app.connect("doctree-read", without_addresses)
    return {"parallel_read_safe": True}
