"""Train with DistributedDataParallel, and get the number of one process.

    KERAS_BACKEND=torch python torch_ddp.py --processes 2

Ranks must make the same number of steps, so the lists are filled up to a
multiple of their number. `DistributedSampler` repeats lists for that, and these
count twice in every metric. `Share` gives the repeated ones the weight 0.

Without `--rank` the program starts the processes itself. Under `torchrun` you
would call `init_process_group()` without arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import keras
from ranked import in_processes, make_lists, make_metrics, told


class Share:
    """What a rank gets of the lists: batches of indices and their weights.

    A sampler of batches, for `DataLoader(..., batch_sampler=)`. All ranks get
    as many, of the same size but for the last one.
    """

    def __init__(
        self, lists: int, batch_size: int, rank: int, ranks: int
    ) -> None:
        places = range(rank, lists + -lists % ranks, ranks)
        self.all = [(i % lists, float(i < lists)) for i in places]
        self.batch_size = batch_size

    def __iter__(self) -> Iterator[list[tuple[int, float]]]:
        for start in range(0, len(self.all), self.batch_size):
            yield self.all[start : start + self.batch_size]

    def __len__(self) -> int:
        return -(-len(self.all) // self.batch_size)


class Lists:
    """Features, labels and weight of a list."""

    def __init__(self, features: Any, labels: Any) -> None:
        self.features, self.labels = features, labels

    def __getitem__(self, drawn: tuple[int, float]) -> tuple[Any, Any, float]:
        index, weight = drawn
        return self.features[index], self.labels[index], weight

    def __len__(self) -> int:
        return len(self.labels)


def work(args: Any) -> None:
    """What each process does."""
    import torch
    import torch.distributed as dist

    dist.init_process_group(
        "gloo",  # "nccl" on GPUs
        init_method=f"tcp://127.0.0.1:{args.ports[0]}",
        rank=args.rank,
        world_size=args.processes,
    )
    keras.utils.set_random_seed(0)
    features, labels = make_lists(args.lists)
    model = keras.Sequential(
        [keras.Input((None, 3)), keras.layers.Dense(8), keras.layers.Dense(1)]
    )
    parallel = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(parallel.parameters(), 0.1)
    share = Share(args.lists, args.batch_size, args.rank, args.processes)
    loader = torch.utils.data.DataLoader(
        Lists(features, labels), batch_sampler=share
    )
    for x, y, weight in loader:
        optimizer.zero_grad()
        errors = ((parallel(x) - y) ** 2).mean(dim=(1, 2))
        # The mean over the lists of all ranks: DDP averages over ranks.
        total = weight.sum()
        dist.all_reduce(total)
        (args.processes * (weight * errors).sum() / total).backward()
        optimizer.step()

    metrics, repeated = make_metrics(), make_metrics()
    with torch.no_grad():
        for x, y, weight in loader:
            scores = parallel(x)
            metrics.update_state(y, scores, weight.float())
            repeated.update_state(y, scores)  # as DistributedSampler does
        metrics, repeated = metrics.sync(), repeated.sync()  # all ranks
        if args.rank == 0:
            one = make_metrics()
            one.update_state(labels, model(torch.from_numpy(features)))
            print(told("one process", one))
            print(told("all ranks", metrics))
            print(told("all ranks, repeating", repeated), flush=True)
    dist.barrier()
    dist.destroy_process_group()


def main(argv: Sequence[str] | None = None) -> None:
    """Starts the processes, or is one of them."""
    in_processes(__file__, __doc__, "torch", work, argv)


if __name__ == "__main__":
    main()
