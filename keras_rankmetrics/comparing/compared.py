"""`Compared`: the result of `compare`, to print, save, load and plot."""

from __future__ import annotations

from keras_rankmetrics.comparing.results import Results


class Compared(Results):
    """Systems on the same lists, compared to a baseline by some metrics.

    `compare` returns it. `print` shows it as a table. It is immutable: for
    another baseline, create `Compared(compared.measured, "another")`.

    Example:
        >>> import keras_rankmetrics as krm
        >>> labels, scores = [[1, 0], [0, 1]], [[2, 1], [2, 1]]
        >>> compared = krm.compare({"ours": scores}, labels, krm.NDCG(k=1))
        >>> compared.systems, compared.per_list()["ndcg@1"]
        (['ours'], [1.0, 0.0])
        >>> print(compared.to_csv().partition(",")[0])
        system
    """

    @property
    def baseline(self) -> str:
        """The name of the system to which the others are compared."""
        return self._baseline

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.measured.systems)

    @property
    def judged(self) -> dict[str, float | None]:
        """The share of judged items among the items that a system retrieves.

        None if items have no ids.
        """
        return self._judged

    def __repr__(self) -> str:
        return (
            f"<Compared: the systems {self.systems} by {list(self.signatures)} "
            f"on {len(self.measured.lists):,} lists>"
        )

    def join(self, other: Compared) -> Compared:
        """Return the systems of both, compared to the baseline of this one.

        Both must have the same metrics, lists and labels.

        Raises:
            ValueError: if signatures, lists or labels differ, or a system is in
                both.
        """
        if not isinstance(other, Compared):
            raise TypeError(
                f"`other` should be a result of `compare`. Received: {other!r}."
            )
        measured = self.measured.joined(other.measured)
        return type(self)(measured, self.baseline, self.confidence)
