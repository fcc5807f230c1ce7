"""Each part of a signature as a sentence."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from keras_rankmetrics.command.signatures import Signature

_SENTENCES: Mapping[str, Mapping[str, str]] = {
    "ties": {
        "average": "Items of equal score count as the exact mean over all "
        "their orders.",
        "shuffle": "Items of equal score stand in one random order.",
        "stable": "Items of equal score stand in the order of the input.",
        "pessimistic": "Of items of equal score, the least relevant ones stand "
        "first.",
        "optimistic": "Of items of equal score, the most relevant ones stand "
        "first.",
    },
    "empty": {
        "zero": "A list without relevant items counts as 0.",
        "one": "A list without relevant items counts as 1.",
        "skip": "A list without relevant items does not count.",
    },
    "list_weight": {
        "relevance": "A list weighs as much as its relevant items do on "
        "average; without `sample_weight` all lists weigh the same.",
        "mean": "A list weighs as much as its items do on average; without "
        "`sample_weight` all lists weigh the same.",
    },
    "adjusted": {
        "chance": "The values are on a scale where chance is 0 and the best "
        "value is 1.",
    },
    "inputs": {
        "scores": "Its input is a label and a score for each item.",
        "sparse": "Its input is the indices of the relevant items, and a score "
        "for each item of the catalogue.",
        "ids": "Its input is the ids of the relevant items, and recommended "
        "ids, the best first.",
        "counts": "Its input is how many items stand above each relevant one.",
    },
    "unjudged": {
        "condense": "Items that nobody has judged are left out.",
    },
    "dtype": {"float64": "It is computed in double precision."},
    "ideal": {
        "relevant": "The ideal order is that of all items, the best k first.",
        "retrieved": "The ideal order is that of the first k items alone.",
    },
    "gain": {
        "exponential": "An item of the label y is worth 2^y - 1.",
        "linear": "An item of the label y is worth y.",
    },
    "discount": {
        "log2": "An item at rank r counts for 1/log2(r + 1).",
        "natural_log": "An item at rank r counts for 1/ln(r + 1).",
        "original": "An item at rank r counts for 1/log2(r), and for 1 at the "
        "first two ranks.",
        "reciprocal": "An item at rank r counts for 1/r.",
        "inverse_square": "An item at rank r counts for 1/(r + 1)², over the "
        "sum of that over all ranks.",
    },
    "normalized": {
        "True": "It is divided by the value of the best order.",
        "False": "It is not divided by the value of the best order.",
    },
    "denominator": {
        "k": "It divides by k, also where fewer items are retrieved.",
        "retrieved": "It divides by k, or by the number of retrieved items if "
        "these are fewer.",
        "relevant": "It divides by the number of relevant items.",
        "min": "It divides by k, or by the number of relevant items if these "
        "are fewer.",
        "hits": "It divides by the number of relevant items among the first k.",
    },
    "part": {
        "loss": "It is the whole loss: disparity, less twice the relevance, "
        "and a constant.",
        "disparity": "It is the disparity alone.",
        "relevance": "It is the relevance alone.",
    },
}

_NUMBERS = {
    "relevance_threshold": "Items with a label of {} or more are relevant.",
    "beta": "Beta is {}: so many times as much weight has recall, or gain.",
    "p": "A user goes on to the next item with the chance {}.",
    "alpha": "A relevant item satisfies with the chance {}.",
    "max_grade": "The highest grade is {}.",
    "recall": "The precision is that at a recall of {}.",
    "probabilities": "A user takes the grades 1, 2, ... as the threshold with "
    "the chances {}.",
    "seed": "The random order comes from the seed {}.",
    "num_items": "The catalogue has {} items.",
}


def explained(signature: Signature) -> dict[str, str]:
    """A sentence for each part of a signature, by the part."""
    found = {_head(signature): _about(signature)}
    for name, value in signature.options.items():
        found[f"{name}:{value}"] = _sentence(name, value)
    found[f"keras_rankmetrics:{signature.version}"] = (
        f"Version {signature.version} of keras_rankmetrics computed it."
    )
    return found


def _head(signature: Signature) -> str:
    return signature.text.partition("|")[0]


def _about(signature: Signature) -> str:
    first = (inspect.getdoc(signature.metric) or "").partition("\n")[0]
    if "k" not in inspect.signature(signature.metric).parameters:
        return first
    if signature.k is None:
        return f"{first} All ranks count."
    return f"{first} What stands below rank {signature.k} does not count."


def _sentence(name: str, value: str) -> str:
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
    return f"A table of numbers with the fingerprint {value} tells `{name}`."
