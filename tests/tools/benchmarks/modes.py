"""How a backend runs a step: compiled as in `fit`, and really run to its end.

A step is complete when its results are numbers on the host. Metrics keep their
state from step to step, so no compiler can drop the work.
"""

import abc
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from tests.tools.benchmarks.resident import rise_in
from tests.tools.benchmarks.suites import Suite

Tensor = Any
Metric = Any  # keras.Metric; Keras is imported once its backend is chosen.
Function = Callable[[Tensor, Tensor], list[Tensor]]


@dataclasses.dataclass(frozen=True)
class Step:
    """One contender on one batch, ready to be timed.

    Args:
        run: computes the batch and returns the results, as numbers.
        suite: the metrics that the results are of; none, if they are of none.
        state: the state that `run` moves on, where there is one.
        head_start: what of the work was done before, in words.
        note: what else the reader of its time should know.
    """

    run: Callable[[], Sequence[Any]]
    suite: Suite
    state: Callable[[], list[np.ndarray]] | None = None
    head_start: str = ""
    note: str = ""


class Mode(abc.ABC):
    """One way to run Keras code, the same for all contenders.

    Attributes:
        name: what `--modes` calls it.
        title: what the report calls it.
        jit_compile: what `compile` of a Keras model is told.
        batch: labels and scores, on the device.
    """

    name: ClassVar[str]
    backend: ClassVar[str]
    title: ClassVar[str]
    jit_compile: ClassVar[bool] = False

    def __init__(self, y_true: np.ndarray, y_pred: np.ndarray) -> None:
        from keras import ops

        self.batch = (
            ops.convert_to_tensor(y_true),
            ops.convert_to_tensor(y_pred),
        )

    def on(self, y_true: np.ndarray, y_pred: np.ndarray) -> "Mode":
        """The same mode with another batch."""
        return type(self)(y_true, y_pred)

    @classmethod
    @abc.abstractmethod
    def accelerator(cls) -> str:
        """The name of the GPU that tensors are on, if there is one."""

    def extra_memory(self, call: Callable[[], object]) -> int:
        """The bytes by which memory rises at most during a call."""
        if accelerator := self.accelerator():
            raise RuntimeError(f"the memory of {accelerator} is not seen")
        return rise_in(call)

    @abc.abstractmethod
    def compile(self, function: Function) -> Function:
        """Returns `function` as this mode runs it."""

    def function(self, function: Function, suite: Suite) -> Step:
        """A step that calls a pure function of labels and scores."""
        compiled = self.compile(function)
        return Step(lambda: _on_host(compiled(*self.batch)), suite)

    def metrics(self, metrics: Sequence[Metric], suite: Suite) -> Step:
        """A step that updates every metric, then asks each for its result."""

        def update(y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
            for metric in metrics:
                metric.update_state(y_true, y_pred)
            return _flat(metric.result() for metric in metrics)

        return dataclasses.replace(
            self.function(update, suite),
            state=lambda: _on_host(v for m in metrics for v in m.variables),
        )


class TensorFlowGraph(Mode):
    """`fit` on a CPU."""

    name = "tf-graph"
    backend = "tensorflow"
    title = "tensorflow, graph"

    @classmethod
    def accelerator(cls) -> str:
        import tensorflow as tf

        found = tf.config.list_physical_devices("GPU")
        if not found:
            return ""
        details = tf.config.experimental.get_device_details(found[0])
        return details.get("device_name", "GPU")

    def extra_memory(self, call: Callable[[], object]) -> int:
        """What its pool hands out: the process has all of the pool already."""
        import tensorflow as tf

        device = "GPU:0" if self.accelerator() else "CPU:0"
        statistics = tf.config.experimental
        statistics.reset_memory_stats(device)
        before = statistics.get_memory_info(device)["current"]
        call()
        return statistics.get_memory_info(device)["peak"] - before

    def compile(self, function: Function) -> Function:
        import tensorflow as tf

        return tf.function(
            function,
            jit_compile=self.jit_compile,
            autograph=False,  # nor does `fit` convert what it compiles
        )


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
    jit_compile = True

    @classmethod
    def accelerator(cls) -> str:
        import jax

        device = jax.devices()[0]
        return "" if device.platform == "cpu" else device.device_kind

    def compile(self, function: Function) -> Function:
        import jax

        compiled = jax.jit(function)
        return lambda *inputs: jax.block_until_ready(compiled(*inputs))

    def metrics(self, metrics: Sequence[Metric], suite: Suite) -> Step:
        """As `fit` does it: in one scope that has the values of all states."""
        from keras import StatelessScope

        variables = [v for metric in metrics for v in metric.variables]

        def update(
            state: list[Tensor], y_true: Tensor, y_pred: Tensor
        ) -> tuple[list[Tensor], list[Tensor]]:
            mapping = list(zip(variables, state, strict=True))
            with StatelessScope(state_mapping=mapping) as scope:
                for metric in metrics:
                    metric.update_state(y_true, y_pred)
                results = _flat(metric.result() for metric in metrics)
            return [scope.get_current_value(v) for v in variables], results

        compiled = self.compile(update)
        state = [variable.value for variable in variables]

        def run() -> list[np.ndarray]:
            nonlocal state
            state, results = compiled(state, *self.batch)
            return _on_host(results)

        return Step(run, suite, lambda: _on_host(state))


class TorchEager(Mode):
    """`evaluate` on torch: nothing compiled, no gradients."""

    name = "torch"
    backend = "torch"
    title = "torch, eager"

    def __init__(self, y_true: np.ndarray, y_pred: np.ndarray) -> None:
        super().__init__(y_true, y_pred)
        # In memory of torch, as what models return, and not in that of numpy.
        self.batch = tuple(x.clone() for x in self.batch)

    @classmethod
    def accelerator(cls) -> str:
        import torch

        there = torch.cuda.is_available()
        return torch.cuda.get_device_name() if there else ""

    def compile(self, function: Function) -> Function:
        import torch

        return torch.no_grad()(function)


MODES: dict[str, type[Mode]] = {
    mode.name: mode
    for mode in (TensorFlowGraph, TensorFlowXLA, Jax, TorchEager)
}


def _flat(results: Iterable[Tensor | dict[str, Tensor]]) -> list[Tensor]:
    """One result for each metric; a collection has a dict of them."""
    flat = []
    for result in results:
        if isinstance(result, dict):
            flat.extend(result.values())
        else:
            flat.append(result)
    return flat


def _on_host(tensors: Any) -> list[np.ndarray]:
    from keras import ops

    # A copy: on a CPU the array may share the memory of what comes next.
    return [np.array(ops.convert_to_numpy(tensor)) for tensor in tensors]
