"""Count what paths cost: `KERAS_BACKEND=torch python tests/package/costs.py`.

A time differs from run to run, so that a rise of a few percent hides in it; a
count does not. Each path is run until nothing is imported or compiled any more.
Then are counted:

- calls of functions, in Python and of C, of any package;
- operations that the backend runs one by one;
- reads of tensors by the host, which wait for the device;
- bytes, on torch: the peak of Python and numpy, and all results of torch;

and in its first run the programs that JAX compiles or TensorFlow traces, and
the operations in them, as far as Python makes these. With `--write`, stores the
counts of this backend and the versions that they are of. With `--json`, prints
them for `test_costs.py`, which compares.
"""

import contextlib
import gc
import importlib
import io
import json
import pathlib
import sys
import tempfile
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator

import keras
import numpy as np

import keras_rankmetrics as krm

BACKEND = keras.config.backend()
STORED = pathlib.Path(__file__).with_suffix(".json")
# The names of functions of the backends, in Python or C, that do one of each.
OPERATIONS = {
    "Primitive.bind",
    "TFE_Py_FastPathExecute",
    "quick_execute",
    "FuncGraph._create_op_internal",
}
READS = {
    *("ArrayImpl.__array__", "ArrayImpl.__bool__", "ArrayImpl.__float__"),
    *("ArrayImpl.__int__", "ArrayImpl.__index__", "ArrayImpl.item"),
    *("_EagerTensorBase._numpy", "_EagerTensorBase.__bool__"),
    *("_EagerTensorBase.__int__", "_EagerTensorBase.__float__"),
}
PROGRAMS = {"backend_compile_and_load", "func_graph_from_py_func"}
NINE = (
    krm.NDCG,
    krm.MeanAveragePrecision,
    krm.MeanReciprocalRank,
    krm.PrecisionAtK,
    krm.RecallAtK,
    krm.HitRateAtK,
)
NINE += (krm.F1AtK, krm.RankBiasedPrecision, krm.DCG)

Run = Callable[[], object]


def batch(*metrics, lists=64, items=100, masked=False) -> Run:
    """Return an update of metrics with one batch of graded lists.

    Args:
        metrics: one, or several, which are a collection.
        lists: how many lists the batch has.
        items: how many items each of them has.
        masked: whether a mask and weights are passed.
    """
    draw = np.random.default_rng(1)
    order = np.tile(np.arange(items, dtype="float32"), (lists, 1))
    labels, scores, mask, weights = map(
        keras.ops.convert_to_tensor,
        (
            draw.integers(0, 5, (lists, items)).astype("float32"),
            draw.permuted(order, axis=1),
            draw.random((lists, items)) < 0.9,
            draw.random(lists).astype("float32"),
        ),
    )
    [metric] = metrics if len(metrics) == 1 else [krm.MetricCollection(metrics)]
    if not masked:
        return lambda: metric.update_state(labels, scores)
    y_true = {"labels": labels, "mask": mask}
    return lambda: metric.update_state(y_true, scores, sample_weight=weights)


def model() -> Run:
    """Return a model's `evaluate` of three batches, the last of them short."""
    draw = np.random.default_rng(2)
    x = draw.random((40, 20, 3)).astype("float32")
    y_true = draw.integers(0, 2, (40, 20)).astype("float32")
    scores = keras.Sequential(
        [
            keras.Input((20, 3)),
            keras.layers.Dense(1),
            keras.layers.Reshape((20,)),
        ]
    )
    scores.compile(
        loss="mse", metrics=[krm.NDCG(10), krm.MeanAveragePrecision()]
    )
    return lambda: scores.evaluate(x, y_true, batch_size=16, verbose=0)


def judged(queries=200, items=20) -> tuple[dict, dict]:
    """Return a truth and a run, as dicts."""
    draw = np.random.default_rng(3)
    ids = [f"d{i}" for i in range(items)]
    labels = draw.integers(0, 3, (queries, items)).tolist()
    scores = draw.random((queries, items)).tolist()
    return tuple(
        {
            f"q{i}": dict(zip(ids, row, strict=True))
            for i, row in enumerate(rows)
        }
        for rows in (labels, scores)
    )


def columns() -> dict[str, list]:
    """Return the table of labels and scores that `judged` has."""
    truth, run = judged()
    rows = [
        (q, item, label, run[q][item])
        for q, labels in truth.items()
        for item, label in labels.items()
    ]
    names = ("query", "item", "label", "score")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def frames() -> Run:
    """Return an `evaluate` of two frames of pandas."""
    import pandas as pd

    table = pd.DataFrame(columns())
    truth, run = (table.drop(columns=x) for x in ("score", "label"))
    return lambda: krm.evaluate(truth, run, "NDCG@10 RR")


def rows() -> Run:
    """Return an `evaluate_rows` of arrays."""
    table = {name: np.array(values) for name, values in columns().items()}
    query = np.unique(table["query"], return_inverse=True)[1]
    metrics = [krm.NDCG(10), krm.MeanReciprocalRank()]
    return lambda: krm.evaluate_rows(
        query, table["label"], table["score"], metrics
    )


