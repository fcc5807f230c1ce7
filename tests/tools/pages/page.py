"""The file of a page: what people write, and what is made between markers."""

import pathlib
import re
from collections.abc import Iterator

from keras_rankmetrics import RankingMetric, metrics
from keras_rankmetrics.metrics.multi_value import MultiValueMetric
from tests.tools.pages.blocks import edge_cases, libraries, shown
from tests.tools.pages.picture import picture

FOLDER = pathlib.Path(__file__).parents[3] / "docs" / "metrics"
# Not those that take a metric, as `Comparison` does.
METRICS = tuple(
    value
    for name, value in sorted(vars(metrics).items())
    if name in metrics.__all__ and not issubclass(value, MultiValueMetric)
)
SECTIONS = (
    "Formula",
    "What it rewards",
    "Edge cases",
    "Which libraries differ",
    "Sources",
)
BLOCKS = {
    "What it rewards": shown,
    "Edge cases": edge_cases,
    "Which libraries differ": libraries,
}


class Page:
    """The page of a metric.

    Args:
        metric: the class.
        folder: where the pages are.
    """

    def __init__(
        self, metric: type[RankingMetric], folder: pathlib.Path = FOLDER
    ) -> None:
        self.metric = metric
        self.file = folder / f"{metric.short_name}.md"
        self.picture = self.file.with_suffix(".svg")

    @property
    def files(self) -> tuple[pathlib.Path, pathlib.Path]:
        """The page and its picture."""
        return self.file, self.picture

    def made(self) -> dict[pathlib.Path, str]:
        """What the files should hold, by the package as it is."""
        text = self.file.read_text() if self.file.exists() else self.skeleton()
        for name, block in BLOCKS.items():
            text = replaced(text, name, block(self.metric))
        return dict(zip(self.files, (text, picture(self.metric)), strict=True))

    def write(self) -> None:
        """Makes what is made anew, and a skeleton where there is no page."""
        for file, text in self.made().items():
            file.write_text(text)

    def skeleton(self) -> str:
        """Headings and markers; the text between them is for people."""
        sections = [
            f"## {section}\n\n" + (marked(section, "") * (section in BLOCKS))
            for section in SECTIONS
        ]
        return "\n\n".join([f"# {self.metric.__name__}", *sections]) + "\n"

    def lacks(self) -> Iterator[str]:
        """What is missing in the file, for people."""
        if not self.file.exists():
            yield "no such page: `python -m tests.tools.pages` begins one."
            return
        text = self.file.read_text()
        parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
        head, titles, bodies = parts[0], parts[1::2], parts[2::2]
        if tuple(titles) != SECTIONS:
            yield f"its sections should be {SECTIONS}, and are {titles}."
        if f"`{self.metric.__name__}`" not in head:
            yield f"it does not name the class `{self.metric.__name__}`."
        for name in BLOCKS:
            if text.count(begin(name)) != 1:
                yield f"`{begin(name)}` should be there once."
        for title, body in [
            ("the head", head),
            *zip(titles, bodies, strict=True),
        ]:
            if not by_people(body):
                yield f"nothing is written yet in: {title}."
        if "$$" not in "".join(bodies[:1]):
            yield "the formula is not written as mathematics, in `$$`."


def begin(name: str, maker: str = "tests.tools.pages") -> str:
    return f"<!-- {name}: made by `python -m {maker}` -->"


END = "<!-- end -->"


def marked(name: str, block: str, maker: str = "tests.tools.pages") -> str:
    """Return a block between markers, the first of which names its maker."""
    return f"{begin(name, maker)}\n\n{block}\n\n{END}"


def replaced(
    text: str, name: str, block: str, maker: str = "tests.tools.pages"
) -> str:
    """Return the text with that block between the markers."""
    between = f"{re.escape(begin(name, maker))}.*?{END}"
    # A function, in which no character means anything.
    return re.sub(
        between, lambda _: marked(name, block, maker), text, flags=re.DOTALL
    )


def by_people(body: str) -> str:
    """What is neither made, nor a heading."""
    body = re.sub(f"<!-- .*?{END}", "", body, flags=re.DOTALL)
    return re.sub(r"^#.*", "", body, flags=re.MULTILINE).strip()
