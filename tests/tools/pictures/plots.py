"""The plots of the guide, drawn by the methods that it shows."""

import io
import pathlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np

import keras_rankmetrics as krm
from tests.tools.benchmarks.picture import STYLE

FOLDER = pathlib.Path(__file__).parents[3] / "docs" / "pictures" / "plots"


def systems() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the labels and the systems of the page on comparing."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, (200, 20))
    noise = random.normal(size=labels.shape)
    return labels, {
        "old": labels + 2.0 * noise,
        "new": labels + 1.8 * noise,
        "odd": labels + 2.0 * noise + 0.3 * random.normal(size=labels.shape),
    }


def by_cutoff() -> Any:
    """Return the axes of NDCG over cutoffs."""
    metrics = krm.NDCG.at(1, 2, 3, 5, 10, 20)
    return krm.compare(*systems(), metrics).plot_cutoffs()


def by_list() -> Any:
    """Return the axes of the differences of all lists."""
    return krm.compare(*systems(), krm.NDCG(k=10)).plot_lists()[0]


PLOTS: dict[str, Callable[[], Any]] = {"cutoffs": by_cutoff, "lists": by_list}


def svg(name: str) -> str:
    """Return a plot as SVG. Its grey can be read on white and on black."""
    from matplotlib import pyplot

    with pyplot.rc_context({**STYLE, "font.size": 10}):
        figure = PLOTS[name]().figure
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
        pyplot.close(figure)
    return text.getvalue()


def words(text: str) -> list[str]:
    """Return the words of a picture."""
    return re.findall(r"<text [^>]*>([^<]*)</text>", text)
