"""`Case`: a batch and the metrics that get it, as a value that is stored."""

import dataclasses
import json
from typing import Any

from catalogue import Cell

from . import breaks, pools
from .parts import Part


@dataclasses.dataclass(frozen=True)
class Case:
    """A batch, and who gets it how.

    Attributes:
        form: of the input: `"scores"`, `"sparse"` or `"ids"`.
        cells: the metrics. Each is a case of its own.
        parts: the batch: `"labels"` or `"target"`, `"scores"` or `"ids"`, and
            maybe `"weights"`, `"mask"`, `"judged"`, `"exclude"`, and
            `"num_relevant"`.
        how: as what it is passed: `"arrays"`, `"tensors"` or `"lists"`.
        way: `"together"` in a collection, `"alone"` one after the other, or
            compiled as a `"graph"`, or by `"xla"`.
        broken: the name of what makes the batch invalid, or None.
        family: of the metrics: `"relevance"`, `"items"`, `"subtopics"` or
            `"references"`.
    """

    form: str
    cells: tuple[Cell, ...]
    parts: dict[str, Part]
    how: str = "arrays"
    way: str = "together"
    broken: str | None = None
    family: str = "relevance"

    def passed(self) -> tuple[Any, Any, Any]:
        """`y_true`, `y_pred` and `sample_weight`, made anew."""
        given = {n: part.passed(self.how) for n, part in self.parts.items()}
        if self.broken is not None:
            return breaks.BREAKS[self.broken].of(given, self.form)
        return arguments(given, self.form)

    @property
    def is_compiled(self) -> bool:
        return self.way in ("graph", "xla")

    def as_json(self) -> str:
        stored = {
            **dataclasses.asdict(self),
            "cells": list(map(pools.as_json, self.cells)),
            "parts": {n: part.as_json() for n, part in self.parts.items()},
        }
        return json.dumps(stored, indent=1)

    @classmethod
    def of_json(cls, text: str) -> "Case":
        stored = json.loads(text)
        parts = {n: Part.of_json(x) for n, x in stored["parts"].items()}
        cells = tuple(map(pools.of_json, stored["cells"]))
        return cls(**{**stored, "cells": cells, "parts": parts})


arguments = breaks.arguments