def command() -> Run:
    """Return a `krm eval` of files as trec_eval has them."""
    package = pathlib.Path(krm.__file__).parent
    sys.path.append(str(package / "command" / "script"))
    import krm_command

    folder = pathlib.Path(tempfile.mkdtemp())
    truth, run = judged()
    lines = {
        "qrels": [
            f"{q} 0 {item} {label}"
            for q, labels in truth.items()
            for item, label in labels.items()
        ],
        "run": [
            f"{q} Q0 {item} {rank} {scores[item]} x"
            for q, scores in run.items()
            for rank, item in enumerate(
                sorted(scores, key=scores.get, reverse=True), 1
            )
        ],
    }
    for name, text in lines.items():
        folder.joinpath(name).write_text("\n".join(text) + "\n")
    words = [
        "eval",
        *(str(folder / name) for name in lines),
        "-m",
        "NDCG@10 RR",
    ]

    def run_it():
        with contextlib.redirect_stdout(io.StringIO()):
            krm_command.main(words)

    return run_it


BATCHES: dict[str, Callable[[], Run]] = {
    "a batch": lambda: batch(krm.NDCG(10)),
    "a batch, nine metrics": lambda: batch(*(kind(10) for kind in NINE)),
    "a batch with a mask and weights": lambda: batch(
        krm.NDCG(10), krm.MeanAveragePrecision(), masked=True
    ),
    "a batch of a catalogue": lambda: batch(
        krm.NDCG(10),
        krm.RecallAtK(10),
        krm.MeanReciprocalRank(10),
        lists=16,
        items=20_000,
    ),
    "a model's evaluate": model,
}
# The backend has no say in what these do before and after the metrics.
OFFLINE: dict[str, Callable[[], Run]] = {
    "evaluate of dicts": lambda: lambda: krm.evaluate(*judged(), "NDCG@10 RR"),
    "evaluate of frames": frames,
    "evaluate of a table": lambda: (
        lambda: krm.evaluate(columns(), metrics="NDCG@10 RR")
    ),
    "evaluate_rows": rows,
    "compare of dicts": lambda: (
        lambda: krm.compare(
            judged()[0], {"a": judged()[1], "b": judged()[1]}, "NDCG@10 RR"
        )
    ),
    "diagnose of dicts": lambda: lambda: krm.diagnose(*judged()),
    "krm eval": command,
}
PATHS = {**BATCHES, **(OFFLINE if BACKEND == "torch" else {})}


@contextlib.contextmanager
def calls() -> Iterator[Counter]:
    """Count calls, and which of them are operations, reads and programs."""
    found: Counter[str] = Counter()

    def note(frame, event, function):
        if event == "call":
            name = frame.f_code.co_qualname
        elif event == "c_call":
            name = function.__name__
        else:
            return
        found["calls"] += 1
        found["operations"] += name in OPERATIONS
        found["reads"] += name in READS
        found["programs"] += name in PROGRAMS

    gc.collect()
    gc.disable()  # what is collected, and when, depends on the process
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(None)
        gc.enable()


@contextlib.contextmanager
def of_torch() -> Iterator[Counter]:
    """Count operations of torch, the reads among them, and their bytes."""
    found: Counter[str] = Counter()
    if BACKEND != "torch":
        yield found
        return
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Noting(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            found["operations"] += 1
            found["reads"] += "_local_scalar_dense" in str(function)
            found["bytes"] += sum(
                x.numel() * x.element_size()
                for x in tree_leaves(result)
                if isinstance(x, torch.Tensor) and x._base is None
            )
            return result

    with Noting():
        yield found


@contextlib.contextmanager
def memory() -> Iterator[Counter]:
    """Measure the peak of what Python and numpy hold more than before.

    On torch alone: the tensors of the others, which are most, do not show.
    """
    found: Counter[str] = Counter()
    if BACKEND != "torch":
        yield found
        return
    gc.collect()
    tracemalloc.start()
    try:
        yield found
        found["bytes"] = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def cost(make: Callable[[], Run]) -> dict[str, int]:
    """Return the counts of a path."""
    run = make()
    with calls() as first:
        run()
    for _ in range(3):  # the updates 1, 2, 4 and 8 also look for misreadings
        run()
    found: Counter[str] = Counter()
    for counting in (calls, of_torch, memory):
        with counting() as counts:
            run()
        found.update(counts)
    found |= {"programs": first["programs"], "traced": first["operations"]}
    return dict(sorted(found.items()))


def versions() -> dict[str, str]:
    """Return the versions that the counts depend on."""
    others = ["pandas"] if OFFLINE.keys() <= PATHS.keys() else []
    found = {
        name: importlib.import_module(name).__version__.partition("+")[0]
        for name in ("keras", "numpy", BACKEND, *others)
    }
    return {"python": "{}.{}".format(*sys.version_info), **found}


def main() -> None:
    """Print the counts of this backend, or store them."""
    counts = {name: cost(make) for name, make in PATHS.items()}
    if "--json" in sys.argv:
        print(json.dumps({"versions": versions(), "counts": counts}))
        return
    if "--write" in sys.argv:
        stored = json.loads(STORED.read_text()) if STORED.exists() else {}
        stored[BACKEND] = {"versions": versions(), "counts": counts}
        STORED.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
    for name, found in counts.items():
        print(f"{name:32}", *(f"{n:10,} {kind}" for kind, n in found.items()))


if __name__ == "__main__":
    main()
