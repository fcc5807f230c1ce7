"""Judgements and what systems retrieved, by ids, drawn from a seed."""

import numpy as np

import keras_rankmetrics as krm


def drawn(seed, queries=12, items=14, ids=str):
    """`(truth, {"old": run, "new": run})`, nested dicts without ties.

    Some judged items are not retrieved, some retrieved ones are not judged; no
    list is as long as the other.
    """
    rng = np.random.default_rng(seed)

    def name(number):
        return f"d{number}" if ids is str else ids(number)

    truth, old, new = {}, {}, {}
    for place in range(queries):
        query = f"q{place}" if ids is str else ids(place)
        judged = rng.choice(items, rng.integers(2, 12), replace=False)
        labels = rng.integers(0, 3, len(judged))
        labels[0] = 1
        truth[query] = {
            name(x): int(label) for x, label in zip(judged, labels, strict=True)
        }
        for run, noise in ((old, 2.0), (new, 0.5)):
            found = rng.choice(items, rng.integers(4, items), replace=False)
            scores = rng.normal(size=len(found)) * noise
            run[query] = {
                name(x): float(np.float32(score + truth[query].get(name(x), 0)))
                for x, score in zip(found, scores, strict=True)
            }
    return truth, {"old": old, "new": new}


def rows_of(nested):
    """The same as `Rows`."""
    table = [(q, i, x) for q, of in nested.items() for i, x in of.items()]
    query, item, value = zip(*table, strict=True)
    return krm.Rows(np.array(query), np.array(item), np.array(value, float))


def run_with(wrong, queries=400):
    """A run of TREC in which so many queries have "b" before "a"."""
    return "".join(
        f"q{q} Q0 a 1 {2 if q >= wrong else 0} t\nq{q} Q0 b 2 1 t\n"
        for q in range(queries)
    )


def by_query(rows):
    """Nested dicts of rows: a query, an item and its value."""
    found = {}
    for query, item, value in rows:
        found.setdefault(query, {})[item] = value
    return found
