"""The rows that Corsi and Urbano published with their definitions of RBO.

    python -m tests.two_rankings.published path/to/rbo/test.csv

compares all rows of the file `rbo/test.csv` of the repository
`julian-urbano/sigir2024-rbo` (CC BY-SA 4.0), and stores 100 figures of it. The
variant `a` is the mean over all orders of ties. For rankings of equal lengths
it is ours; for unequal ones its extrapolation is another formula.
"""

import csv
import json
import pathlib
import re
import sys

import keras
import numpy as np

from keras_rankmetrics import RankBiasedOverlap

STORED = pathlib.Path(__file__).with_name("published.json")
FIGURES = 100


def groups_of(text):
    """Return the tie groups of a ranking such as `a (b c) d`, best first."""
    found = re.findall(r"\(([^)]*)\)|(\S+)", text)
    return [(tied or alone).split() for tied, alone in found]


def scores_of(rankings):
    """Return the scores of the same items in each ranking, `[2, items]`."""
    groups = [groups_of(text) for text in rankings]
    names = sorted(
        {x for ranking in groups for group in ranking for x in group}
    )
    scores = np.full((len(rankings), len(names)), -np.inf, "float32")
    for row, ranking in zip(scores, groups, strict=True):
        for place, group in enumerate(ranking):
            row[[names.index(name) for name in group]] = -place
    return scores


def have_equal_lengths(rankings):
    one, other = (sum(map(len, groups_of(text))) for text in rankings)
    return one == other


def rbo(rankings, p):
    one, other = scores_of(rankings)
    value = RankBiasedOverlap(p=p).per_list(one[None], other[None])
    return float(keras.ops.convert_to_numpy(value)[0])


def main(path):
    with open(path) as file:
        rows = [
            ((row["x"], row["y"]), float(row["p"]), float(row["a.ext"]))
            for row in csv.DictReader(file)
        ]
    errors = {True: [], False: []}
    for rankings, p, value in rows:
        error = abs(rbo(rankings, p) - value)
        errors[have_equal_lengths(rankings)].append(error)
    for are_equal, found in errors.items():
        found = np.array(found)
        print(
            f"{'equal' if are_equal else 'unequal'} lengths: {len(found):,} "
            f"rows, highest difference {found.max():.1e}, "
            f"{(found > 1e-6).mean():.1%} above 1e-6"
        )
    shared = [row for row in rows if have_equal_lengths(row[0])]
    step = len(shared) // FIGURES
    stored = [
        {"x": x, "y": y, "p": p, "a": value}
        for (x, y), p, value in shared[::step][:FIGURES]
    ]
    STORED.write_text(json.dumps(stored, indent=0) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
