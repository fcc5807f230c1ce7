"""What a rank of torch does in the tests of `fit` and `sync` on several."""

import keras
import numpy as np
from processes import CONNECTED
from shares import ITEMS, LISTS, data, numbers, seen

import keras_rankmetrics as krm

BATCHES = 3


def part(rank, processes):
    """The batches of a rank: as many as others have, of other sizes."""
    # Each rank has more lists than the one before it.
    shares = np.cumsum(2.0 + np.arange(processes))
    ends = (LISTS * shares / shares[-1]).round().astype(int)
    own = np.arange(*np.append(0, ends)[rank : rank + 2])
    return [
        slice(int(some[0]), int(some[-1]) + 1)
        for some in np.array_split(own, BATCHES)
    ]


def synced():
    """A loop: metrics that see a share, and `sync` at the end."""
    made = seen(part(**CONNECTED))
    sizes = counted_collectives(made["collection"].sync)
    return {
        "numbers": {name: numbers(x.sync()) for name, x in made.items()},
        "collectives": sizes,
    }


def compiled(metrics=None):
    """A model that returns its input, with metrics."""
    if metrics is None:
        metrics = [
            krm.MetricCollection(
                [*krm.NDCG.at(1, 5), krm.MeanReciprocalRank()], errors=False
            )
        ]
    # Keras accepts no model without weights on several ranks.
    same = keras.layers.Dense(
        ITEMS, use_bias=False, kernel_initializer="identity"
    )
    model = keras.Sequential([keras.Input((ITEMS,)), same])
    model.compile(loss="mse", metrics=metrics)
    return model, metrics[0]


class Batches(keras.utils.PyDataset):
    """Batches of four lists, as many for each rank; the last may be empty.

    Labels below 0 are padding. A batch of these counts in no metric.
    """

    def __len__(self):
        batches = -(-LISTS // 4)
        return -(-batches // CONNECTED["processes"]) * CONNECTED["processes"]

    def __getitem__(self, place):
        labels, scores, _, _ = data()
        lists = slice(4 * place, 4 * place + 4)
        if 4 * place >= LISTS:
            return scores[:1], -np.ones_like(labels[:1])
        return scores[lists], labels[lists]


def sharded():
    """`evaluate` of a dataset that Keras deals out to the ranks itself."""
    ranks = [f"cpu:{rank}" for rank in range(CONNECTED["processes"])]
    if len(ranks) > 1:
        parallel = keras.distribution.DataParallel(devices=ranks)
        keras.distribution.set_distribution(parallel)
    model, _ = compiled()
    found = model.evaluate(Batches(), verbose=0, return_dict=True)
    del found["loss"]
    return found


def evaluated():
    """Keras' own `evaluate`, in which all ranks have as many steps."""
    labels, scores, _, _ = data()
    share = part(**CONNECTED)
    model, metrics = compiled()

    def batches():
        for each in share:
            yield scores[each], labels[each]

    found = {}
    sizes = counted_collectives(
        lambda: found.update(
            model.evaluate(
                batches(), steps=len(share), verbose=0, return_dict=True
            )
        )
    )
    found.pop("loss")
    own = int(np.prod(metrics.variables[0].shape))
    return {
        "numbers": found,
        "of_ours": sizes.count(own),
        "steps": len(share),
        "variables": len(metrics.variables),
    }


def nine():
    """The collectives of `evaluate`: of nine metrics apart, and together."""
    labels, scores, _, _ = data()
    return [
        collectives_of(metrics, scores, labels)
        for metrics in (
            krm.NDCG.at(*range(1, 10)),
            [krm.MetricCollection(krm.NDCG.at(*range(1, 10)))],
        )
    ]


def collectives_of(metrics, scores, labels):
    model, _ = compiled(metrics)
    sizes = counted_collectives(
        lambda: model.evaluate(scores, labels, batch_size=8, verbose=0)
    )
    own = [variable for metric in metrics for variable in metric.variables]
    return {
        "collectives": len(sizes),
        "variables": len(model.metrics_variables),
        "own": len(own),
    }


def counted_collectives(run):
    """The sizes of the tensors that a call exchanges."""
    import torch.distributed as dist

    sizes, originals = [], {}

    def counting(name):
        original = originals[name] = getattr(dist, name)

        def counted(*arguments, **options):
            sizes.append(arguments[-1].numel())
            return original(*arguments, **options)

        return counted

    for name in ("all_gather", "all_reduce"):
        setattr(dist, name, counting(name))
    try:
        run()
    finally:
        for name, original in originals.items():
            setattr(dist, name, original)
    return sizes
