"""`python -m tests.tools.pages.gallery`: run the examples, store their output.

Names of examples as arguments run only these.
"""

from __future__ import annotations

import pathlib
import shutil
import sys
import tempfile
from typing import NamedTuple

from tests.tools.support.scripts import printed

FOLDER = pathlib.Path(__file__).parents[3] / "docs" / "examples"
OUTPUT = FOLDER / "output"
PICTURE = "learning_curve.svg"


class Run(NamedTuple):
    """How an example is run: less than two minutes.

    Attributes:
        page: the page that shows the output.
        options: of the command line.
        backend: of Keras; the numbers differ between backends.
    """

    page: str
    options: tuple[str, ...] = ()
    backend: str = "tensorflow"

    def command(self, name: str) -> str:
        """The command as the page shows it."""
        words = ["python", f"docs/examples/{name}.py", *self.options]
        if self.backend != "tensorflow":
            words.insert(0, f"KERAS_BACKEND={self.backend}")
        return " ".join(words)


RUNS = {
    "learning_to_rank": Run("learning_to_rank"),
    "next_item": Run("next_item", ("--epochs", "8")),
    "two_tower": Run("two_tower", ("--users", "384", "--epochs", "5")),
    "pointwise": Run("pointwise"),
    "compare_models": Run("compare_models"),
    "callbacks_by_ndcg": Run("callbacks_by_ndcg", ("--output", "run")),
    "tuner_by_ndcg": Run("tuner_by_ndcg", ("--trials", "4"), "torch"),
    "loop_jax": Run("loops", ("--epochs", "3"), "jax"),
}


def stored(name: str) -> pathlib.Path:
    """The file with the output of an example."""
    return OUTPUT / f"{name}.txt"


def ran(name: str, folder: str | pathlib.Path) -> str:
    """Run an example in a folder, and return what it prints."""
    run = RUNS[name]
    program = FOLDER / f"{name}.py"
    backend = {"KERAS_BACKEND": run.backend}
    return printed(program, *run.options, cwd=folder, **backend)


def main(names: list[str]) -> None:
    """Run the examples, and store their output and the picture of one."""
    OUTPUT.mkdir(exist_ok=True)
    for name in names or RUNS:
        with tempfile.TemporaryDirectory() as folder:
            stored(name).write_text(ran(name, folder), encoding="utf-8")
            for picture in pathlib.Path(folder).glob(f"*/{PICTURE}"):
                shutil.copy(picture, OUTPUT)


if __name__ == "__main__":
    main(sys.argv[1:])
