"""Programs without a mistake, drawn: a truth and a run as users have them."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Rng = np.random.Generator


class Program(NamedTuple):
    """A truth and a run, of which no door should say anything.

    Attributes:
        words: how they were drawn.
        truth: the labels of items, by query.
        run: the scores of items, by query.
    """

    words: str
    truth: dict[Any, dict[Any, float]]
    run: dict[Any, dict[Any, float]]


# Of the relevance of items, which is from 0 to 1 in each list.
LABELS: dict[str, Callable[[Rng, np.ndarray], np.ndarray]] = {
    "one relevant item": lambda rng, x: x == 1,
    "few relevant items": lambda rng, x: x > 0.9,
    "half of the items": lambda rng, x: x > 0.5,
    "clicks": lambda rng, x: (rng.random(x.shape) < 0.3 * x) | (x == 1),
    "grades to 2": lambda rng, x: np.floor(2.99 * x**2),
    "grades to 4": lambda rng, x: np.floor(4.99 * x**3),
    "grades of TREC": lambda rng, x: np.floor(3.99 * x**4),
    "stars": lambda rng, x: 1 + np.floor(4.99 * x),
}

# Of scores of a model, which are normal.
SCORES: dict[str, Callable[[Rng, np.ndarray], np.ndarray]] = {
    "logits": lambda rng, x: x,
    "float32": lambda rng, x: x.astype(np.float32).astype(float),
    "probabilities": lambda rng, x: 1 / (1 + np.exp(-x)),
    "small probabilities": lambda rng, x: 1e-4 / (1 + np.exp(-x)),
    "softmax": lambda rng, x: np.exp(x) / np.exp(x).sum(),
    "logarithms": lambda rng, x: -np.log1p(np.exp(-x)),
    "cosines": lambda rng, x: np.tanh(x / 2),
    "distances, turned": lambda rng, x: x - x.max() - 0.1,
    "terms": lambda rng, x: np.maximum(0, 4 + 3 * x),
    "predicted stars": lambda rng, x: np.clip(3 + x, 1, 5),
    "percent": lambda rng, x: np.round(50 + 15 * x, 1),
    "counts": lambda rng, x: np.floor(np.exp(2 * x + 3)),
    "grades by a judge": lambda rng, x: np.clip(np.round(2 + 1.5 * x), 0, 4),
    "large": lambda rng, x: 1e6 * (x + 5),
}

QUERIES: dict[str, Callable[[int], Any]] = {
    "q": lambda n: f"q{n + 1}",
    "numbers": lambda n: n + 1,
    "from 0": lambda n: n,
    "topics": lambda n: str(301 + n),
    "customers": lambda n: (n * 7919 + 13) % 100_003,
    "text": lambda n: f"how to {n} things",
}

ITEMS: dict[str, Callable[[int], Any]] = {
    "d": lambda n: f"d{n}",
    "numbers": lambda n: n,
    "from 1": lambda n: n + 1,
    "large numbers": lambda n: 10_000_000 + 37 * n,
    "zeros": lambda n: f"{n:08}",
    "MARCO": lambda n: str(7_000_000 + n * 11),
    "hashes": lambda n: hashlib.md5(str(n).encode()).hexdigest(),
    "UUIDs": lambda n: str(uuid.UUID(int=n * 2**64 + 4 * 2**76 + n)),
    "addresses": lambda n: f"https://a.org/{n % 7}/page?id={n}",
    "chunks": lambda n: f"doc{n // 4}#{n % 4}",
    "parts": lambda n: f"FT{911 + n // 90}-{n}",
    "ISBN": lambda n: f"978-0-{n:06}-2",
    "titles": lambda n: f"Part {n} of the 'long' \"story\", 1.5%",
}


def drawn(seed: int) -> Program:
    """Return a program."""
    rng = np.random.default_rng(seed)
    words: list[str] = []

    def one_of(table):
        name = list(table)[rng.integers(len(table))]
        words.append(name)
        return table[name]

    labels, scores = one_of(LABELS), one_of(SCORES)
    query, item = one_of(QUERIES), one_of(ITEMS)
    lists = one_of({f"{x} lists": x for x in (2, 3, 5, 8, 20, 50)})
    depth = one_of({f"up to {x} items": x for x in (6, 10, 20, 50)})
    catalogue = one_of({f"of {x} times as many": x * depth for x in (1, 2, 20)})
    start = one_of({"of one catalogue": 0, "of each query": catalogue})
    skill = one_of({f"skill {x}": x for x in (0.0, 0.7, 1.5, 4.0)})
    least = one_of({"all judgements": 0, "relevant items alone": 1})
    shortest = one_of({"one length": depth, "many lengths": 4})
    found = one_of({"all retrieved": 1.0, "most retrieved": 0.8})
    order = one_of({"by score": np.argsort, "in no order": np.arange})
    program = Program("", {}, {})
    for number in range(lists):
        size = int(rng.integers(shortest, depth + 1))
        chosen = rng.choice(catalogue, size, replace=False) + number * start
        ids = [item(int(x)) for x in chosen]
        relevance = rng.permutation(np.linspace(0, 1, size))
        of_items = labels(rng, relevance).astype(float)
        normal = skill * (relevance - 0.5) + rng.normal(size=size)
        of_run = scores(rng, normal).astype(float)
        retrieved = rng.random(size) < found
        retrieved[[relevance.argmin(), relevance.argmax()]] = True
        program.truth[query(number)] = {
            ids[x]: of_items[x] for x in range(size) if of_items[x] >= least
        }
        ranked = np.arange(size) if order is np.arange else order(-of_run)
        program.run[query(number)] = {
            ids[x]: float(of_run[x]) for x in ranked if retrieved[x]
        }
    return program._replace(words=", ".join(words))
