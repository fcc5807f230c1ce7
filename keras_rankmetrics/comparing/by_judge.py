"""Tables of metrics from labels by humans and by a judge: `JudgeCorrected`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing import together
from keras_rankmetrics.comparing.measured import Measured
from keras_rankmetrics.comparing.requirements import members_and_statistics
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.metrics.judge_corrected import (
    KINDS,
    JudgeCorrected,
    check_depth,
)


class Labelled(NamedTuple):
    """A table with the column of labels of one kind.

    Attributes:
        table: the table.
        column: the name of the column.
    """

    table: Any
    column: Any


def columns_by_kind(
    truth: Any, label: Mapping[Any, Any]
) -> dict[str, Labelled]:
    """Return a table with the column of labels of each kind.

    Args:
        truth: the table.
        label: the column of each kind.

    Raises:
        ValueError: if the kinds are others, or the table is read once only.
    """
    if set(label) != set(KINDS) or len({*map(str, label.values())}) < 2:
        raise ValueError(
            "Labels by humans and by a judge should be in two columns. "
            f"Received: {label!r}. Name both: "
            '`columns={"label": {"human": "...", "judge": "..."}}`.'
        )
    if isinstance(truth, Iterator):
        raise ValueError(
            "A table with labels by humans and by a judge should be one that "
            "can be read again. Received: a stream. Pass a table or a file."
        )
    return {kind: Labelled(truth, label[kind]) for kind in KINDS}


def parts_of(truth: Any) -> list[Any]:
    """Return the truth, or the labels by humans and by a judge."""
    if isinstance(truth, Mapping) and set(truth) == set(KINDS):
        return [truth[kind] for kind in KINDS]
    return [truth]


def is_asked(metrics: Sequence[Any], truth: Any, sample_weight: Any) -> bool:
    """Return True for metrics that correct the labels of a judge.

    Raises:
        ValueError: if only some do, the truth is not of that form, or lists
            have weights.
    """
    names = [x.name for x in metrics if isinstance(x, JudgeCorrected)]
    has_judge = len(parts_of(truth)) == len(KINDS)
    if has_judge and len(names) < len(metrics):
        raise ValueError(
            "With labels by humans and by a judge, each metric should be "
            f"`JudgeCorrected`. Received: {[x.name for x in metrics]}. Write "
            "`JudgeCorrected(NDCG(k=10))`, or pass one kind of labels."
        )
    if names and not has_judge:
        raise ValueError(
            '`truth` should be `{"human": truth, "judge": truth}` for metrics '
            f"that are corrected for a judge. Received: {type(truth).__name__} "
            f"for {names}. Pass both kinds of labels; for one table without a "
            "run, name their columns: "
            '`columns={"label": {"human": "...", "judge": "..."}}`.'
        )
    if has_judge and sample_weight is not None:
        raise ValueError(
            "Labels by humans and by a judge should come without weights: "
            f"`sample_weight` should be None. Received: {sample_weight!r:.80}. "
            "Leave it out, and a column of weights, too."
        )
    return has_judge


def measured(
    metrics: Sequence[JudgeCorrected],
    truth: Mapping[str, Any],
    systems: Mapping[str, Any],
    measured_by: Callable[..., Measured],
) -> Measured:
    """Return the values by human labels and by those of the judge.

    A list is excluded from the values of a kind of labels that it lacks.

    Args:
        metrics: the metrics.
        truth: the labels by humans and by the judge.
        systems: the systems by name.
        measured_by: returns the values of metrics by labels, which lists with
            some labels should have down to the rank `depth`.
    """
    together.check_read_again(systems, "labels by humans and by a judge")
    members, statistics = members_and_statistics(metrics)
    # Where humans label a few items only, the others are not irrelevant.
    depth = max(getattr(x.metric, "k", None) or math.inf for x in metrics)
    # To TensorFlow, a table of polars is a sequence without end.
    if not isinstance(truth["human"], Labelled):
        for system in systems.values():
            check_depth(truth["human"], truth["judge"], system, depth)
    human = measured_by(members, truth["human"], depth=depth)
    judge = measured_by(members, truth["judge"], depth=0.0)
    lists = tuple(dict.fromkeys([*judge.lists, *human.lists]))
    groups = {
        name: group
        for x in (human, judge)
        for name, group in zip(x.lists, x.groups, strict=False)
    }
    of_humans = _spread(human, lists).systems
    both = {
        name: x.with_arrays(
            map(np.concatenate, zip(of_humans[name][:3], x[:3], strict=True))
        )
        for name, x in _spread(judge, lists).systems.items()
    }
    of_judge = [x._replace(name=f"{x.name}/judge") for x in judge.metrics]
    return judge._replace(
        metrics=(*human.metrics, *of_judge),
        lists=lists,
        truth=f"{human.truth} {judge.truth}",
        systems=both,
        groups=tuple(groups[name] for name in lists) if groups else (),
        notes=(*dict.fromkeys((*human.notes, *judge.notes)),),
        read_as=_of_both_kinds(human.read_as, judge.read_as),
        statistics=tuple(
            statistic._replace(metrics=(place, place + len(members)))
            for statistic in statistics
            for place in statistic.metrics
        ),
    )


def _of_both_kinds(human: Any, judge: Any) -> dict[str, dict[str, Any]]:
    """Return the columns of both kinds of labels, by side and role."""
    sides = [*human.values(), *judge.values()]
    labels = dict.fromkeys(x["label"] for x in sides if "label" in x)
    found = {}
    for side in {**human, **judge}:
        both = human.get(side, {}), judge.get(side, {})
        names = (name for x in both for name in x.get("not_read", ()))
        # A column of one kind is left over by the other one.
        rest = [name for name in dict.fromkeys(names) if name not in labels]
        read = {**both[0], **both[1]}
        read.pop("not_read", None)
        read |= {"label": " and ".join(labels)} if "label" in read else {}
        found[side] = read | ({"not_read": rest} if rest else {})
    return found


def have_labels(labels: Any) -> np.ndarray:
    """Return True for lists with a label of 0 or more, bool `[lists]`.

    Args:
        labels: arrays `[lists, items]`, or a dict with these.

    Raises:
        ValueError: if labels have other dimensions.
    """
    passed = labels["labels"] if isinstance(labels, Mapping) else labels
    array: np.ndarray = to_numpy(passed)
    if array.ndim != 2:
        raise ValueError(
            "Labels by humans and by a judge should be [lists, items], of "
            "independent lists. Received: the shape "
            f"{array.shape}. Reshape labels and scores."
        )
    found: np.ndarray = np.any(array >= 0, axis=1)
    return found


def _spread(measured: Measured, lists: Sequence[Any]) -> Measured:
    """Return the values for more lists, which are excluded."""
    place = {name: i for i, name in enumerate(measured.lists)}
    index = np.array([place.get(name, -1) for name in lists])
    found = measured.taken(index)
    for values in found.systems.values():
        values.valid[:, index < 0] = False
    return found
