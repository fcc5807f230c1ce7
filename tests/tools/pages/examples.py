"""Which lists the pages show, by the family of the metric."""

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import keras_rankmetrics as krm
from keras_rankmetrics.engine.definition import takes
from keras_rankmetrics.metrics.bases import (
    Binary,
    BinaryWholeList,
    JudgementMetric,
    SubtopicMetric,
)
from keras_rankmetrics.metrics.clicks import ClickMetric
from keras_rankmetrics.metrics.coverage import CatalogueMetric
from keras_rankmetrics.metrics.two_rankings import OverlapMetric, TauMetric
from tests.tools.pages.notation import (
    is_of_ids,
    values_of_catalogues,
    values_of_clicks,
    values_of_lists,
    values_of_several,
    values_of_subtopics,
    values_of_tables,
    values_of_two_rankings,
)


@dataclasses.dataclass(frozen=True)
class Edge:
    """A row of the table of edge cases.

    Attributes:
        name: what is at the edge.
        text: the list.
        k: the usual cutoff.
        is_about_k: whether it is about this very cutoff.
    """

    name: str
    text: str
    k: int | None = 3
    is_about_k: bool = False


@dataclasses.dataclass(frozen=True)
class Examples:
    """What the pages of a family of metrics show.

    Attributes:
        legend: how to read the lists, for those who read the table.
        edges: the rows of the table.
        drawn: the lists in the picture, by the title above them.
        drawn_legend: how to read the picture.
        shade: how dark the square of an item is, from 0 to 1; None for what
            is no item, and leaves a gap.
        compared: on which lists, with usual cutoffs, libraries are compared.
        values: the values of lists, of a class and its options.
        is_lettered: whether the squares show what the items are called.
        drawn_at: the usual cutoff of the picture.
    """

    legend: str
    edges: Sequence[Edge]
    drawn: Mapping[str, Sequence[str]]
    drawn_legend: str
    shade: Callable[[str], float | None]
    compared: Sequence[tuple[str, int | None]]
    values: Callable[..., list[float]] = values_of_lists
    is_lettered: bool = False
    drawn_at: int | None = 5


# The list of the running example in the docs.
RUNNING = "1 0 0 1 0 1 1 1"

LEGEND = "Lists are labels, best score first."

DRAWN_LEGEND = (
    "Each row is a ranking of ten items, best score first, with its value."
)

IDS = (
    Edge("duplicate recommended id", "a a b c d of b c"),
    Edge("duplicate relevant id", "b a c d of a a"),
    Edge("nothing recommended", " of a"),
)


def one_at(ranks: Sequence[int], items: int, label: str = "1") -> list[str]:
    """Lists with one relevant item each, at that rank."""
    return [
        " ".join(label if i == rank else "0" for i in range(1, items + 1))
        for rank in ranks
    ]


BINARY = Examples(
    legend=LEGEND,
    edges=(
        Edge("best order", "1 1 0 0 0"),
        Edge("worst order", "0 0 0 1 1"),
        Edge("no relevant item", "0 0 0 0 0"),
        Edge("all relevant", "1 1 1 1 1"),
        Edge("single relevant item", "1"),
        Edge("single irrelevant item", "0"),
        Edge("all scores tied", "(1 1 0 0 0)"),
        Edge("tie across rank 3", "0 1 (1 0) 0"),
        Edge("k larger than the list", "1 0 1", k=10, is_about_k=True),
        Edge("same item twice", "(1 1) 0 0 0"),
        Edge("relevant item not retrieved", "1 0 0 0 / 1"),
        Edge("nothing retrieved", "/ 1 1 0"),
        Edge("one masked item", "– 1 0 1 0"),
        Edge("all items masked", "– – –"),
        *IDS,
    ),
    drawn={
        "one relevant item": one_at([1, 2, 3, 5, 6, 10], 10),
        "three relevant items": (
            "1 1 1 0 0 0 0 0 0 0",
            "1 1 0 0 0 0 1 0 0 0",
            "1 0 0 0 0 1 0 0 0 1",
            "0 0 1 1 1 0 0 0 0 0",
            "0 0 0 0 0 0 0 1 1 1",
        ),
    },
    drawn_legend=f"{DRAWN_LEGEND} Filled squares are relevant.",
    shade=float,
    compared=(
        (RUNNING, 3),
        (RUNNING, 10),
        ("1 1 1 1 1", 3),
        ("0 0 0 0 0", 3),
    ),
)

