"""`python -m tests.tools.pages.conventions`: a ranking in every convention.

With `--reported`, it also compares the values of all tools, for a minute.
"""

import pathlib
import sys
import warnings
from collections.abc import Iterable
from typing import Any

from keras_rankmetrics import conventions
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.presets import Preset
from tests.tools.benchmarks.markdown import table
from tests.tools.pages.blocks import with_options_of_their_own
from tests.tools.pages.page import replaced
from tests.tools.pictures.thirteen_libraries import LABELS
from tests.tools.reported.__main__ import rows as reported_rows

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "conventions.md"
SCORES = [float(-rank) for rank in range(len(LABELS))]
# Library names that differ from the name of the convention.
LIBRARIES = {
    "keras_rs": "Keras Recommenders",
    "tf_ranking": "TensorFlow Ranking, Rax",
    "trec_eval": "trec_eval 10",
    "sklearn": "scikit-learn",
    "sentence_transformers": "Sentence Transformers",
    "beir": "BEIR",
    "mteb": "MTEB",
    "elasticsearch": "Elasticsearch, OpenSearch",
    "search_relevance": "OpenSearch's Search Relevance Workbench",
    "mllib": "Spark MLlib",
    "recommenders": "Microsoft Recommenders",
    "replay": "RePlay",
    "rectools": "RecTools",
    "lenskit": "LensKit 2025",
    "lenskit_2026": "LensKit 2026",
    "pyg": "PyTorch Geometric",
    "torchrec": "TorchRec",
    "cornac": "Cornac",
    "recbole": "RecBole",
    "merlin": "NVIDIA Merlin",
    "kaggle": "Kaggle's MAP@k",
    "pykeen": "PyKEEN",
    "recsys": "only retrieved items count",
    "xgboost": "XGBoost",
    "lightgbm": "LightGBM",
    "catboost": "CatBoost",
    "llama_index": "LlamaIndex",
    "haystack": "Haystack",
    "ragas": "Ragas",
    "deepeval": "DeepEval",
    "phoenix": "Arize Phoenix",
    "mlflow": "MLflow",
    "evidently": "Evidently",
}
COLUMNS = {
    "MAP@3": ("MeanAveragePrecision", 3),
    "Recall@3": ("RecallAtK", 3),
    "Precision@10": ("PrecisionAtK", 10),
    "NDCG@3": ("NDCG", 3),
    "MRR": ("MeanReciprocalRank", None),
}
# Values of options, in the order of the page, and their meaning.
CHOICES = {
    ("MAP@3", "denominator"): {
        "relevant": "divide by all relevant items, 5",
        "min": "divide by the relevant items that fit within k, 3",
        "hits": "divide by the relevant items found within k, 1",
    },
    ("Recall@3", "denominator"): {
        "relevant": "divide by all relevant items, 5",
        "min": "divide by the relevant items that fit within k, 3",
    },
    ("Precision@10", "denominator"): {
        "retrieved": "divide by the items retrieved within k, 8",
        "k": "divide by k, 10",
    },
    ("NDCG@3", "gain_fn"): {
        "exponential_gain": "2^y - 1: high grades dominate",
        "linear_gain": "y: equal to the above for labels 0 and 1",
        "binary_gain": "1 for labels of 1 or more: grades are alike",
    },
    ("NDCG@3", "rank_discount_fn"): {
        "log2_discount": "1 / log2(rank + 1)",
        "original_discount": "1 / max(1, log2(rank)): ranks 1 and 2 are equal",
    },
    ("NDCG@3", "ideal"): {
        "relevant": "the best order of all items, cut off at k",
        "uncut": "the best order of all items, also below rank k: 1 needs all "
        "relevant items within k",
        "shown": "the best order of all items, as many as are retrieved within "
        "k: items that a short list lacks cost nothing",
        "retrieved": "the best order of the first k: missed items cost nothing",
    },
}
# Options that mean the same for every metric.
OF_ALL: dict[str, dict[object, str]] = {
    "ties": {
        "average": "the mean over all orders of tied items",
        "stable": "tied items keep the order of the data",
        "pessimistic": "of tied items, the least relevant comes first",
    },
    "relevance_threshold": {
        1.0: "labels of 1 or more are relevant",
        0.5 + 2.0**-24: "labels above 0.5 are relevant",
    },
}
GAINS = {
    "exponential_gain": "2^y - 1",
    "linear_gain": "y",
    "binary_gain": "1 if relevant",
}
TAKEN = {
    "grades": "any",
    "integers": "whole numbers",
    "not_negative": "0 or more",
    "members": "any",
}
EMPTY = {"zero": "counts as 0", "skip": "is excluded", "one": "counts as 1"}
MAKER = "tests.tools.pages.conventions"
REPORTER = f"{MAKER} --reported"


def page(text: str) -> str:
    """Return the page with its tables made again."""
    for name, block in (
        ("values", values()),
        ("choices", choices()),
        ("options of all metrics", options_of_all()),
        ("relevance", relevance()),
    ):
        text = replaced(text, name, block, MAKER)
    return text


def values() -> str:
    """Return a table of the ranking's values in each convention."""
    rows = [
        [
            f"`{convention.name}`",
            LIBRARIES.get(convention.name, convention.name),
            *(value_of(convention, column) for column in COLUMNS),
            empty_lists(convention),
        ]
        for convention in with_options_of_their_own()
        if any(preset_of(convention, column) for column in COLUMNS)
    ]
    header = [
        "convention",
        "library",
        *COLUMNS,
        "no relevant item (these metrics)",
    ]
    return table(header, rows, left=(0, 1, len(header) - 1))


