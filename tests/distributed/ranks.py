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


def evaluated():
    """Keras' own `evaluate`, in which all ranks have as many steps."""
    labels, scores, _, _ = data()
    share = part(**CONNECTED)
    metrics = krm.MetricCollection(
        [*krm.NDCG.at(1, 5), krm.MeanReciprocalRank()], errors=False
    )
    # Keras accepts no model without weights on several ranks.
    same = keras.layers.Dense(
        ITEMS, use_bias=False, kernel_initializer="identity"
    )
    model = keras.Sequential([keras.Input((ITEMS,)), same])
    model.compile(loss="mse", metrics=[metrics])

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