GRADED = Examples(
    legend=LEGEND,
    edges=(
        Edge("best order", "3 2 1 0 0"),
        Edge("worst order", "0 0 1 2 3"),
        Edge("no relevant item", "0 0 0 0 0"),
        Edge("all the same grade", "2 2 2 2 2"),
        Edge("single item of grade 2", "2"),
        Edge("single item of grade 0", "0"),
        Edge("all scores tied", "(3 2 1 0 0)"),
        Edge("tie across rank 3", "0 2 (3 1) 0"),
        Edge("k larger than the list", "1 0 3", k=10, is_about_k=True),
        Edge("same item twice", "(2 2) 0 0 0"),
        Edge("relevant item not retrieved", "3 0 1 0 / 2"),
        Edge("nothing retrieved", "/ 3 2 0"),
        Edge("one masked item", "– 3 0 2 0"),
        Edge("all items masked", "– – –"),
        *IDS,
    ),
    drawn={
        "one item of grade 4": one_at([1, 2, 3, 5, 6, 10], 10, "4"),
        "items of grades 4, 2 and 1": (
            "4 2 1 0 0 0 0 0 0 0",
            "4 1 2 0 0 0 0 0 0 0",
            "4 0 0 0 0 0 0 0 2 1",
            "1 2 4 0 0 0 0 0 0 0",
            "2 1 0 0 0 0 0 0 0 4",
            "0 0 0 0 0 0 0 1 2 4",
        ),
    },
    drawn_legend=f"{DRAWN_LEGEND} Darker squares have higher grades.",
    shade=lambda text: float(text) / 4.0,
    compared=(
        (RUNNING, 3),
        (RUNNING, 10),
        ("1 0 3 0 2", 2),
        ("1 0 3 0 2", 10),
        ("0 0 0 0 0", 3),
    ),
)

PROBABILITIES = dataclasses.replace(
    GRADED,
    legend=(
        "Lists are labels, the probabilities of relevance, best score first."
    ),
    edges=(
        Edge("best order", "1 .5 .25 0 0"),
        Edge("worst order", "0 0 .25 .5 1"),
        Edge("no relevant item", "0 0 0 0 0"),
        Edge("all certain", "1 1 1 1 1"),
        Edge("all the same probability", ".5 .5 .5 .5 .5"),
        Edge("single item of probability 1/2", ".5"),
        Edge("single irrelevant item", "0"),
        Edge("all scores tied", "(1 .5 .25 0 0)"),
        Edge("tie across rank 3", "0 .5 (1 .25) 0"),
        Edge("k larger than the list", ".25 0 1", k=10, is_about_k=True),
        Edge("same item twice", "(.5 .5) 0 0 0"),
        Edge("relevant item not retrieved", ".5 0 .25 0 / 1"),
        Edge("nothing retrieved", "/ 1 .5 0"),
        Edge("one masked item", "– 1 0 .5 0"),
        Edge("all items masked", "– – –"),
        *IDS,
    ),
    drawn={
        "one certain item": one_at([1, 2, 3, 5, 6, 10], 10),
        "probabilities 3/4, 1/2 and 1/4": (
            ".75 .5 .25 0 0 0 0 0 0 0",
            ".75 .25 .5 0 0 0 0 0 0 0",
            ".75 0 0 0 0 0 0 0 .5 .25",
            ".25 .5 .75 0 0 0 0 0 0 0",
            ".5 .25 0 0 0 0 0 0 0 .75",
            "0 0 0 0 0 0 0 .25 .5 .75",
        ),
    },
    drawn_legend=f"{DRAWN_LEGEND} Darker squares are more likely relevant.",
    shade=float,
    compared=(
        (RUNNING, 3),
        (RUNNING, 10),
        (".25 0 .75 0 .5", 2),
        (".25 0 .75 0 .5", 10),
        ("(.75 .25) 0", 1),
        ("0 0 0 0 0", 3),
    ),
)

