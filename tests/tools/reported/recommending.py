"""Tools of recommendation: PyG, torchrec, Cornac and LensKit."""

from __future__ import annotations

import functools
import importlib.util
import re
import sys
import types
import warnings
from collections.abc import Mapping
from typing import Any
from unittest import mock

import numpy as np

from tests.tools.reported.draws import Data
from tests.tools.reported.established import CUTOFFS, lists, padded
from tests.tools.reported.tool import Tool


def _pyg(data: Data, names: Mapping[str, bool]) -> Mapping[str, float]:
    """Return what `LinkPredMetricCollection` says of one batch.

    A list that is shorter than the longest one ends with an index that is no
    item's: -1 there would be the last item of the list before.

    Args:
        data: the lists.
        names: the classes, and whether each is weighted.
    """
    import torch
    from torch_geometric import metrics

    every = [*data.truth.values(), *data.run.values()]
    numbers = {x: i for i, x in enumerate(sorted(set().union(*every)))}
    shown = [
        [numbers[x] for x in data.best_first(query)] for query in data.truth
    ]
    width = max(map(len, shown))
    rows = [row + [len(numbers)] * (width - len(row)) for row in shown]
    edges = [
        (row, numbers[item], label)
        for row, labels in enumerate(data.truth.values())
        for item, label in labels.items()
    ]
    sources, targets, weights = torch.tensor(edges).T
    collection = metrics.LinkPredMetricCollection(
        [
            getattr(metrics, name)(
                k, **({"weighted": True} if weighted else {})
            )
            for name, weighted in names.items()
            for k in CUTOFFS
        ]
    )
    collection.update(
        torch.tensor(rows), torch.stack([sources, targets]), weights.float()
    )
    return {name: float(x) for name, x in collection.compute().items()}


def _pyg_of_sets(data: Data) -> Mapping[str, float]:
    """Return those for which each edge is relevant, whatever its weight."""
    names = ["Precision", "Recall", "F1", "MAP", "NDCG", "MRR", "HitRatio"]
    return _pyg(data, {f"LinkPred{name}": False for name in names})


@functools.cache
def _torchrec_modules() -> tuple[types.ModuleType, types.ModuleType]:
    """Import torchrec's `ndcg` and `gauc`.

    These need its distributed package only for several processes: where its
    dependency fbgemm is missing, stand-ins take the place of that package.
    """
    if importlib.util.find_spec("fbgemm_gpu") is not None:
        from torchrec.metrics import gauc, ndcg

        return ndcg, gauc
    spec = importlib.util.find_spec("torchrec")
    assert spec is not None
    bare = types.ModuleType("torchrec")
    bare.__path__ = spec.submodule_search_locations or []
    names = ["collective_utils", "logging_handlers", "logging_utils", "types"]
    stand_ins: dict[str, Any] = {
        name: mock.MagicMock()
        for name in (
            "torchrec.distributed",
            *(f"torchrec.distributed.{name}" for name in names),
            "torchrec.pt2",
            "torchrec.pt2.utils",
        )
    }
    stand_ins["torchrec"] = bare
    sys.modules.update(stand_ins)
    try:
        return (
            importlib.import_module("torchrec.metrics.ndcg"),
            importlib.import_module("torchrec.metrics.gauc"),
        )
    finally:
        for name in stand_ins:
            del sys.modules[name]


def _torchrec(data: Data) -> Mapping[str, float]:
    """Return NDCG, where sessions are the lists and all weights are 1.

    By default it reports 1 - NDCG; with `report_ndcg_as_decreasing_curve=False`
    it is the NDCG here.
    """
    import torch

    ndcg, _ = _torchrec_modules()
    pairs = [*lists(data)]
    sizes = [len(labels) for labels, _ in pairs]
    labels, scores = (
        torch.tensor(np.concatenate(each))[None].double()
        for each in zip(*pairs, strict=True)
    )
    sessions = torch.arange(len(sizes)).repeat_interleave(torch.tensor(sizes))
    found = {}
    for k in (*CUTOFFS, None):
        states = ndcg._get_ndcg_states(
            labels=labels,
            predictions=scores,
            weights=torch.ones_like(labels),
            session_ids=sessions[None],
            exponential_gain=False,
            report_ndcg_as_decreasing_curve=False,
            k=-1 if k is None else k,
        )
        value = ndcg._compute_ndcg(
            sum_ndcg=states[ndcg.SUM_NDCG],
            num_sessions=states[ndcg.NUM_SESSIONS],
        )
        found["ndcg" if k is None else f"ndcg@{k}"] = float(value)
    return found


