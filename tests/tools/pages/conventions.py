"""`python -m tests.tools.pages.conventions`: a ranking in every convention."""

import pathlib

from keras_rankmetrics import conventions
from keras_rankmetrics.conventions.convention import Convention, Preset
from tests.tools.benchmarks.markdown import table
from tests.tools.pages.blocks import with_options_of_their_own
from tests.tools.pages.page import replaced
from tests.tools.pictures.thirteen_libraries import LABELS

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
    "mllib": "Spark MLlib",
    "recommenders": "Microsoft Recommenders",
    "replay": "RePlay",
    "rectools": "RecTools",
    "lenskit": "LensKit",
    "recbole": "RecBole",
    "merlin": "NVIDIA Merlin",
    "kaggle": "Kaggle's MAP@k",
    "pykeen": "PyKEEN",
    "recsys": "only retrieved items count",
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
    },
    ("NDCG@3", "rank_discount_fn"): {
        "log2_discount": "1 / log2(rank + 1)",
        "original_discount": "1 / max(1, log2(rank)): ranks 1 and 2 are equal",
    },
    ("NDCG@3", "ideal"): {
        "relevant": "the best order of all items",
        "retrieved": "the best order of the first k: missed items cost nothing",
    },
}
EMPTY = {"zero": "counts as 0", "skip": "is excluded", "one": "counts as 1"}
MAKER = "tests.tools.pages.conventions"


def page(text: str) -> str:
    """Return the page with its tables made again."""
    for name, block in (("values", values()), ("choices", choices())):
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


def those_that_choose(column: str, option: str, choice: str) -> list[str]:
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


def default_of(preset: Preset, option: str) -> str:
    """Return the value of an option, by its name if it is a function."""
    value = getattr(preset(k=10), option)
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
    PAGE.write_text(page(PAGE.read_text()))