SEVERAL = Examples(
    legend="Each row is one or two lists of labels, best score first.",
    edges=(
        Edge("a single list", "0 1 1"),
        Edge("equal lists", "0 1 1 ; 0 1 1"),
        Edge("best and worst order", "1 1 0 0 ; 0 0 1 1"),
        Edge("no hits in one list", "1 1 0 0 ; 0 0 / 1"),
        Edge("no hits in any list", "0 0 / 1 ; 0 0 / 1"),
        Edge("no relevant item in one list", "1 0 0 ; 0 0 0"),
        Edge("all scores tied", "(1 0 0) ; (0 1 0)"),
        Edge("some scores tied", "0 1 (1 0) ; 0 1 (1 0)"),
        Edge("k larger than the lists", "1 0 ; 0 1", k=10, is_about_k=True),
        Edge("nothing retrieved", "/ 1 0 ; / 0 1"),
        Edge("one masked item", "– 1 0 ; 0 1 0"),
        Edge("one list masked", "– – – ; 0 1 0"),
        Edge("all items masked", "– – – ; – – –"),
        Edge("duplicate recommended id", "a a b of b ; a b of b"),
        Edge("nothing recommended", " of a"),
    ),
    drawn={
        "one relevant item in each list": (
            "1 0 0 0 ; 1 0 0 0",
            "1 0 0 0 ; 0 1 0 0",
            "0 1 0 0 ; 0 1 0 0",
            "1 0 0 0 ; 0 0 0 1",
            "1 0 0 0 ; 0 0 0 0",
        ),
        "two relevant items in each list": (
            "1 1 0 0 ; 1 1 0 0",
            "1 1 0 0 ; 0 0 1 1",
            "0 1 1 0 ; 0 1 1 0",
        ),
    },
    drawn_legend=(
        "Each row is two lists of four items, best score first, with the value "
        "over both. Filled squares are relevant."
    ),
    shade=lambda text: None if text == ";" else float(text),
    compared=(
        ("1 1 0 0 ; 0 0 1 1", None),
        ("1 1 0 0 ; 0 0 / 1", None),
        ("1 0 0 ; 0 0 0", None),
    ),
    values=values_of_several,
    drawn_at=None,
)

# The defaults count lists, which are the same everywhere.
COUNTED = dataclasses.replace(
    SEVERAL, values=functools.partial(values_of_several, of="hits")
)

