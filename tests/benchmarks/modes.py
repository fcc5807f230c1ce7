"""How a backend runs a step: compiled as in `fit`, and really run to its end.

A step is complete when its results are numbers on the host. Metrics keep their
state from step to step, so no compiler can drop the work.
"""

import abc
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

Tensor = Any
Metric = Any  # keras.Metric; Keras is imported once its backend is chosen.
Function = Callable[[Tensor, Tensor], list[Tensor]]


@dataclasses.dataclass(frozen=True)
class Step:
    """One contender on one batch, ready to be timed.

    Args:
        run: computes the batch and returns the results.
        state: the state that `run` moves on, where there is one.
    """

    run: Callable[[], list[np.ndarray]]
    state: Callable[[], list[np.ndarray]] | None = None


class Mode(abc.ABC):
    """One way to run Keras code, the same for all contenders."""

    name: ClassVar[str]
    backend: ClassVar[str]
    title: ClassVar[str]

    def __init__(self, y_true: np.ndarray, y_pred: np.ndarray) -> None:
        from keras import ops

        self.batch = (
            ops.convert_to_tensor(y_true),
            ops.convert_to_tensor(y_pred),
        )

    @abc.abstractmethod
    def compile(self, function: Function) -> Function:
        """Returns `function` as this mode runs it."""

    def function(self, function: Function) -> Step:
        """A step that calls a pure function of labels and scores."""
        compiled = self.compile(function)
        return Step(lambda: _on_host(compiled(*self.batch)))

    def metrics(self, metrics: Sequence[Metric]) -> Step:
        """A step that updates every metric, then asks each for its result."""

        def update(y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
            for metric in metrics:
                metric.update_state(y_true, y_pred)
            return [metric.result() for metric in metrics]

        return Step(
            self.function(update).run,
            lambda: _on_host(v for m in metrics for v in m.variables),
        )


class TensorFlowGraph(Mode):
    """`fit` on a CPU."""

    name = "tf-graph"
    backend = "tensorflow"
    title = "tensorflow, graph"
    jit_compile = False

    def compile(self, function: Function) -> Function:
        import tensorflow as tf

        return tf.function(function, jit_compile=self.jit_compile)


class TensorFlowXLA(TensorFlowGraph):
    """`fit` where there is a GPU, or with `jit_compile=True`."""

    name = "tf-xla"
    title = "tensorflow, XLA"
    jit_compile = True


class Jax(Mode):
    """`fit` on jax: always compiled, and the state goes in and out."""

    name = "jax"
    backend = "jax"
    title = "jax, jit"

    def compile(self, function: Function) -> Function:
        import jax

        compiled = jax.jit(function)
        return lambda *inputs: jax.block_until_ready(compiled(*inputs))

    def metrics(self, metrics: Sequence[Metric]) -> Step:
        def update(
            state: list[list[Tensor]], y_true: Tensor, y_pred: Tensor
        ) -> tuple[list[list[Tensor]], list[Tensor]]:
            state = [
                metric.stateless_update_state(variables, y_true, y_pred)
                for metric, variables in zip(metrics, state, strict=True)
            ]
            results = [
                metric.stateless_result(variables)
                for metric, variables in zip(metrics, state, strict=True)
            ]
            return state, results

        compiled = self.compile(update)
        state = [[v.value for v in metric.variables] for metric in metrics]

        def run() -> list[np.ndarray]:
            nonlocal state
            state, results = compiled(state, *self.batch)
            return _on_host(results)

        return Step(run, lambda: _on_host(v for each in state for v in each))


class TorchEager(Mode):
    """`evaluate` on torch: nothing compiled, no gradients."""

    name = "torch"
    backend = "torch"
    title = "torch, eager"

    def compile(self, function: Function) -> Function:
        import torch

        return torch.no_grad()(function)


MODES: dict[str, type[Mode]] = {
    mode.name: mode
    for mode in (TensorFlowGraph, TensorFlowXLA, Jax, TorchEager)
}


def _on_host(tensors: Any) -> list[np.ndarray]:
    from keras import ops

    # A copy: on a CPU the array may share the memory of what comes next.
    return [np.array(ops.convert_to_numpy(tensor)) for tensor in tensors]
