"""Makes `data.json`: the lists that all packages here are asked about.

Run once, by `python tests/peers/golden/made.py`. The numbers in the other files
are of the lists that it wrote, so these are kept.
"""

import json
import pathlib

import numpy as np

LISTS, ITEMS, TOPICS = 40, 12, 3
USERS, CATALOGUE, SHOWN, CATEGORIES = 40, 50, 10, 6


def judged(rng):
    """Lists of unequal lengths: grades from 0 to 4, scores, subtopics."""
    labels, scores, tied, topics, judgements = [], [], [], [], []
    for number in range(LISTS):
        items = int(rng.integers(1, ITEMS + 1))
        share = 0.0 if number == 0 else rng.random()
        found = rng.random(items) < share
        labels.append((rng.integers(1, 5, items) * found).tolist())
        scores.append((rng.permutation(items) + 1.0).tolist())
        tied.append(np.ceil(np.array(scores[-1]) / 4).tolist())
        topics.append((rng.random((items, TOPICS)) < share / 2).astype(int))
        # -1: nobody judged it.
        unjudged = rng.random(items) < 0.3
        judgements.append(np.where(unjudged, -1, found).tolist())
    return {
        "labels": labels,
        "scores": scores,
        "tied_scores": tied,
        "subtopics": [of_list.tolist() for of_list in topics],
        "judgements": judgements,
    }


def recommended(rng):
    """Users: what they had, what they want, and how items are scored."""
    popularity = 1 / np.arange(1, CATALOGUE + 1)
    popularity /= popularity.sum()
    had, wanted, scores, shown = [], [], [], []
    for _ in range(USERS):
        many = int(rng.integers(3, 15))
        items = rng.choice(CATALOGUE, many, replace=False, p=popularity)
        cut = int(rng.integers(1, many))
        had.append(np.sort(items[:cut]).tolist())
        wanted.append(np.sort(items[cut:]).tolist())
        noise = rng.random(CATALOGUE)
        of_user = np.argsort(np.argsort(popularity * 5 + noise)) + 1.0
        scores.append(of_user.tolist())
        left = [i for i in np.argsort(-of_user) if i not in had[-1]]
        shown.append([int(item) for item in left[:SHOWN]])
    lengths = rng.integers(0, SHOWN + 1, USERS)
    lengths[:2] = 0, SHOWN
    return {
        "catalogue": CATALOGUE,
        "train": had,
        "relevant": wanted,
        "scores_of_all": scores,
        "recommended": shown,
        # Some users are shown less, or nothing, and some want nothing.
        "short_recommended": [
            items[:length] for items, length in zip(shown, lengths, strict=True)
        ],
        "short_relevant": [
            [] if user % 13 == 12 else items
            for user, items in enumerate(wanted)
        ],
        "categories": rng.integers(0, CATEGORIES, CATALOGUE).tolist(),
    }


if __name__ == "__main__":
    rng = np.random.default_rng(29)
    data = {**judged(rng), **recommended(rng)}
    lines = ",\n".join(
        f'"{name}": {json.dumps(value)}' for name, value in data.items()
    )
    path = pathlib.Path(__file__).with_name("data.json")
    path.write_text("{\n" + lines + "\n}\n")