JUDGEMENTS = Examples(
    legend=LEGEND,
    edges=(
        Edge("all judged, best order", "1 1 0 0 0"),
        Edge("all judged, worst order", "0 0 0 1 1"),
        Edge("no judged item", "? ? ? ? ?"),
        Edge("first items unjudged", "? ? 1 0 1"),
        Edge("last items unjudged", "1 0 1 ? ?"),
        Edge("no relevant item", "0 0 ? 0 0"),
        Edge("all judged items relevant", "1 ? 1 ? 1"),
        Edge("single judged item", "1"),
        Edge("single unjudged item", "?"),
        Edge("all scores tied", "(1 1 0 0 ?)"),
        Edge("tie across rank 3", "0 1 (1 0 ?)"),
        Edge("k larger than the list", "1 0 ?", k=10, is_about_k=True),
        Edge("relevant item not retrieved", "1 0 ? 0 / 1"),
        Edge("unjudged item not retrieved", "1 0 1 0 / ?"),
        Edge("nothing retrieved", "/ 1 0 ?"),
        Edge("one masked item", "– 1 ? 0 1"),
        Edge("all items masked", "– – –"),
    ),
    drawn={
        "all ten items judged": (
            "1 1 1 0 0 0 0 0 0 0",
            "1 0 1 0 1 0 0 0 0 0",
            "0 0 0 0 0 0 0 1 1 1",
        ),
        "six items judged": (
            "1 1 1 0 0 0 ? ? ? ?",
            "1 0 1 0 1 0 ? ? ? ?",
            "1 ? 0 ? 1 ? 0 ? 1 0",
            "? ? ? ? 1 1 1 0 0 0",
            "? ? ? ? 0 0 0 1 1 1",
        ),
    },
    drawn_legend=(
        f"{DRAWN_LEGEND} Filled squares are relevant, empty ones irrelevant, "
        "pale ones unjudged."
    ),
    shade=lambda text: 0.25 if text == "?" else float(text),
    compared=(
        (RUNNING, 3),
        ("? 1 0 1 ?", 3),
        ("1 1 ? 1 1", 3),
        ("0 0 ? 0 0", 3),
    ),
)

PREFERENCES = dataclasses.replace(JUDGEMENTS, edges=(*JUDGEMENTS.edges, *IDS))

SUBTOPICS = Examples(
    legend=(
        "Lists are items, best score first, each written as its subtopics: "
        "`ab` is relevant to a and b, and `0` to none."
    ),
    edges=(
        Edge("best order", "ab c a 0 0"),
        Edge("worst order", "0 0 a c ab"),
        Edge("no relevant item", "0 0 0 0 0"),
        Edge("every item on every subtopic", "abc abc abc abc abc"),
        Edge("one subtopic after another", "a a b b c c"),
        Edge("only one subtopic", "a 0 a 0 0"),
        Edge("single relevant item", "ab"),
        Edge("single irrelevant item", "0"),
        Edge("all scores tied", "(ab c a 0 0)"),
        Edge("tie across rank 3", "0 ab (c a) 0"),
        Edge("k larger than the list", "a 0 b", k=10, is_about_k=True),
        Edge("same item twice", "(ab ab) c 0 0"),
        Edge("subtopic not retrieved", "a b 0 0 / c"),
        Edge("nothing retrieved", "/ ab c 0"),
        Edge("one masked item", "– ab 0 c 0"),
        Edge("all items masked", "– – –"),
    ),
    drawn={
        "one item per subtopic": (
            "a b c 0 0 0 0 0 0 0",
            "a b 0 0 0 0 0 0 0 c",
            "a 0 0 b 0 0 c 0 0 0",
            "0 0 0 0 0 0 0 a b c",
        ),
        "three items per subtopic": (
            "a b c a b c a b c 0",
            "a a b b c c a b c 0",
            "a a a b b b c c c 0",
            "0 a a a b b b c c c",
        ),
    },
    drawn_legend=(
        f"{DRAWN_LEGEND} Each letter is the subtopic of the item; 0 is none."
    ),
    shade=lambda text: 0.15 * " abc".index(text) if text != "0" else 0.0,
    compared=(
        ("a 0 ab c 0", 2),
        ("a 0 ab c 0", 10),
        ("abc abc abc abc abc", 2),
        ("0 0 0 0 0", 2),
    ),
    values=values_of_subtopics,
    is_lettered=True,
)


def of_tables(
    told: str,
    tables: Mapping[str, Any],
    edges: Sequence[Edge],
    drawn: Mapping[str, Sequence[str]],
    drawn_legend: str,
    shade: Callable[[str], float],
) -> Examples:
    """Examples of metrics that are told something of each item.

    Args:
        told: what they are told of the items a to f, in words.
        tables: the same, by the parameters of the metric.
        edges, drawn, drawn_legend, shade: as in `Examples`.
    """
    return Examples(
        legend=(
            f"{told} Lists are items, best score first; those left out are not "
            "retrieved."
        ),
        edges=edges,
        drawn=drawn,
        drawn_legend=(
            "Each row is a list of five items, best score first, with its "
            f"value. {drawn_legend}"
        ),
        shade=shade,
        compared=[(text, 3) for group in drawn.values() for text in group[:2]],
        values=functools.partial(values_of_tables, tables),
        is_lettered=True,
        drawn_at=3,
    )


