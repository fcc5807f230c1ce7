"""A sentence for each part of a signature, and for each rule of a tool."""

from __future__ import annotations

from collections.abc import Mapping

_SENTENCES: Mapping[str, Mapping[str, str]] = {
    "ties": {
        "average": "Tied items count as the exact mean over all their orders.",
        "shuffle": "Tied items are in one random order.",
        "stable": "Tied items are in the order of the input.",
        "pessimistic": "Tied items have the least relevant one first.",
        "optimistic": "Tied items have the most relevant one first.",
        "last_id_first": "Tied items are in descending order of their ids.",
        "first_id_first": "Tied items are in ascending order of their ids.",
        "first_row_first": "Tied items are in the order of the run.",
    },
    "score_dtype": {
        "None": "Scores tie if they are equal.",
        "float32": "Scores tie if they are equal in single precision.",
        "float64": "Scores tie if they are equal in double precision.",
    },
    "queries": {
        "truth": "A query that the run lacks counts as a list that retrieves "
        "nothing.",
        "both": "A query that the run lacks is excluded.",
    },
    "nothing_retrieved": {
        "counts": "A list that retrieves nothing counts.",
        "is_excluded": "A list that retrieves nothing is excluded.",
        "is_1_if_none_relevant": "A list that retrieves nothing counts as 1 if "
        "it has no relevant items, else as any other.",
    },
    "drop_same_id": {
        "True": "An item with the id of its query is dropped.",
        "False": "An item with the id of its query counts.",
    },
    "same_id_in_truth": {
        "dropped": "The judgement of a dropped item is dropped, too.",
        "kept": "The judgement of a dropped item counts.",
    },
    "judgements": {
        "all": "All judgements are known.",
        "of_run": "Only the queries and the items of the run are known: others "
        "do not count as relevant.",
    },
    "decimals": {
        "None": "The values of lists are not rounded.",
        "2": "The value of each list is rounded to 2 decimals.",
    },
    "printed": {
        "rounded": "The mean is rounded.",
        "cut": "The mean is cut off after its last digit, not rounded.",
    },
    "empty": {
        "zero": "A list without relevant items counts as 0.",
        "one": "A list without relevant items counts as 1.",
        "skip": "A list without relevant items is excluded.",
    },
    "list_weight": {
        "relevance": "The weight of a list is the mean weight of its relevant "
        "items; without `sample_weight` all lists have the same weight.",
        "mean": "The weight of a list is the mean weight of its items; without "
        "`sample_weight` all lists have the same weight.",
    },
    "adjusted": {
        "chance": "The values are rescaled: a random order has 0, the best 1.",
    },
    "labels": {
        "probabilities": "Labels are probabilities of relevance.",
        "integers": "Labels are whole numbers.",
        "not_negative": "Labels are 0 or more.",
        "grades": "Labels are grades.",
        "members": "Each judged item is relevant, whatever its label.",
    },
    "inputs": {
        "scores": "The input is a label and a score for each item.",
        "sparse": "The input is the indices of the relevant items, and a score "
        "for each item of the catalogue.",
        "ids": "The input is the ids of the relevant items, and the "
        "recommended ids, the best first.",
        "counts": "The input is the number of items above each relevant item.",
    },
    "unjudged": {"condense": "Unjudged items are removed from the ranking."},
    "dtype": {"float64": "The computation is in double precision."},
    "ideal": {
        "relevant": "The ideal order has the best k of all items first.",
        "retrieved": "The ideal order has only the retrieved top k items.",
        "uncut": "The ideal order has all items, also below rank k.",
        "shown": "The ideal order has the best of all items, as many as are "
        "retrieved within rank k.",
    },
    "gain": {
        "exponential": "An item with the label y has the gain 2^y - 1.",
        "linear": "An item with the label y has the gain y.",
        "binary": "An item with a label of 1 or more has the gain 1.",
    },
    "discount": {
        "log2": "An item at rank r has the discount 1/log2(r + 1).",
        "natural_log": "An item at rank r has the discount 1/ln(r + 1).",
        "original": "An item at rank r has the discount 1/log2(r), and 1 at "
        "the first two ranks.",
        "reciprocal": "An item at rank r has the discount 1/r.",
        "inverse_square": "An item at rank r has the discount 1/(r + 1)², "
        "divided by the sum over all ranks.",
    },
    "normalized": {
        "True": "The value is divided by that of the best order.",
        "False": "The value is not divided by that of the best order.",
    },
    "denominator": {
        "k": "The sum is divided by k, even if fewer items are retrieved.",
        "retrieved": "The sum is divided by k, or by the number of retrieved "
        "items if that is smaller.",
        "relevant": "The sum is divided by the number of relevant items.",
        "min": "The sum is divided by k, or by the number of relevant items if "
        "that is smaller.",
        "hits": "The sum is divided by the number of relevant items in the "
        "top k.",
    },
    "part": {
        "loss": "The value is the whole loss: disparity, minus twice the "
        "relevance, plus a constant.",
        "disparity": "The value is the disparity alone.",
        "relevance": "The value is the relevance alone.",
    },
}

_NUMBERS = {
    "relevance_threshold": "Items with a label of {} or more are relevant.",
    "beta": "Beta is {}: the weight of recall in F-beta, and of gains in "
    "Q-measure.",
    "p": "A user goes on to the next item with probability {}.",
    "decay": "A user goes on to the next item with probability {}.",
    "alpha": "A relevant item satisfies the user with probability {}.",
    "max_grade": "The highest grade is {}.",
    "recall": "The precision is taken at recall {}.",
    "probabilities": "A user's threshold is the grade 1, 2, ... with the "
    "probabilities {}.",
    "seed": "The random order comes from the seed {}.",
    "num_items": "The catalogue has {} items.",
}


def sentence(name: str, value: str) -> str:
    """Return what an option of that name means if it has that value.

    >>> sentence("empty", "skip")
    'A list without relevant items is excluded.'

    Raises:
        ValueError: if the option is known and the value is not.
    """
    if name in _NUMBERS:
        return _NUMBERS[name].format(value.removesuffix(".0"))
    choices = _SENTENCES.get(name, {})
    if value in choices:
        return choices[value]
    if name in ("gain", "discount"):
        return f"The function of the {name} is `{value}`."
    if choices:
        listed = ", ".join(choices)
        raise ValueError(
            f"`{name}` should be one of {listed}. Received: {value!r}."
        )
    return f"`{name}` is an argument with the fingerprint {value}."