def choices() -> str:
    """Return a table of the options in which conventions differ."""
    rows = []
    for (column, option), meanings in CHOICES.items():
        users = {
            choice: those_that_choose(column, option, choice)
            for choice in meanings
        }
        most = max(map(len, users.values()))
        for choice, meaning in meanings.items():
            names = users[choice]
            shown = choice if option.endswith("_fn") else f'"{choice}"'
            rows.append(
                [
                    column,
                    f"`{option}={shown}`",
                    meaning,
                    value_of(conventions.named(names[0]), column),
                    "all others"
                    if len(names) == most
                    else ", ".join(f"`{name}`" for name in names),
                ]
            )
    header = ["metric", "option", "meaning", "value", "conventions"]
    return table(header, rows, left=(0, 1, 2, 4))


def options_of_all() -> str:
    """Return a table of the options that mean the same for every metric."""
    rows = []
    for option, meanings in OF_ALL.items():
        users = {
            choice: [
                *dict.fromkeys(
                    name
                    for column in COLUMNS
                    for name in those_that_choose(column, option, choice)
                )
            ]
            for choice in meanings
        }
        most = max(map(len, users.values()))
        for choice, meaning in meanings.items():
            shown = f'"{choice}"' if option == "ties" else f"{choice:.8g}"
            names = ", ".join(f"`{name}`" for name in users[choice])
            is_usual = len(users[choice]) == most
            rows.append(
                [
                    f"`{option}={shown}`",
                    meaning,
                    "all others" if is_usual else names,
                ]
            )
    return table(["option", "meaning", "conventions"], rows, left=(0, 1, 2))


def relevance() -> str:
    """Return a table of what counts as relevant in each convention."""
    rows = [
        [
            f"`{convention.name}`",
            LIBRARIES.get(convention.name, convention.name),
            relevant_in(convention),
            gain_in(convention),
            TAKEN[convention.rules.labels],
        ]
        for convention in with_options_of_their_own()
    ]
    header = ["convention", "library", "relevant", "gain", "labels"]
    return table(header, rows, left=range(len(header)))


def relevant_in(convention: Convention) -> str:
    """Return which items are relevant by metrics of binary relevance."""
    if convention.rules.labels == "members":
        return "each item of the truth, whatever its label"
    meanings = OF_ALL["relevance_threshold"]
    found = {
        name: meanings[x].removesuffix(" are relevant")
        for name, x in set_in(convention, "relevance_threshold").items()
    }
    usual = next(iter(found.values()), "–")
    others = [f"{name}: {x}" for name, x in found.items() if x != usual]
    return "; ".join([usual, *others])


def gain_in(convention: Convention) -> str:
    """Return the gain of a label y by metrics of gains."""
    of_metrics = set_in(convention, "gain_fn").values()
    found = {GAINS[x.__name__] for x in of_metrics}
    return " or ".join(sorted(found)) or "–"


def set_in(convention: Convention, option: str) -> dict[str, Any]:
    """Return the value of an option in each metric of a convention."""
    parameters = {
        name: preset.__signature__.parameters
        for name, preset in convention.presets.items()
    }
    return {n: x[option].default for n, x in parameters.items() if option in x}


def reported(found: Iterable[list[str]]) -> str:
    """Return a table of how far tools are from their conventions.

    Args:
        found: rows of `tests.tools.reported`, several for some tools.
    """
    merged: dict[tuple[str, str], tuple[int, float]] = {}
    for convention, tool, count, largest in found:
        old, before = merged.get((convention, tool), (0, 0.0))
        merged[convention, tool] = (
            old + int(count),
            max(before, float(largest)),
        )
    rows = [
        [f"`{convention}`", tool, str(count), f"{largest:.1e}"]
        for (convention, tool), (count, largest) in merged.items()
    ]
    header = ["convention", "tool", "values", "largest difference"]
    return table(header, rows, left=(0, 1))


def those_that_choose(column: str, option: str, choice: object) -> list[str]:
    """Return the names of the conventions whose option has this value."""
    presets = {
        convention.name: preset_of(convention, column)
        for convention in with_options_of_their_own()
    }
    return [
        name
        for name, preset in presets.items()
        if preset and default_of(preset, option) == choice
    ]


def preset_of(convention: Convention, column: str) -> Preset | None:
    """Return the metric of a column, or None if the library has none."""
    return convention.presets.get(COLUMNS[column][0])


def default_of(preset: Preset, option: str) -> Any:
    """Return the value of an option, or its name if it is a function.

    None if the metric has no such option.
    """
    value = getattr(preset(k=10), option, None)
    return getattr(value, "__name__", value)


def value_of(convention: Convention, column: str) -> str:
    """Return the ranking's value in two digits, or a dash."""
    preset = preset_of(convention, column)
    if preset is None:
        return "–"
    metric = preset(k=COLUMNS[column][1])
    return f"{float(metric.per_list(LABELS, SCORES)):.2f}"


def empty_lists(convention: Convention) -> str:
    """Return the rule for lists without relevant items, and its exception."""
    presets = {column: preset_of(convention, column) for column in COLUMNS}
    rules = {
        column: EMPTY[default_of(preset, "empty")]
        for column, preset in presets.items()
        if preset
    }
    usual = list(rules.values())[-1]
    others = [
        f"{c.partition('@')[0]}: {r}" for c, r in rules.items() if r != usual
    ]
    return "; ".join([usual, *others])


if __name__ == "__main__":
    made = page(PAGE.read_text())
    if "--reported" in sys.argv:
        warnings.simplefilter("ignore")
        made = replaced(made, "reported", reported(reported_rows([])), REPORTER)
    PAGE.write_text(made)