OF_TABLES = (
    Edge("single item", "a"),
    Edge("all scores tied", "(a b c d e f)"),
    Edge("tie across rank 3", "a b (c f)"),
    Edge("k larger than the list", "a e", k=10, is_about_k=True),
    Edge("item not retrieved", "a b / e"),
    Edge("nothing shown", "/ a"),
    Edge("duplicate recommended id", "a a b c of d"),
    Edge("nothing recommended", " of a"),
)

OF_POPULARITY = (
    Edge("most popular items", "a b c d"),
    Edge("least popular items", "f e d c"),
    *OF_TABLES,
)

BY_POPULARITY = {
    "from popular items to others": (
        "a b c d e",
        "a b d c e",
        "a d e b c",
        "b c d a e",
        "d e a b c",
        "f e d b c",
    ),
}

COUNTS = dict(zip("abcdef", (8, 4, 4, 2, 1, 0), strict=True))
SHARES = dict(
    zip("abcdef", (1, 1 / 2, 1 / 2, 1 / 4, 1 / 8, 1 / 16), strict=True)
)
BOUGHT = "Items a to f were bought 8, 4, 4, 2, 1 and 0 times."
DARK = "Darker squares are more popular."


def by_count(item: str) -> float:
    """How dark, by the root, so that few purchases can be seen too."""
    return 0.7 * (COUNTS[item.lower()] / 8) ** 0.5


POPULAR = of_tables(
    BOUGHT,
    {"popularity": list(COUNTS.values())},
    OF_POPULARITY,
    BY_POPULARITY,
    f"{BOUGHT} {DARK}",
    by_count,
)

KNOWN = "Items a to f are known to 1, 1/2, 1/2, 1/4, 1/8 and 1/16 of the users."

NEW = of_tables(
    KNOWN,
    {"popularity": list(SHARES.values())},
    OF_POPULARITY,
    BY_POPULARITY,
    f"{KNOWN} {DARK}",
    by_count,
)

OF_THE_TAIL = "The catalogue has items a to f; d, e and f are the tail."

TAIL = of_tables(
    OF_THE_TAIL,
    {"is_tail": [0, 0, 0, 1, 1, 1]},
    OF_POPULARITY,
    BY_POPULARITY,
    "Filled squares are tail items.",
    lambda item: 0.4 * (item in "def"),
)

CHOSEN = f"{BOUGHT} Capitals are relevant items."

RELEVANT_AND_POPULAR = of_tables(
    CHOSEN,
    {"popularity": list(COUNTS.values())},
    (
        Edge("only relevant items", "D E F"),
        Edge("with more popular items", "a b c D"),
        Edge("with less popular items", "f e d A"),
        Edge("no relevant item", "a b c d"),
        Edge("all relevant", "(A B C D E F)"),
        Edge("relevant item of popularity 0", "F a"),
        Edge("single relevant item", "D"),
        Edge("single irrelevant item", "d"),
        Edge("all scores tied", "(a b c D e f)"),
        Edge("tie across rank 3", "a b (c E)"),
        Edge("k larger than the list", "a D", k=10, is_about_k=True),
        Edge("relevant item not retrieved", "a b c / D"),
        Edge("nothing shown", "/ D"),
        Edge("duplicate recommended id", "a a b d of d"),
        Edge("duplicate relevant id", "b d c a of d d"),
        Edge("nothing recommended", " of a"),
    ),
    {
        "the relevant item is popular": (
            "A b c d e",
            "b c A d e",
            "d e A b c",
            "d e f A b",
        ),
        "the relevant item is unpopular": (
            "E a b c d",
            "a b E c d",
            "d f E a b",
            "a b c d E",
        ),
    },
    f"{BOUGHT} Filled squares are relevant.",
    lambda item: 0.4 * item.isupper(),
)