def _torchrec_of_binary(data: Data) -> Mapping[str, float]:
    """Return gAUC: the mean AUC over sessions with labels of both kinds."""
    import torch

    _, gauc = _torchrec_modules()
    labels, scores = padded(data)
    states = gauc.compute_gauc_3d(
        *(
            torch.tensor(each)[None].double()
            for each in (scores, np.maximum(labels, 0), labels >= 0)
        )
    )
    found = gauc.compute_window_auc(states["auc_sum"], states["num_samples"])
    return {"gauc": float(found["gauc"])}


def _cornac_values(
    data: Data, metrics: Mapping[str, Any]
) -> dict[str, dict[str, float]]:
    """Return the values for each user with a relevant item by `ranking_eval`.

    The training data have the items that are not in a user's list, which it
    leaves out. `rank` sorts the whole list: by default Cornac sorts only the
    items up to the highest cutoff, and fails where a list is shorter.
    """
    from cornac.data import Dataset
    from cornac.eval_methods.base_method import ranking_eval
    from cornac.models import Recommender

    items = sorted(set().union(*data.run.values()))
    users = {query: i for i, query in enumerate(data.run)}
    numbers = {item: i for i, item in enumerate(items)}
    shared: dict[str, Any] = {
        "global_uid_map": users,
        "global_iid_map": numbers,
        "exclude_unknowns": False,
    }
    train = Dataset.build(
        [
            (u, item, 1.0)
            for u, x in data.run.items()
            for item in items
            if item not in x
        ],
        **shared,
    )
    test = Dataset.build(
        [
            (user, item, float(label))
            for user in data.run
            for item, label in data.truth[user].items()
        ],
        **shared,
    )

    class Given(Recommender):  # type: ignore[misc]
        """Scores the items as a run does."""

        def score(self, user_idx: int, **_: Any) -> np.ndarray:
            scores = data.run[[*users][user_idx]]
            return np.array([scores.get(item, -np.inf) for item in items])

        def rank(
            self, user_idx: int, item_indices: Any = None, k: int = -1, **_: Any
        ) -> Any:
            return super().rank(user_idx, item_indices, k=-1)

    model = Given("given").fit(train)
    _, found = ranking_eval(model, [*metrics.values()], train, test)
    return dict(zip(metrics, found, strict=True))


