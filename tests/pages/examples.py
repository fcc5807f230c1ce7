"""Which lists the pages show, by the family of the metric."""

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from keras_rankmetrics import (
    AUC,
    NRBP,
    AttentionWeightedFairness,
    AveragePopularity,
    BPref,
    ExpectedExposureLoss,
    GradedRankBiasedPrecision,
    IntraListDiversity,
    Novelty,
    PopularityLift,
    RankBiasedOverlap,
    RankBiasedPrecision,
    RankingMetric,
    RBPResidual,
    Serendipity,
    TailShare,
)
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
from tests.pages.notation import (
    is_of_ids,
    values_of_catalogues,
    values_of_clicks,
    values_of_lists,
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


LEGEND = (
    "A list is written by its labels, the best score first. Items in brackets "
    "have equal scores, `–` is an item that is masked, and what stands behind "
    "`/` has the score `-inf`, so it is not retrieved. `a b of a` means that "
    'the ids a and b are recommended and a is relevant, with `inputs="ids"`.'
)

DRAWN_LEGEND = (
    "Each row is a ranking of ten items, the best score on the left, and the "
    "bar is its value."
)

IDS = (
    Edge("an id recommended twice", "a a b c d of b c"),
    Edge("an id relevant twice", "b a c d of a a"),
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
        Edge("the best order", "1 1 0 0 0"),
        Edge("the worst order", "0 0 0 1 1"),
        Edge("nothing relevant", "0 0 0 0 0"),
        Edge("all relevant", "1 1 1 1 1"),
        Edge("one item, relevant", "1"),
        Edge("one item, not relevant", "0"),
        Edge("all scores tie", "(1 1 0 0 0)"),
        Edge("a tie across rank 3", "0 1 (1 0) 0"),
        Edge("k beyond the list", "1 0 1", k=10, is_about_k=True),
        Edge("the same item twice", "(1 1) 0 0 0"),
        Edge("a relevant item not retrieved", "1 0 0 0 / 1"),
        Edge("nothing retrieved", "/ 1 1 0"),
        Edge("one item masked", "– 1 0 1 0"),
        Edge("all masked", "– – –"),
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
    drawn_legend=f"{DRAWN_LEGEND} A filled square is a relevant item.",
    shade=float,
    compared=(
        ("0 1 0 1 1", 2),
        ("0 1 0 1 1", 10),
        ("1 1 1 1 1", 2),
        ("0 0 0 0 0", 2),
    ),
)

GRADED = Examples(
    legend=LEGEND,
    edges=(
        Edge("the best order", "3 2 1 0 0"),
        Edge("the worst order", "0 0 1 2 3"),
        Edge("nothing relevant", "0 0 0 0 0"),
        Edge("all of the same grade", "2 2 2 2 2"),
        Edge("one item, of grade 2", "2"),
        Edge("one item, of grade 0", "0"),
        Edge("all scores tie", "(3 2 1 0 0)"),
        Edge("a tie across rank 3", "0 2 (3 1) 0"),
        Edge("k beyond the list", "1 0 3", k=10, is_about_k=True),
        Edge("the same item twice", "(2 2) 0 0 0"),
        Edge("a relevant item not retrieved", "3 0 1 0 / 2"),
        Edge("nothing retrieved", "/ 3 2 0"),
        Edge("one item masked", "– 3 0 2 0"),
        Edge("all masked", "– – –"),
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
    drawn_legend=f"{DRAWN_LEGEND} The darker a square, the higher the grade.",
    shade=lambda text: float(text) / 4.0,
    compared=(
        ("0 1 0 1 1", 2),
        ("0 1 0 1 1", 10),
        ("1 0 3 0 2", 2),
        ("1 0 3 0 2", 10),
        ("0 0 0 0 0", 2),
    ),
)

JUDGEMENTS = Examples(
    legend=(
        "A list is written by its labels, the best score first: `?` is an item "
        "that nobody has judged, with the label `UNJUDGED`. Items in brackets "
        "have equal scores, `–` is an item that is masked, and what stands "
        "behind `/` has the score `-inf`, so it is not retrieved."
    ),
    edges=(
        Edge("all judged, the best order", "1 1 0 0 0"),
        Edge("all judged, the worst order", "0 0 0 1 1"),
        Edge("nothing judged", "? ? ? ? ?"),
        Edge("the first items not judged", "? ? 1 0 1"),
        Edge("the last items not judged", "1 0 1 ? ?"),
        Edge("nothing relevant", "0 0 ? 0 0"),
        Edge("all relevant, as far as judged", "1 ? 1 ? 1"),
        Edge("one item, judged", "1"),
        Edge("one item, not judged", "?"),
        Edge("all scores tie", "(1 1 0 0 ?)"),
        Edge("a tie across rank 3", "0 1 (1 0 ?)"),
        Edge("k beyond the list", "1 0 ?", k=10, is_about_k=True),
        Edge("a relevant item not retrieved", "1 0 ? 0 / 1"),
        Edge("an unjudged item not retrieved", "1 0 1 0 / ?"),
        Edge("nothing retrieved", "/ 1 0 ?"),
        Edge("one item masked", "– 1 ? 0 1"),
        Edge("all masked", "– – –"),
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
        f"{DRAWN_LEGEND} A filled square is a relevant item, an empty one is "
        "not relevant, and a pale one has not been judged."
    ),
    shade=lambda text: 0.25 if text == "?" else float(text),
    compared=(
        ("0 1 0 1 1", 2),
        ("? 1 0 1 ?", 2),
        ("1 1 ? 1 1", 2),
        ("0 0 ? 0 0", 2),
    ),
)

PREFERENCES = dataclasses.replace(
    JUDGEMENTS,
    legend=(
        f"{JUDGEMENTS.legend} `a b of a` means that the ids a and b are "
        'recommended and a is relevant, with `inputs="ids"`.'
    ),
    edges=(*JUDGEMENTS.edges, *IDS),
)

SUBTOPICS = Examples(
    legend=(
        "There are up to three subtopics, a, b and c. A list is written by "
        "what its items are relevant to, the best score first: `ab` is an item "
        "that is relevant to a and b, and `0` one that is relevant to none. "
        "Items in brackets have equal scores, `–` is an item that is masked, "
        "and what stands behind `/` has the score `-inf`, so it is not "
        "retrieved."
    ),
    edges=(
        Edge("the best order", "ab c a 0 0"),
        Edge("the worst order", "0 0 a c ab"),
        Edge("nothing relevant", "0 0 0 0 0"),
        Edge("all relevant to all", "abc abc abc abc abc"),
        Edge("one subtopic after the other", "a a b b c c"),
        Edge("one subtopic alone", "a 0 a 0 0"),
        Edge("one item, relevant", "ab"),
        Edge("one item, not relevant", "0"),
        Edge("all scores tie", "(ab c a 0 0)"),
        Edge("a tie across rank 3", "0 ab (c a) 0"),
        Edge("k beyond the list", "a 0 b", k=10, is_about_k=True),
        Edge("the same item twice", "(ab ab) c 0 0"),
        Edge("a subtopic not retrieved", "a b 0 0 / c"),
        Edge("nothing retrieved", "/ ab c 0"),
        Edge("one item masked", "– ab 0 c 0"),
        Edge("all masked", "– – –"),
    ),
    drawn={
        "one item on each subtopic": (
            "a b c 0 0 0 0 0 0 0",
            "a b 0 0 0 0 0 0 0 c",
            "a 0 0 b 0 0 c 0 0 0",
            "0 0 0 0 0 0 0 a b c",
        ),
        "three items on each": (
            "a b c a b c a b c 0",
            "a a b b c c a b c 0",
            "a a a b b b c c c 0",
            "0 a a a b b b c c c",
        ),
    },
    drawn_legend=(
        f"{DRAWN_LEGEND} A letter is the subtopic that the item is relevant "
        "to; an item with 0 is relevant to none."
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
            f"{told} A list is written by its items, the best score first. "
            "Items in brackets have equal scores, and those that are not "
            "named, or stand behind `/`, have the score `-inf`: the list does "
            "not show them. `a b of c` means that the ids a and b are "
            'recommended and c is relevant, with `inputs="ids"`.'
        ),
        edges=edges,
        drawn=drawn,
        drawn_legend=(
            "Each row is a list of five items, the best score on the left, and "
            f"the bar is its value. {drawn_legend}"
        ),
        shade=shade,
        compared=[(text, 3) for group in drawn.values() for text in group[:2]],
        values=functools.partial(values_of_tables, tables),
        is_lettered=True,
        drawn_at=3,
    )


OF_TABLES = (
    Edge("one item", "a"),
    Edge("all scores tie", "(a b c d e f)"),
    Edge("a tie across rank 3", "a b (c f)"),
    Edge("k beyond the list", "a e", k=10, is_about_k=True),
    Edge("an item not retrieved", "a b / e"),
    Edge("nothing shown", "/ a"),
    Edge("an id recommended twice", "a a b c of d"),
    Edge("nothing recommended", " of a"),
)

OF_POPULARITY = (
    Edge("the most popular items", "a b c d"),
    Edge("the least popular items", "f e d c"),
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
BOUGHT = "The items a to f were bought 8, 4, 4, 2, 1 and 0 times."
DARK = "The darker a square, the more popular the item."


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

KNOWN = (
    "The items a to f are known by 1, 1/2, 1/2, 1/4, 1/8 and 1/16 of the users."
)

NEW = of_tables(
    KNOWN,
    {"popularity": list(SHARES.values())},
    OF_POPULARITY,
    BY_POPULARITY,
    f"{KNOWN} {DARK}",
    by_count,
)

OF_THE_TAIL = "Of the items a to f, the tail are d, e and f."

TAIL = of_tables(
    OF_THE_TAIL,
    {"is_tail": [0, 0, 0, 1, 1, 1]},
    OF_POPULARITY,
    BY_POPULARITY,
    "A filled square is an item of the tail.",
    lambda item: 0.4 * (item in "def"),
)

CHOSEN = (
    f"{BOUGHT} A large letter is a relevant item, whether it is retrieved or "
    "not."
)

RELEVANT_AND_POPULAR = of_tables(
    CHOSEN,
    {"popularity": list(COUNTS.values())},
    (
        Edge("only relevant items", "D E F"),
        Edge("more popular ones", "a b c D"),
        Edge("less popular ones", "f e d A"),
        Edge("nothing relevant", "a b c d"),
        Edge("all relevant", "(A B C D E F)"),
        Edge("a relevant item of no popularity", "F a"),
        Edge("one item, relevant", "D"),
        Edge("one item, not relevant", "d"),
        Edge("all scores tie", "(a b c D e f)"),
        Edge("a tie across rank 3", "a b (c E)"),
        Edge("k beyond the list", "a D", k=10, is_about_k=True),
        Edge("a relevant item not retrieved", "a b c / D"),
        Edge("nothing shown", "/ D"),
        Edge("an id recommended twice", "a a b d of d"),
        Edge("an id relevant twice", "b d c a of d d"),
        Edge("nothing recommended", " of a"),
    ),
    {
        "the relevant item is popular": (
            "A b c d e",
            "b c A d e",
            "d e A b c",
            "d e f A b",
        ),
        "it is not": (
            "E a b c d",
            "a b E c d",
            "d f E a b",
            "a b c d E",
        ),
    },
    f"{BOUGHT} A filled square is a relevant item.",
    lambda item: 0.4 * item.isupper(),
)

CATEGORIES = (
    "The items a and b are of the category x, c of x and y, d of y, e of z, "
    "and f of none: the vectors are their rows of 0 and 1."
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
        Edge("items that are alike", "a b"),
        Edge("items that share nothing", "a d e"),
        Edge("items that share half", "a c"),
        Edge("two alike, and another", "a b e"),
        Edge("a vector of zeros", "a b f"),
        *OF_TABLES,
    ),
    {
        "of one category, two, three": (
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
    "The items a, b and c are of one group, d and e of another, and f of none. "
    "Each group should get half of the attention."
)

ATTENTION = of_tables(
    GROUPS,
    {
        "groups": [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 0]],
        "target": [1, 1],
    },
    (
        Edge("one group alone", "a b c"),
        Edge("both groups, with equal scores", "(a d)"),
        Edge("one group first", "a b d"),
        Edge("the other in the middle", "a d b"),
        Edge("an item of no group", "a f d"),
        Edge("only such an item", "f"),
        *OF_TABLES,
    ),
    {
        "who comes first": (
            "a b c d e",
            "a b d c e",
            "a d b e c",
            "d a b e c",
            "a d e b c",
            "d e a b c",
        ),
    },
    "A filled square is an item of one group, and an empty one of the other.",
    lambda item: 0.4 * (item in "abc"),
)

EXPOSED = dataclasses.replace(
    BINARY,
    drawn={
        "all that are alike tie": ("( 1 1 ) ( 0 0 0 )",),
        "the others do not tie": ("( 1 1 ) 0 0 0", "0 ( 1 1 ) 0 0"),
        "nothing ties": ("1 1 0 0 0", "1 0 1 0 0", "0 0 0 1 1"),
        "all tie": ("( 1 1 0 0 0 )",),
    },
    drawn_legend=(
        "Each row is a ranking of five items, the best score on the left, and "
        "the bar is its value. A filled square is a relevant item, and items "
        "in brackets have equal scores."
    ),
    shade=lambda text: None if text in "()" else float(text),
    drawn_at=None,
)

CATALOGUES = Examples(
    legend=(
        "The catalogue has the items a to f. A list is written by its items, "
        "the best score first, with `;` between the lists. Items in brackets "
        "have equal scores, and those that are not named, or stand behind `/`, "
        "have the score `-inf`: the list does not show them. `a b of c` means "
        "that the ids a and b are recommended and c is relevant, with "
        '`inputs="ids"`.'
    ),
    edges=(
        Edge("all lists show the same", "a b c d ; a b c d"),
        Edge("lists share nothing", "a b c ; d e f"),
        Edge("one list", "a b c d"),
        Edge("one item", "a ; a"),
        Edge("all scores tie", "(a b c d e f) ; (a b c d e f)"),
        Edge("a tie across rank 3", "a b (c d) ; a b (c d)"),
        Edge("k beyond the lists", "a b ; a c", k=10, is_about_k=True),
        Edge("an item not retrieved", "a b / c ; a d"),
        Edge("a list that shows nothing", "a b c ; / a"),
        Edge("nothing shown at all", "/ a ; / b"),
        Edge("an id recommended twice", "a a b c of d ; a b c of d"),
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
        "Each row has three lists, of a catalogue of six items, and the bar is "
        "the value of the three together."
    ),
    shade=lambda text: None if text == ";" else 0.15,
    compared=(("a b c ; a b d", 3), ("a b c ; d e f", 3), ("/ a ; / b", 3)),
    values=values_of_catalogues,
    is_lettered=True,
    drawn_at=None,
)

OVERLAPS = Examples(
    legend=(
        "The reference is written before `;`, and the ranking behind it, "
        "each with the best item first. Items in brackets have equal scores, "
        "and those that are not named have the score `-inf`, so that this side "
        "does not retrieve them. `a b of b c` means that the ids a and b are "
        'recommended, and b and c are the reference, with `inputs="ids"`.'
    ),
    edges=(
        Edge("equal rankings", "a b c d ; a b c d"),
        Edge("reversed", "a b c d ; d c b a"),
        Edge("no common item", "a b c ; d e f"),
        Edge("one item, the same", "a ; a"),
        Edge("the first two exchanged", "a b c d ; b a c d"),
        Edge("the last two exchanged", "a b c d ; a b d c"),
        Edge("all scores tie on one side", "a b c d ; (a b c d)"),
        Edge("all scores tie on both", "(a b c d) ; (a b c d)"),
        Edge("a tie across rank 3", "a b (c d) ; a b c d"),
        Edge("unequal lengths", "a b c d ; a b"),
        Edge("k beyond the lists", "a b ; a c", k=10, is_about_k=True),
        Edge("one side empty", "a b c ; "),
        Edge("both sides empty", " ; "),
        Edge("the same ids", "a b c of a b c"),
        Edge("an id twice", "a a b of a b c"),
        Edge("nothing recommended", " of a"),
    ),
    drawn={
        "a b c d, and the ranking": (
            "a b c d ; a b c d",
            "a b c d ; a b d c",
            "a b c d ; b a c d",
            "a b c d ; d b c a",
            "a b c d ; d c b a",
        ),
        "a b c d, and others": (
            "a b c d ; a b c e",
            "a b c d ; e b c d",
            "a b c d ; e f c d",
        ),
    },
    drawn_legend=(
        "Each row has the reference on the left and a ranking on the right, "
        "the best item first, and the bar is how similar they are."
    ),
    shade=lambda text: None if text == ";" else 0.15,
    compared=(("a b c d ; b a d c", 2), ("a b c d ; (a b c d)", 2)),
    values=values_of_two_rankings,
    is_lettered=True,
    drawn_at=None,
)

# Of these, no lists of ids: a pair needs both items in both rankings.
TAUS = dataclasses.replace(
    OVERLAPS,
    legend=OVERLAPS.legend.partition(" `a b of")[0],
    edges=tuple(edge for edge in OVERLAPS.edges if not is_of_ids(edge.text)),
)

CLICKED = Examples(
    legend=(
        "The items a to f were shown in this order, so that their "
        "propensities are 1, 1/2, ... 1/6. A list is written in the order of "
        "the new scores, and a capital letter is an item that was clicked. "
        "Items in brackets have equal scores, and what stands behind `/`, or "
        "is not named, has the score `-inf`, so it is not retrieved."
    ),
    edges=(
        Edge("the order that was shown", "A b C d e f"),
        Edge("clicked items first", "A C b d e f"),
        Edge("clicked items last", "b d e f C A"),
        Edge("no click", "a b c d e f"),
        Edge("all clicked", "A B C D E F"),
        Edge("one click, on the first", "A b c d e f"),
        Edge("one click, on the last", "a b c d e F"),
        Edge("all scores tie", "(A b C d e f)"),
        Edge("a tie across rank 3", "a b (C d) e f"),
        Edge("k beyond the list", "A b C", k=10, is_about_k=True),
        Edge("a clicked item not retrieved", "A b / C"),
        Edge("nothing retrieved", "/ A b C"),
    ),
    drawn={
        "a click on what was shown first": (
            "A b c d e f",
            "b c A d e f",
            "b c d e f A",
        ),
        "a click on what was shown fourth": (
            "D a b c e f",
            "a b D c e f",
            "a b c e f D",
        ),
    },
    drawn_legend=(
        "Each row is a new ranking of the items that were shown as a b c d e "
        "f, and the bar is its value. A filled square was clicked."
    ),
    shade=lambda text: 0.45 if text.isupper() else 0.0,
    compared=(("A b C d e f", 2),),
    values=values_of_clicks,
    is_lettered=True,
)

# The first class of these that is a base of a metric has its examples.
FAMILIES: dict[type, Examples] = {
    AveragePopularity: POPULAR,
    Novelty: NEW,
    TailShare: TAIL,
    PopularityLift: RELEVANT_AND_POPULAR,
    Serendipity: RELEVANT_AND_POPULAR,
    IntraListDiversity: DIVERSE,
    AttentionWeightedFairness: ATTENTION,
    ExpectedExposureLoss: EXPOSED,
    CatalogueMetric: CATALOGUES,
    OverlapMetric: OVERLAPS,
    TauMetric: TAUS,
    ClickMetric: CLICKED,
    SubtopicMetric: SUBTOPICS,
    JudgementMetric: JUDGEMENTS,
    BPref: PREFERENCES,
    Binary: BINARY,
    BinaryWholeList: BINARY,
    RankingMetric: GRADED,
}

# Those that most people use for whole lists, though they take a cutoff.
SELDOM_CUT = (
    AUC,
    NRBP,
    RankBiasedPrecision,
    GradedRankBiasedPrecision,
    RBPResidual,
    RankBiasedOverlap,
)


def examples_of(metric: type[RankingMetric]) -> Examples:
    """The examples of the nearest base of the metric that has some."""
    for base in metric.mro():
        if base in FAMILIES:
            return FAMILIES[base]
    raise LookupError(
        f"No base of {metric.__name__} has examples: see FAMILIES"
    )


def usual(metric: type[RankingMetric], k: int | None) -> int | None:
    """The cutoff, or none if the metric is seldom cut, or takes none."""
    is_cut = takes(metric, "k") and metric not in SELDOM_CUT
    return k if is_cut else None


def values_of(
    metric: type[RankingMetric],
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