CATEGORIES = (
    "Items a and b have category x, c has x and y, d has y, e has z and f has "
    "none; vectors are rows of 0 and 1."
)

DIVERSE = of_tables(
    CATEGORIES,
    {
        "vectors": [
            [1, 0, 0],
            [1, 0, 0],
            [1, 1, 0],
            [0, 1, 0],
            [0, 0, 1],
            [0, 0, 0],
        ]
    },
    (
        Edge("identical items", "a b"),
        Edge("nothing in common", "a d e"),
        Edge("partly similar", "a c"),
        Edge("two identical, one different", "a b e"),
        Edge("all-zero vector", "a b f"),
        *OF_TABLES,
    ),
    {
        "one, two or three categories": (
            "a b c d e",
            "a b d c e",
            "a c d b e",
            "a b e c d",
            "a c e b d",
            "a d e b c",
        ),
    },
    f"{CATEGORIES}",
    lambda item: 0.15,
)

GROUPS = (
    "Items a, b and c are one group, d and e another, and f has none. The "
    "target is half of the attention for each group."
)

ATTENTION = of_tables(
    GROUPS,
    {
        "groups": [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 0]],
        "target": [1, 1],
    },
    (
        Edge("only one group", "a b c"),
        Edge("both groups, tied", "(a d)"),
        Edge("one group first", "a b d"),
        Edge("the other group in the middle", "a d b"),
        Edge("item of no group", "a f d"),
        Edge("only an item of no group", "f"),
        *OF_TABLES,
    ),
    {
        "which group is first": (
            "a b c d e",
            "a b d c e",
            "a d b e c",
            "d a b e c",
            "a d e b c",
            "d e a b c",
        ),
    },
    "Filled squares are one group, empty ones the other.",
    lambda item: 0.4 * (item in "abc"),
)

EXPOSED = dataclasses.replace(
    BINARY,
    drawn={
        "equal relevance, equal scores": ("( 1 1 ) ( 0 0 0 )",),
        "some tied": ("( 1 1 ) 0 0 0", "0 ( 1 1 ) 0 0"),
        "no ties": ("1 1 0 0 0", "1 0 1 0 0", "0 0 0 1 1"),
        "all tied": ("( 1 1 0 0 0 )",),
    },
    drawn_legend=(
        "Each row is a ranking of five items, best score first, with its "
        "value. Filled squares are relevant; brackets are tied scores."
    ),
    shade=lambda text: None if text in "()" else float(text),
    drawn_at=None,
)

CATALOGUES = Examples(
    legend=(
        "The catalogue has items a to f. Lists are items, best score first; "
        "those left out are not retrieved."
    ),
    edges=(
        Edge("identical lists", "a b c d ; a b c d"),
        Edge("disjoint lists", "a b c ; d e f"),
        Edge("a single list", "a b c d"),
        Edge("single item", "a ; a"),
        Edge("all scores tied", "(a b c d e f) ; (a b c d e f)"),
        Edge("tie across rank 3", "a b (c d) ; a b (c d)"),
        Edge("k larger than the lists", "a b ; a c", k=10, is_about_k=True),
        Edge("item not retrieved", "a b / c ; a d"),
        Edge("one empty list", "a b c ; / a"),
        Edge("all lists empty", "/ a ; / b"),
        Edge("duplicate recommended id", "a a b c of d ; a b c of d"),
        Edge("nothing recommended", " of a"),
    ),
    drawn={
        "three lists of two items": (
            "a b ; a b ; a b",
            "a b ; a b ; a c",
            "a b ; a c ; a d",
            "a b ; a b ; c d",
            "a b ; b c ; c a",
            "a b ; c d ; a e",
            "a b ; c d ; e f",
        ),
    },
    drawn_legend=(
        "Each row is three lists from a catalogue of six items, with the value "
        "over all three."
    ),
    shade=lambda text: None if text == ";" else 0.15,
    compared=(("a b c ; a b d", 3), ("a b c ; d e f", 3), ("/ a ; / b", 3)),
    values=values_of_catalogues,
    is_lettered=True,
    drawn_at=None,
)

