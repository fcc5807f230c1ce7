"""Write the values of ranx for the lists.

Names of all queries and of all items are equally long: numba compiles ranx
anew for each length.
"""

import warnings

import ranx
from ranx.metrics import interpolated_precision_at_recall
from written import CUTOFFS, data, write

given = data()


def query(number):
    return f"q{number:03}"


def named(labels):
    """Return the items of each list by name, but for those below 0."""
    return {
        query(number): {f"d{i:03}": x for i, x in enumerate(row) if x >= 0}
        for number, row in enumerate(labels)
    }


def evaluated(qrels, run, measure):
    """Return the value of each list, 0 where ranx has no run of it."""
    return ranx.evaluate(
        ranx.Qrels(qrels),
        ranx.Run(run),
        measure,
        return_mean=False,
        make_comparable=True,
    ).tolist()


graded, scores = named(given["labels"]), named(given["scores"])
wanted = {
    query(user): {f"d{item:03}": 1 for item in items}
    for user, items in enumerate(given["short_relevant"])
}
short = {
    query(user): {f"d{item:03}": float(-i) for i, item in enumerate(items)}
    for user, items in enumerate(given["short_recommended"])
}
# It has no type for lists of which nothing is wanted or retrieved.
there = [name for name in wanted if wanted[name] and short[name]]


def of_short(measure):
    found = evaluated(
        {name: wanted[name] for name in there},
        {name: short[name] for name in there},
        measure,
    )
    by_name = dict(zip(there, found, strict=True))
    return [by_name.get(name, 0.0) for name in wanted]


warnings.simplefilter("ignore")  # numba, of casts within ranx
values = {}
for k in (*CUTOFFS, None):
    at = "" if k is None else f"@{k}"
    for measure in ("dcg", "ndcg", "dcg_burges", "ndcg_burges"):
        values[f"{measure}{at}"] = evaluated(graded, scores, measure + at)
    for measure in ("recall", "hit_rate", "map", "mrr"):
        values[f"{measure}{at}"] = of_short(measure + at)
for k in CUTOFFS:  # without one, of what is retrieved
    for measure in ("precision", "f1", "hits"):
        values[f"{measure}@{k}"] = of_short(f"{measure}@{k}")
values["r-precision"] = of_short("r-precision")
for p in (50, 80):
    values[f"rbp.{p}"] = of_short(f"rbp.{p}")
    values[f"rbp.{p} of grades"] = evaluated(graded, scores, f"rbp.{p}")

# It divides by 0 in lists with items of one kind, and all later ones are 0.
judged = named(given["judgements"])
both = [name for name in judged if {0, 1} <= set(judged[name].values())]
values["bpref"] = evaluated(
    {name: judged[name] for name in both},
    {name: scores[name] for name in both},
    "bpref",
)
one, other, mixed = (
    {"d000": a, "d001": b} for a, b in ((1, 1), (0, 0), (1, 0))
)
for name, second in (("relevant", one), ("others", other)):
    qrels = {query(i): x for i, x in enumerate((mixed, second, mixed))}
    run = {of: {"d000": 0.9, "d001": 0.8} for of in qrels}
    values[f"bpref after {name}"] = evaluated(qrels, run, "bpref")

# All tenths at once; `evaluate` has no name for it.
some = [name for name in graded if any(graded[name].values())]
tenths = interpolated_precision_at_recall(
    ranx.Qrels({name: graded[name] for name in some}).to_typed_list(),
    ranx.Run({name: scores[name] for name in some}).to_typed_list(),
)
for tenth in range(11):
    by_name = dict(zip(some, tenths[:, tenth], strict=True))
    values[f"iprec {tenth / 10}"] = [by_name.get(of, 0.0) for of in graded]

write("ranx", ("ranx", "numba", "numpy"), values)
