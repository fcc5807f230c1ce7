"""What part of an epoch of `fit` the metrics are."""

import dataclasses
import pathlib
import sys
import types
from collections.abc import Callable, Sequence

import numpy as np

from tests.tools.benchmarks.comparisons import (
    IN_THE_NOISE,
    Comparison,
    ExtraRatio,
    Share,
)
from tests.tools.benchmarks.contenders import (
    COLLECTION,
    KERAS_RS,
    OURS,
    REFERENCE,
)
from tests.tools.benchmarks.contenders.keras_metrics import (
    collection,
    keras_rs,
    plain,
    squared_errors,
)
from tests.tools.benchmarks.measurement import Measurement
from tests.tools.benchmarks.modes import MODES, Metric
from tests.tools.benchmarks.scenarios.scenario import Scenario
from tests.tools.benchmarks.suites import NINE, Suite
from tests.tools.benchmarks.turns import Now, prepare, seconds_of, take_turns
from tests.tools.benchmarks.units import SECONDS

EXAMPLES = pathlib.Path(__file__).parents[4] / "docs" / "examples"

WITHOUT = "no metrics"
LISTS: dict[str, Callable[[Suite], list[Metric]]] = {
    WITHOUT: lambda suite: [],
    REFERENCE: squared_errors,
    OURS: plain,
    COLLECTION: collection,
    KERAS_RS: keras_rs,
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class FitEpoch(Scenario):
    """The ranker of the example, on queries as long and wide as MSLR's."""

    queries: int
    items: int = 100
    features: int = 136
    batch_size: int = 32
    name = "fit"
    contenders = tuple(LISTS)

    unit = SECONDS
    reading = (
        "`a / b`: the time of an epoch with `a` as a multiple of one with "
        f"`b`. `(a - {WITHOUT}) / (b - {WITHOUT})`: what `a` adds to an epoch "
        "as a multiple of what `b` adds; the differences are medians within "
        "the rounds. The share is the part of an epoch that the metrics take. "
        "If metrics take less time than epochs vary by, it can be negative, "
        f"and the multiple is {IN_THE_NOISE}."
    )

    @property
    def size(self) -> str:
        return (
            f"{self.queries:,} queries of up to {self.items} items and "
            f"{self.features} features"
        )

    @property
    def about(self) -> str:
        return (
            "One epoch of `fit` of the small ranker in "
            f"`docs/examples/learning_to_rank.py`, batches of "
            f"{self.batch_size}, after a warm-up epoch, with the {len(NINE)} "
            "metrics of `ltr` and without metrics. The reference is the same "
            "number of `keras.metrics.MeanSquaredError`: the cost of any "
            "metric in Keras."
        )

    def smaller(self) -> "FitEpoch":
        return dataclasses.replace(self, rounds=1, queries=self.queries // 16)

    def comparisons(self, present: Sequence[str]) -> list[Comparison]:
        """Whole epochs, then what the metrics add to one."""
        of_epochs = super().comparisons(present)
        if WITHOUT not in present:
            return of_epochs
        lists = [name for name in present if name != WITHOUT]
        beside = [REFERENCE] if REFERENCE in present else []
        return [
            *of_epochs,
            *(
                ExtraRatio(name, reference, WITHOUT)
                for reference in beside
                for name in lists
                if name != reference
            ),
            *(Share(name, WITHOUT) for name in lists),
        ]

    def measure(
        self, mode: str, contenders: Sequence[str], now: Now
    ) -> list[Measurement]:
        example = _example()
        queries = self._queries()

        def make(measurement: Measurement) -> Callable[[], object]:
            model = example.build_model(queries)
            model.compile(
                optimizer="adam",
                loss=example.listwise_softmax,
                metrics=LISTS[measurement.contender](NINE),
                jit_compile=MODES[mode].jit_compile,
            )

            def epoch() -> object:
                return model.fit(
                    *queries, batch_size=self.batch_size, verbose=0
                )

            epoch()
            return epoch

        measurements, epochs = prepare(contenders, make, now)
        take_turns(
            measurements,
            lambda name: seconds_of(epochs[name]),
            self.rounds,
            now,
        )
        return measurements

    def _queries(self) -> tuple:
        """The generated queries to learn from, with more features of noise."""
        from queries import Queries, generate  # next to the example

        rng = np.random.default_rng(0)
        # The example holds out two fifths of what it generates.
        generated = generate(5 * self.queries // 3, rng, self.items)
        features, labels = generated.train
        noise = rng.standard_normal(
            (*labels.shape, self.features - features.shape[-1]), "float32"
        )
        return Queries(np.concatenate([features, noise], axis=-1), labels)


def _example() -> types.ModuleType:
    sys.path.insert(0, str(EXAMPLES))
    import learning_to_rank

    return learning_to_rank