OVERLAPS = Examples(
    legend=(
        "Each row is a reference and a ranking, best item first; items left "
        "out are not retrieved. With ids, the relevant ones are the reference."
    ),
    edges=(
        Edge("equal rankings", "a b c d ; a b c d"),
        Edge("reversed", "a b c d ; d c b a"),
        Edge("disjoint rankings", "a b c ; d e f"),
        Edge("same single item", "a ; a"),
        Edge("first two swapped", "a b c d ; b a c d"),
        Edge("last two swapped", "a b c d ; a b d c"),
        Edge("all tied on one side", "a b c d ; (a b c d)"),
        Edge("all tied on both sides", "(a b c d) ; (a b c d)"),
        Edge("tie across rank 3", "a b (c d) ; a b c d"),
        Edge("unequal lengths", "a b c d ; a b"),
        Edge("k larger than the lists", "a b ; a c", k=10, is_about_k=True),
        Edge("one side empty", "a b c ; "),
        Edge("both sides empty", " ; "),
        Edge("same ids", "a b c of a b c"),
        Edge("duplicate id", "a a b of a b c"),
        Edge("nothing recommended", " of a"),
    ),
    drawn={
        "the same items, reordered": (
            "a b c d ; a b c d",
            "a b c d ; a b d c",
            "a b c d ; b a c d",
            "a b c d ; d b c a",
            "a b c d ; d c b a",
        ),
        "some items replaced": (
            "a b c d ; a b c e",
            "a b c d ; e b c d",
            "a b c d ; e f c d",
        ),
    },
    drawn_legend=(
        "Each row is a reference and a ranking, best item first, with its "
        "value."
    ),
    shade=lambda text: None if text == ";" else 0.15,
    compared=(("a b c d ; b a d c", 2), ("a b c d ; (a b c d)", 2)),
    values=values_of_two_rankings,
    is_lettered=True,
    drawn_at=None,
)

# Without lists of ids: a pair needs both items in both rankings.
TAUS = dataclasses.replace(
    OVERLAPS,
    legend=OVERLAPS.legend.partition(" With ids")[0],
    edges=tuple(edge for edge in OVERLAPS.edges if not is_of_ids(edge.text)),
)

CLICKED = Examples(
    legend=(
        "Items a to f were shown in this order, with propensities 1, 1/2, ... "
        "1/6. Lists are the new ranking, best score first; capitals were "
        "clicked, and items left out are not retrieved."
    ),
    edges=(
        Edge("order as shown", "A b C d e f"),
        Edge("clicked items first", "A C b d e f"),
        Edge("clicked items last", "b d e f C A"),
        Edge("no clicks", "a b c d e f"),
        Edge("all clicked", "A B C D E F"),
        Edge("one click, on the first item", "A b c d e f"),
        Edge("one click, on the last item", "a b c d e F"),
        Edge("all scores tied", "(A b C d e f)"),
        Edge("tie across rank 3", "a b (C d) e f"),
        Edge("k larger than the list", "A b C", k=10, is_about_k=True),
        Edge("clicked item not retrieved", "A b / C"),
        Edge("nothing retrieved", "/ A b C"),
    ),
    drawn={
        "clicked: the item shown first": (
            "A b c d e f",
            "b c A d e f",
            "b c d e f A",
        ),
        "clicked: the item shown fourth": (
            "D a b c e f",
            "a b D c e f",
            "a b c e f D",
        ),
    },
    drawn_legend=(
        "Each row is a new ranking of items shown as a b c d e f, with its "
        "value. Filled squares were clicked."
    ),
    shade=lambda text: 0.45 if text.isupper() else 0.0,
    compared=(("A b C d e f", 2),),
    values=values_of_clicks,
    is_lettered=True,
)