def _cornac(data: Data) -> Mapping[str, float]:
    """Return the averages that an experiment shows.

    Whole lists have `@-1` there. AUC is that of the users for whom it is
    defined: one without other items makes its average NaN.
    """
    from cornac import metrics

    classes = {
        "NDCG": metrics.NDCG,
        "NCRR": metrics.NCRR,
        "HitRatio": metrics.HitRatio,
        "Precision": metrics.Precision,
        "Recall": metrics.Recall,
        "F1": metrics.FMeasure,
    }
    asked = {f"{x}@{k}": c(k=k) for x, c in classes.items() for k in CUTOFFS}
    asked |= {name: make() for name, make in classes.items()}
    asked |= {"MRR": metrics.MRR(), "AUC": metrics.AUC(), "MAP": metrics.MAP()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy, of AUC
        found = _cornac_values(data, asked)
    return {
        name: float(np.nanmean([*values.values()]))
        for name, values in found.items()
    }


def _lenskit_values(
    data: Data, names: Mapping[str, Mapping[str, Any]]
) -> Mapping[str, float]:
    """Return the means over the lists of a run.

    Up to 2025.8 those of `RunAnalysis.measure(...).list_summary()`, which has 0
    for lists without test items; from 2026 on those of `MeasurementCollector`,
    which leaves them out.
    """
    from lenskit import metrics
    from lenskit.data import ItemList, ItemListCollection

    shown = ItemListCollection.empty(["user_id"])
    relevant = ItemListCollection.empty(["user_id"])
    for user, scores in data.run.items():
        best = data.best_first(user)
        shown.add(
            ItemList(best, scores=[scores[x] for x in best], ordered=True),
            user_id=user,
        )
        labels = data.truth[user]
        rating = [float(label) for label in labels.values()]
        relevant.add(ItemList([*labels], rating=rating), user_id=user)
    asked = [
        getattr(metrics.ranking, name)(k, **options)
        for name, options in names.items()
        for k in (*CUTOFFS, None)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of lists without test items
        if hasattr(metrics, "RunMetrics"):
            collector = metrics.MeasurementCollector()
            for metric in asked:
                collector.add_metric(metric)
            found = collector.measure_run(shown, relevant).summary_metrics
            return {x.label: float(found[f"{x.label}.mean"]) for x in asked}
        analysis = metrics.RunAnalysis(*asked).measure(shown, relevant)
    means = analysis.list_summary()["mean"]
    return {metric.label: float(means[metric.label]) for metric in asked}


def _lenskit(data: Data) -> Mapping[str, float]:
    """Return the metrics of sets of relevant items."""
    names = ["DCG", "NDCG", "Precision", "Recall", "RecipRank", "Hit", "RBP"]
    return _lenskit_values(data, {name: {} for name in names})


def _lenskit_of_grades(data: Data) -> Mapping[str, float]:
    """Return those that take ratings, with `gain="rating"`."""
    found = _lenskit_values(
        data, {x: {"gain": "rating"} for x in ("DCG", "NDCG")}
    )
    return {
        re.sub("^N?DCG", r"\g<0>(gain_fn=linear)", name): value
        for name, value in found.items()
    }


def _recbole(data: Data) -> Mapping[str, float]:
    """Return what its evaluator says of the scores of all items.

    It is told the interactions of the test set, not their ratings. It has a
    score for each user and item: those that a run lacks are the lowest.
    """
    import torch
    from recbole.evaluator import metrics
    from recbole.evaluator.collector import Collector

    every = [*data.truth.values(), *data.run.values()]
    numbers = {x: i for i, x in enumerate(sorted(set().union(*every)))}
    scores = torch.full((len(data.truth), len(numbers)), -torch.inf)
    pairs = []
    for user, (query, labels) in enumerate(data.truth.items()):
        for item, score in data.run.get(query, {}).items():
            scores[user, numbers[item]] = score
        # Of unscored items, those of the test set come last.
        for place, item in enumerate(sorted(numbers, key=labels.__contains__)):
            if scores[user, numbers[item]] == -torch.inf:
                scores[user, numbers[item]] = -1e3 - place
        pairs += [(user, numbers[item]) for item in labels]
    config = {
        "metrics": ["Hit", "MRR", "MAP", "Recall", "NDCG", "Precision"],
        "topk": [*CUTOFFS],
        "eval_args": {"mode": "full"},
        "device": "cpu",
        "metric_decimal_place": 10,
    }
    users, items = (torch.tensor(x) for x in zip(*pairs, strict=True))
    collector = Collector(config)
    collector.eval_batch_collect(scores, None, users, items)
    kept = collector.get_data_struct()
    found = {}
    for name in config["metrics"]:
        values = getattr(metrics, name)(config).calculate_metric(kept)
        ours = {"Hit": "HitRate", "Precision": "P", "MRR": "RR"}.get(name, name)
        for k in CUTOFFS:
            found[f"{ours}@{k}"] = float(values[f"{name.lower()}@{k}"])
    return found


TOOLS = [
    Tool(
        "pyg",
        "torch-geometric",
        "retrieved",
        4,
        _pyg_of_sets,
        are_tied=False,
        tolerance=1e-5,
    ),
    Tool("torchrec", "torchrec", "lists", 4, _torchrec, are_tied=False),
    Tool(
        "torchrec", "torchrec", "lists", 1, _torchrec_of_binary, are_tied=False
    ),
    Tool("cornac", "cornac", "lists", 4, _cornac, are_tied=False),
    *(
        Tool(
            convention,
            "lenskit",
            form,
            4,
            values,
            are_tied=False,
            have_empty=have_empty,
            major=major,
        )
        for convention, major, have_empty in (
            ("lenskit", "2025", False),
            ("lenskit_2026", "2026", True),
        )
        for form, values in (
            ("interactions", _lenskit),
            ("ratings", _lenskit_of_grades),
        )
    ),
    Tool(
        "recbole",
        "recbole",
        "interactions",
        4,
        _recbole,
        are_tied=False,
        have_empty=False,
    ),
]
