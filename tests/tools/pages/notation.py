"""Lists as the pages write them, and what a metric is given of them.

`"1 (1 0) – 0 / 1"` is a list of labels, the best score first. Items in brackets
have equal scores, `–` is an item that is masked, and what stands behind `/` is
not retrieved. `?` is an item that nobody has judged. `"a a b of a c"` are
recommended ids, and the relevant ones. `"a (b C) / D"` are items of a
catalogue, of which C and D are relevant. `"ab 0 c"` are items that are relevant
to the subtopics a and b, to none, and to c.
"""

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from keras_rankmetrics import UNJUDGED, RankingMetric

NOT_RETRIEVED = float("-inf")
PADDING, MASKED = -1.0, "–"
SPECIAL = {MASKED: PADDING, "?": float(UNJUDGED)}
CATALOGUE, SUBTOPICS = 6, "abc"


@dataclasses.dataclass(frozen=True)
class Item:
    """An item of a list, by its place among the scores."""

    text: str
    score: float

    @property
    def label(self) -> float:
        given = SPECIAL.get(self.text)
        return float(self.text) if given is None else given

    @property
    def by_subtopic(self) -> list[float]:
        """Its label for each of the subtopics a, b, c."""
        if self.text == MASKED:
            return [PADDING] * len(SUBTOPICS)
        return [float(subtopic in self.text) for subtopic in SUBTOPICS]


def is_of_ids(text: str) -> bool:
    return " of " in text


def items_of(text: str) -> list[Item]:
    """The items of a list of labels, with scores that fall from 0 on."""
    items, score, is_open = [], 0.0, False
    for token in re.findall(r"[()/]|[^()/\s]+", text):
        if token == "/":
            score = NOT_RETRIEVED
        elif token in "()":
            is_open = token == "("
            score -= not is_open
        else:
            items.append(Item(token, score))
            score -= not is_open
    return items


def ids_of(text: str) -> tuple[list[int], list[int]]:
    """The relevant ids, and the recommended ones."""
    recommended, _, relevant = text.partition(" of ")
    return list(map(ord, relevant.split())), list(map(ord, recommended.split()))


def _results(
    metric: type, texts: Sequence[str], pairs: Mapping[str, Any], **options: Any
) -> list[float]:
    """The result for several lists, with `;` between them.

    Args:
        metric: the class.
        texts: the lists.
        pairs: by the form of the input, a function from the text of a list to
            what the metric takes of it.
        options: of the metric.
    """
    found = []
    for text in texts:
        form = "ids" if is_of_ids(text) else "scores"
        columns = zip(*map(pairs[form], text.split(";")), strict=True)
        found.append(float(metric(inputs=form, **options)(*map(list, columns))))
    return found


def _values(
    metric: type, texts: Sequence[str], pair: Any, **options: Any
) -> list[float]:
    """The value of each list; `pair` makes two rows of a text without ids."""
    if any(map(is_of_ids, texts)):
        options["inputs"], pair = "ids", ids_of
    columns = zip(*map(pair, texts), strict=True)
    found = metric(**options).per_list(*map(list, columns))
    return [float(value) for value in found]


def values_of_catalogues(
    metric: type, texts: Sequence[str], **options: Any
) -> list[float]:
    """The value of lists of the items a to f, with `;` between the lists."""
    pairs = {
        "ids": lambda row: [[i - ord("a") for i in ids] for ids in ids_of(row)],
        "scores": lambda row: ([0.0] * CATALOGUE, scores_of(row)),
    }
    return _results(metric, texts, pairs, num_items=CATALOGUE, **options)


def scores_of(text: str) -> list[float]:
    """The scores of the items a to f; what is not named is not retrieved."""
    scores = [NOT_RETRIEVED] * CATALOGUE
    for item in items_of(text):
        scores[ord(item.text.lower()) - ord("a")] = item.score
    return scores


def values_of_tables(
    tables: Mapping[str, Any],
    metric: type[RankingMetric],
    texts: Sequence[str],
    **options: Any,
) -> list[float]:
    """The value of each list of the items a to f, NaN where it does not count.

    Args:
        tables: what the metric is told of these items, by its parameters.
        metric: the class.
        texts: the lists. An item whose letter is large is relevant.
        options: of the metric.
    """
    if any(map(is_of_ids, texts)):
        options["inputs"] = "ids"
        pairs = [
            [[i - ord("a") for i in ids] for ids in ids_of(text)]
            for text in texts
        ]
    else:
        pairs = [(relevant_in(text), scores_of(text)) for text in texts]
    made = metric(**tables, **options)
    found = made.per_list(*map(list, zip(*pairs, strict=True)))
    return [float(value) for value in found]


def values_of_two_rankings(
    metric: type[RankingMetric], texts: Sequence[str], **options: Any
) -> list[float]:
    """The value of two rankings of the items a to f, the reference first."""

    def both(text: str) -> tuple[list[float], ...]:
        return tuple(map(scores_of, text.split(";")))

    return _values(metric, texts, both, **options)


def values_of_clicks(
    metric: type[RankingMetric], texts: Sequence[str], **options: Any
) -> list[float]:
    """The result for one list each, NaN where it does not count.

    The items a to f were shown in this order, and an item whose letter is large
    was clicked. Propensities are 1/position.
    """
    found = []
    for text in texts:
        made = metric(
            propensities=[1 / i for i in range(1, CATALOGUE + 1)], **options
        )
        given = [relevant_in(text)], [scores_of(text)]
        [of_list] = made.per_list(*given)
        value = float(made(*given))
        found.append(float("nan") if math.isnan(float(of_list)) else value)
    return found


def relevant_in(text: str) -> list[float]:
    """The labels of the items a to f: 1 for those whose letters are large."""
    large = {
        item.text.lower() for item in items_of(text) if item.text.isupper()
    }
    return [float(chr(ord("a") + i) in large) for i in range(CATALOGUE)]


def labelled(text: str) -> tuple[list[float], list[float]]:
    """The labels and the scores of a list."""
    items = items_of(text)
    return [item.label for item in items], [item.score for item in items]


def values_of_several(
    metric: type[RankingMetric], texts: Sequence[str], **options: Any
) -> list[float]:
    """The result for several lists, with `;` between them."""
    pairs = {"ids": ids_of, "scores": labelled}
    return _results(metric, texts, pairs, **options)


def values_of_lists(
    metric: type[RankingMetric], texts: Sequence[str], **options: Any
) -> list[float]:
    """The value of each list, NaN where it does not count."""
    return _values(metric, texts, labelled, **options)


def values_of_subtopics(
    metric: type[RankingMetric], texts: Sequence[str], **options: Any
) -> list[float]:
    """The value of each list of items that are relevant to subtopics."""
    rows = [items_of(text) for text in texts]
    width = max(map(len, rows))
    filled = [[*row, *[Item(MASKED, 0.0)] * (width - len(row))] for row in rows]
    labels = [[item.by_subtopic for item in row] for row in filled]
    scores = [[item.score for item in row] for row in filled]
    return [float(v) for v in metric(**options).per_list(labels, scores)]