REJECTED = dataclasses.replace(
    BINARY,
    edges=(
        Edge("nothing relevant, nothing retrieved", "/ 0 0 0"),
        Edge("nothing relevant, one item retrieved", "0 / 0 0"),
        Edge("a relevant item", "1 0 0 0"),
        Edge("a relevant item, nothing retrieved", "/ 1 0 0"),
        Edge("one masked item", "– / 0 0"),
        Edge("all items masked", "– – –"),
    ),
    drawn={
        "no relevant item": (
            "/ 0 0 0 0",
            "0 / 0 0 0",
            "0 0 / 0 0",
            "0 0 0 0",
            "/ 0 0 0",
        )
    },
    drawn_legend=f"{DRAWN_LEGEND} Those after a gap are not retrieved.".replace(
        "ten items", "four items"
    ),
    shade=lambda text: None if text == "/" else float(text),
    compared=(("/ 0 0 0", None), ("0 0 0", None)),
)

# The first class of these that is a base of a metric has its examples.
FAMILIES: dict[type, Examples] = {
    krm.AveragePopularity: POPULAR,
    krm.Novelty: NEW,
    krm.TailShare: TAIL,
    krm.PopularityLift: RELEVANT_AND_POPULAR,
    krm.Serendipity: RELEVANT_AND_POPULAR,
    krm.IntraListDiversity: DIVERSE,
    krm.AttentionWeightedFairness: ATTENTION,
    krm.ExpectedExposureLoss: EXPOSED,
    CatalogueMetric: CATALOGUES,
    OverlapMetric: OVERLAPS,
    TauMetric: TAUS,
    ClickMetric: CLICKED,
    SubtopicMetric: SUBTOPICS,
    JudgementMetric: JUDGEMENTS,
    krm.BPref: PREFERENCES,
    krm.PFound: PROBABILITIES,
    krm.GeometricMAP: SEVERAL,
    krm.Count: COUNTED,
    krm.RejectionRate: REJECTED,
    Binary: BINARY,
    BinaryWholeList: BINARY,
    krm.RankingMetric: GRADED,
}

# Those that most people use for whole lists, though they take a cutoff.
SELDOM_CUT = (
    krm.AUC,
    krm.NRBP,
    krm.RankBiasedPrecision,
    krm.GradedRankBiasedPrecision,
    krm.RBPResidual,
    krm.RankBiasedOverlap,
    krm.GeometricMAP,
)


def examples_of(metric: type[krm.RankingMetric]) -> Examples:
    """The examples of the nearest base of the metric that has some."""
    for base in metric.mro():
        if base in FAMILIES:
            return FAMILIES[base]
    raise LookupError(
        f"No base of {metric.__name__} has examples: see FAMILIES"
    )


def usual(metric: type[krm.RankingMetric], k: int | None) -> int | None:
    """The cutoff, or none if the metric is seldom cut, or takes none."""
    is_cut = takes(metric, "k") and metric not in SELDOM_CUT
    return k if is_cut else None


def values_of(
    metric: type[krm.RankingMetric],
    cells: Iterable[tuple[str, int | None]],
    **options: Any,
) -> dict[tuple[str, int | None], float]:
    """The values of lists with their cutoffs, in as few calls as can be."""
    groups: dict[tuple, list[str]] = {}
    for text, k in cells:
        groups.setdefault((k, is_of_ids(text)), []).append(text)
    values = {}
    for (k, _), texts in groups.items():
        cut = {"k": k} if takes(metric, "k") else {}
        found = examples_of(metric).values(metric, texts, **cut, **options)
        values.update({(t, k): v for t, v in zip(texts, found, strict=True)})
    return values
