"""Train a ranker in a loop of your own on PyTorch.

    KERAS_BACKEND=torch python loop_torch.py

The model is a `torch.nn.Module`, its optimizer one of PyTorch. The metrics take
the tensors as they are. They are updated without gradients.
"""

from __future__ import annotations

from collections.abc import Sequence

from learning_to_rank import build_model, listwise_softmax
from looping import Loop, make_metrics, run
from queries import Queries

import keras_rankmetrics as krm


def make_loop(train: Queries, batch_size: int) -> Loop:
    """Return the functions that train and measure."""
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    def batches(queries: Queries, shuffle: bool) -> DataLoader:
        data = TensorDataset(*map(torch.from_numpy, queries))
        return DataLoader(data, batch_size, shuffle=shuffle)

    model = build_model(train)
    device = next(model.parameters()).device
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    metrics = make_metrics()

    def train_epoch() -> float:
        model.train()
        losses = []
        for features, labels in batches(train, shuffle=True):
            scores = model(features.to(device))
            loss = listwise_softmax(labels.to(device), scores).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
        return sum(losses) / len(losses)

    def measure(queries: Queries) -> krm.MetricCollection:
        model.eval()
        metrics.reset_state()
        with torch.no_grad():
            for features, labels in batches(queries, shuffle=False):
                scores = model(features.to(device))
                metrics.update_state(labels.to(device), scores)
        return metrics

    return Loop(train_epoch, measure)


def main(argv: Sequence[str] | None = None) -> None:
    """Train and measure."""
    run(__doc__, "torch", make_loop, argv)


if __name__ == "__main__":
    main()
