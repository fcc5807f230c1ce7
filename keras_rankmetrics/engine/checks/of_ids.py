"""Ids that have lost what they were: digits, a value, or one spelling."""

from __future__ import annotations

import contextlib
import itertools
import re
import unicodedata
import urllib.parse
from collections.abc import Iterable

import numpy as np

from keras_rankmetrics.engine.checks.evidence import parted
from keras_rankmetrics.engine.messages import as_text

# A number in scientific notation. Without a sign, it may be hexadecimal.
_CUT = re.compile(r"\d([.,]\d+)?[Ee]\+\d+|\d[.,]\d+[Ee]\d+")
_MARKS = "\"'/?.;\u2018\u2019\u201c\u201d"
# An id as `str` shows it in a tuple, a tensor, or a list of NumPy scalars.
CONTAINER = re.compile(
    r"^(?:np\.\w+|tensor)\((['\"]?)(.*)\1\)$|^\((['\"]?)(.*)\3,\)$"
)
WITHOUT = r"\2\4"
# What a URL may lack: its scheme, `www.`, and slashes that say nothing.
OF_URL = re.compile(r"^(?:https?://)?(?:www\.)?|(?<=[^:/])/+(?=/|$)")
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
_UUID, _DASHES = 36, 4  # characters of one, and dashes among these
_DECIMAL = re.compile(r"\d+,\d+")
_WHOLE_FLOAT = re.compile(r"(\d+)\.0+")
_UNSEEN = " \t\r\n\v\f\xa0\u200b\ufeff"  # at the ends of texts
COMPARED = 20_000  # ids, of which most data need no more
_FOLDED = 5000  # of these, those compared without case and the like
# Names of the columns of ids, which no query has whose first item has one, too.
_OF_QUERIES = {"qid", "queryid", "topicid", "userid", "uid", "sessionid"}
_OF_ITEMS = {"docid", "docno", "did", "pid", "passageid", "corpusid", "itemid"}
_BETWEEN_WORDS = re.compile("[-_ ]")
MISSING = "None", "nan", "<NA>", "NaT"  # missing ids as text
_LOWEST = -(2**31), -(2**63)  # NaN as an integer
_AS_TEXT = [
    *(*MISSING, "NaN", "NULL", "null", "N/A", "#N/A", "\\N", "(null)"),
    *("undefined", " ", "-1", "[PAD]", "<pad>", "NONE", "Null", "NA", "n/a"),
    *("PAD", "<PAD>", "[UNK]", "<unk>", "<UNK>", "-nan", "#REF!"),
    *map(str, _LOWEST),
]
_COUNTRY, _NAMIBIA = re.compile("[A-Z]{2}"), "NA"
_SETS = 100  # lists whose ids may have the order of a set
_LONG = 8  # ids that have this order by no accident
_NEVER = np.log(1e6)  # an accident less likely than one in a million
_SURE = 4  # standard errors of a number of ids that match
_FEW = 3  # ids that match by no accident
_FIRST, _PAIRS = 300, 10**7  # ids of a list, and pairs, that are compared
_NEAR = 2  # the steps that are tried first, on both sides
_CODES = 5  # of queries, with that of a missing one
_MANY = 0.05  # of ids; as many that are alike are no accident
_SOME = 0.25  # of judged ids, which candidates in no order may be
_LEAST = 16  # ids that float32 has rounded
_EXACT = 2**24  # up to which float32 has all integers
_COMMON = 2  # the step of ids of two servers
_RUNS, _LONG_RUN = 8, 3  # that count rows, and rows of these
_LENGTHS = 4  # of these runs, where a table of hours has two
_LOW = 0.4  # of judged ids that are above all others: half, or a bit less
_PARTED, _DISTINCT = 20, 100  # lists and ids that are below by no accident
_OFF = 0.15  # how far the median of random ids is off, of their range
FEW_FOUND = 5  # lists or more for each relevant item that is in its own
_ROWS, _QUERIES = 200_000, 300  # in which those of others are searched
_WINDOW = 5  # ranks of lists of what came before
_DEPTHS = 1, _WINDOW, np.inf  # of lists
_ONE = 0.37  # 1 / e, the most likely share of items in one list exactly
_SIGMAS, _MOSTLY = 4.5, 0.55  # standard errors above it, and share at least
_APART, _FEW_OWN = 0.8, 0.1  # shares of lists of one, and of own ones
_RANKED = 4  # items of a list whose ids are their ranks by no accident


def without_digits(*columns: np.ndarray) -> str | None:
    """Return an id that a spreadsheet has rounded, as text, or None.

    Numbers with a comma are others if all ids of a column are like this.
    """
    for column in columns:
        if column.dtype.kind not in "US":
            continue
        some = [as_text(x) for x in column[:1000].tolist()]
        cut = next(filter(_CUT.fullmatch, some), None)
        if cut is None and all(map(_DECIMAL.fullmatch, some)):
            cut = next(iter(some), None)
        if cut is not None:
            return str(cut)
    return None


def two_spellings(ids: np.ndarray) -> tuple[str, str] | None:
    """Return two ids that may be one, or None.

    They differ by blanks at the ends, or are 1 and 1.0; or, if many ids do, by
    case, leading zeros, quotes, marks at the ends, blanks, `_` and `-`, Unicode
    form, the dashes of a UUID, the scheme, slashes or encoding of a URL, or the
    container in which Python has shown an id.

    Args:
        ids: ids, of which the first ones are compared.
    """
    if ids.dtype.kind not in "US":
        return None
    known = dict[str, str]()
    for text in map(as_text, dict.fromkeys(ids[:COMPARED].tolist())):
        plain = text.strip(_UNSEEN)
        whole = _WHOLE_FLOAT.fullmatch(plain)
        plain = whole[1] if whole else plain
        one = known.setdefault(plain, text)
        if one != text:
            return one, text
    folded, alike = dict[str, str](), list[tuple[str, str]]()
    for plain, text in itertools.islice(known.items(), _FOLDED):
        other = folded.setdefault(_folded(plain), text)
        if other != text:
            alike.append((other, text))
    are_many = len(alike) > max(2, _MANY * min(len(known), _FOLDED))
    return alike[0] if are_many else None


def _folded(text: str) -> str:
    """Return what ids share that differ by case, zeros, quotes and the like."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if "%" in text:
        text = urllib.parse.unquote(text)
    text = (
        CONTAINER.sub(WITHOUT, text).casefold().replace("_", "-").strip(_MARKS)
    )
    if "  " in text:
        text = " ".join(text.split())
    if "/" in text:
        text = OF_URL.sub("", text)
    if len(text) == _UUID and text.count("-") == _DASHES:
        text = text.replace("-", "")
    return _ZEROS.sub("", text) if "0" in text else text


def missing_id(*columns: np.ndarray) -> str | None:
    """Return an id that stands for none or for padding, in words, or None.

    Of queries and items, so does a first row that names the columns.
    """
    if len(columns) > 1 and all(
        len(x) > 1 and x.dtype.kind in "US" for x in columns
    ):
        first = [as_text(x[0].item()) for x in columns[:2]]
        query, item = (_BETWEEN_WORDS.sub("", x.casefold()) for x in first)
        if query in _OF_QUERIES and item in _OF_ITEMS:
            return f"the header {first[0]!r}, {first[1]!r} as a row"
    for column in columns:
        if column.dtype.kind == "i" and column.min(initial=0) in _LOWEST:
            return f"{column.min()}, as NaN becomes in integers"
        if column.dtype.kind in "US":
            texts = np.array(_AS_TEXT).astype(column.dtype.kind)
            for found in column[np.isin(column, texts)][:1].tolist():
                text = as_text(found)
                if text != _NAMIBIA or not _are_countries(column):
                    return f"the text {text!r}"
    return None


def _are_countries(ids: np.ndarray) -> bool:
    """Return True for ids of two capitals, which may be codes of countries."""
    some = {as_text(x) for x in ids[:COMPARED].tolist()}
    return len(some) > 1 and all(map(_COUNTRY.fullmatch, some))


def missing_code(queries: np.ndarray) -> str | None:
    """Return the code of missing queries, in words, if one has it.

    The others have the codes 0, 1, 2, ..., four of them at least.
    """
    if queries.dtype.kind != "i" or queries.min(initial=0) != -1:
        return None
    if not _CODES <= len(np.unique(queries)) == queries.max() + 2:
        return None
    return "the query -1, the code that pandas gives to a missing value"


def integers_in(ids: np.ndarray) -> np.ndarray:
    """Return the first ids as integers; none if some are other text."""
    if ids.dtype.kind in "iuUS":
        with contextlib.suppress(ValueError, OverflowError):
            return ids[:COMPARED].astype(np.int64)
    return np.zeros(0, np.int64)


def in_steps_of_float32(*columns: np.ndarray) -> tuple[int, int] | None:
    """Return two ids next to each other that float32 has rounded, or None.

    All ids of a column are multiples of the step of float32 there, and most
    differ by one step. Steps of 10 or 3600 are no powers of two.
    """
    for column in columns:
        if len(column) < _LEAST:
            continue
        ids = integers_in(column)
        if ids.min(initial=_EXACT + 1) <= _EXACT:
            continue
        ids = np.unique(ids)
        steps = np.spacing(ids.astype(np.float32)).astype(np.int64)
        are_next = np.diff(ids) == steps[:-1]
        are_most = len(ids) >= _LEAST and 2 * are_next.sum() >= len(are_next)
        if are_most and steps[0] > _COMMON and (ids % steps == 0).all():
            one, other, *_ = ids[np.argmax(are_next) :].tolist()
            return one, other
    return None


def counted_runs(query: np.ndarray) -> tuple[int, int] | None:
    """Return from where ids count the rows of runs, and the number of these.

    None for other ids. Runs of one length are those of items in order; and of
    lengths 1, 2, 3, ... those of pairs, of which one half is left.

    Args:
        query: `[rows]`, in the order in which they come.
    """
    first = integers_in(query[:1])
    if not np.isin(first, (0, 1)).any():
        return None
    ids = integers_in(query)
    is_start = ids == first
    lengths = np.diff(np.flatnonzero(is_start))
    are_long = lengths >= _LONG_RUN
    have_several = len(np.unique(lengths)) >= _LENGTHS
    changes = np.diff(lengths)
    are_triangle = (changes == 1).all() or (changes == -1).all()
    if are_long.sum() < _RUNS or not have_several or are_triangle:
        return None
    are_counted = is_start[1:] | (np.diff(ids) == 1)
    return (int(first[0]), int(is_start.sum())) if are_counted.all() else None


def are_ranks(
    lists: np.ndarray, ids: np.ndarray, scores: np.ndarray, others: np.ndarray
) -> bool:
    """Return True if the ids of each list are 0, 1, 2, ..., or from 1 on.

    Fewer judged ids are as low if these are in the order of scores. Lists of
    popular items have one order, and one score for each of these.

    Args:
        lists: `[items]`, the number of the list of each item.
        ids: `[items]`, integers as the others.
        scores: `[items]`.
        others: `[judged]`, those of judged items.
    """
    lowest, highest = ids.min(), ids.max()
    if lowest not in (0, 1) or highest > len(ids):
        return False
    if len(ids) == COMPARED:  # the last list may go on
        are_whole = lists != lists[-1]
        lists, ids, scores = (x[are_whole] for x in (lists, ids, scores))
    by_id = np.lexsort((ids, lists))
    starts, lengths, places = parted(lists[by_id])
    are_many = (lengths >= _RANKED).sum() >= _LONG
    if not are_many or (ids[by_id] != places + lowest).any():
        return False
    by_score = np.lexsort((-scores, lists))
    ordered, best = ids[by_score], scores[by_score[starts]]
    sums = np.add.reduceat(ordered * (places + 1), starts)
    most = _MANY if (ordered == places + lowest).all() else _SOME
    numbers = [len(np.unique(x)) for x in (sums, best)]
    do_differ = 2 * max(numbers) > len(starts)
    return do_differ and bool((others <= highest).mean() <= most)


def are_rows(
    lists: np.ndarray,
    ids: np.ndarray,
    judged_lists: np.ndarray,
    others: np.ndarray,
) -> bool:
    """Return True if ids of both sides number their rows, of other queries.

    Args:
        lists: `[items]`, the number of the list of each item.
        ids: `[items]`, integers as the others.
        judged_lists: `[judged]`, the number of the list of each judged item.
        others: `[judged]`, their ids.
    """
    for of_side, x in ((lists, ids), (judged_lists, others)):
        if x[0] not in (0, 1) or (np.diff(x) != 1).any():
            return False
        if len(np.unique(of_side)) < _LONG:  # may be of all items in order
            return False
    number = min(len(ids), len(others))
    return 2 * int((lists[:number] == judged_lists[:number]).sum()) < number


def below(
    lists: np.ndarray,
    ids: np.ndarray,
    judged_lists: np.ndarray,
    others: np.ndarray,
) -> tuple[int, float] | None:
    """Return the highest id, and the share of judged ids above it, if high.

    Ids are spread up to the highest one, as those of popular items are not.

    Args:
        lists: `[items]`, as all columns those of `are_rows`.
        ids: `[items]`.
        judged_lists: `[judged]`.
        others: `[judged]`.
    """
    highest = int(ids.max())
    share = float((others > highest).mean())
    if share < _LOW or ids.min() < 0 or len(np.unique(lists)) < _PARTED:
        return None
    of_lists = others[np.isin(judged_lists, lists)]
    share = float((of_lists > highest).mean()) if len(of_lists) else 0.0
    distinct, number = len(np.unique(ids)), highest + 1
    expected = -number * np.expm1(-len(ids) / number)  # of random ids
    are_spread = abs(float(np.median(ids)) / number - 0.5) < _OFF
    are_many = distinct >= max(_DISTINCT, expected / 2)
    is_low = share >= _LOW and are_spread and are_many
    return (highest, share) if is_low else None


def of_other_lists(
    lists: np.ndarray,
    items: np.ndarray,
    scores: np.ndarray,
    relevant_lists: np.ndarray,
    relevant: np.ndarray,
) -> tuple[int, int] | None:
    """Return how many queries have their relevant items in one other list.

    Then, the number of queries. None if they are no more than by chance: of
    items that are in each list with one small probability, 37% at most are in
    one list exactly. Lists of what came before have each item in turn.

    Args:
        lists: `[items]`, the number of the list of each item.
        items: `[items]`, their ids.
        scores: `[items]`.
        relevant_lists: `[relevant]`, the number of the list of each relevant
            item.
        relevant: `[relevant]`, their ids.
    """
    some = np.unique(lists[:_ROWS])[:_QUERIES]
    are_some = np.isin(relevant_lists, some)
    wanted, first, counts = np.unique(
        relevant[are_some], return_index=True, return_counts=True
    )
    are_own = counts == 1  # of one query
    wanted, owners = wanted[are_own], relevant_lists[are_some][first[are_own]]
    queries = len(np.unique(owners))
    if queries < _PARTED:
        return None
    order = np.lexsort((-scores[:_ROWS], lists[:_ROWS]))
    lists, items = lists[order], items[order]
    _, _, ranks = parted(lists)
    at = np.flatnonzero(np.isin(items, wanted))
    pairs = np.stack(
        [owners[np.searchsorted(wanted, items[at])], lists[at]], axis=1
    )
    recent = np.unique(pairs[ranks[at] < _WINDOW], axis=0)[:, 0]
    times = np.unique(recent, return_counts=True)[1]
    if (times == _WINDOW).sum() > _APART * len(times):
        return None
    least = max(
        _ONE * queries + _SIGMAS * (_ONE * (1 - _ONE) * queries) ** 0.5,
        _MOSTLY * queries,
    )
    for depth in _DEPTHS:
        of_depth = np.unique(pairs[ranks[at] < depth], axis=0)
        owner, index, numbers = np.unique(
            of_depth[:, 0], return_index=True, return_counts=True
        )
        alone = of_depth[index[numbers == 1], 1]
        are_elsewhere = alone != owner[numbers == 1]
        found, of_lists = int(are_elsewhere.sum()), np.unique(alone)
        own = int((of_depth[:, 0] == of_depth[:, 1]).sum())
        are_apart = len(of_lists) >= _APART * len(alone)
        if found >= least and are_apart and own <= found * _FEW_OWN:
            return found, queries
    return None


def lists_of_sets(items: np.ndarray, starts: np.ndarray) -> int:
    """Return how many lists have the order of a Python set of their ids.

    Args:
        items: the ids, list by list.
        starts: the first item of each list, and the end. The first lists of
            eight items or more are looked at.
    """
    bounds = zip(starts[:_SETS].tolist(), starts[1:].tolist(), strict=False)
    found = [items[a:b].tolist() for a, b in bounds if b - a >= _LONG]
    return sum(x != sorted(x) and list(set(x)) == x for x in found)


def shift_of(
    ones: Iterable[np.ndarray], others: Iterable[np.ndarray]
) -> tuple[int, int, bool]:
    """Return what most ids of one side differ by from ids of the other.

    Args:
        ones: the ids of each list, integers.
        others: the same on the other side.

    Returns:
        What to add to the others, other than 0; how many ids match then; and
        True if they are more than by chance: some ids match after any step, of
        the near ones or of all.
    """
    sides = [
        (np.unique(one), np.unique(other))
        for one, other in zip(ones, others, strict=True)
    ]
    near = np.arange(-_NEAR, _NEAR + 1)
    counts = np.zeros(len(near), np.int64)
    for one, other in sides:
        counts += np.isin(other + near[:, None], one).sum(axis=1)
    found = _most_common(near, counts)
    if found[2]:
        return found
    some = sides[: max(1, _PAIRS // _FIRST**2)]
    differences = [
        np.subtract.outer(one[:_FIRST], other[:_FIRST]).ravel()
        for one, other in some
    ]
    steps, numbers = np.unique(
        np.concatenate([np.zeros(0, np.int64), *differences]),
        return_counts=True,
    )
    far = _most_common(steps, numbers)
    return far if far[2] else found


def _most_common(
    steps: np.ndarray, counts: np.ndarray
) -> tuple[int, int, bool]:
    """Return the step with the most matches, as `shift_of` does.

    Args:
        steps: what is added.
        counts: how many ids match then.
    """
    if not counts.any():
        return 0, 0, False
    best = int(np.argmax(counts))
    if steps[best] == 0:
        return 0, 0, False
    number = int(counts[best])
    chance = int(np.delete(counts, best).max(initial=0))
    least = max(_FEW, 2 * chance + _SURE * (1 + chance) ** 0.5)
    return int(steps[best]), number, number >= least


def question_of(step: int) -> str:
    """Return a question about ids that would match with a step between them."""
    if abs(step) == 1:
        return "Are ids numbered from 0 on one side, and from 1 on the other?"
    return f"Are ids {abs(step)} higher on one side?"


def sizes_as_ids(
    queries: np.ndarray, lengths: np.ndarray
) -> tuple[int, int] | None:
    """Return a query and its number of rows if queries are numbers of rows.

    Boosting libraries take these in place of ids. Lists of one size are one
    query then, so that its rows are a multiple of it.

    Args:
        queries: `[lists]`.
        lengths: `[lists]`.
    """
    if queries.dtype.kind not in "iu" or len(queries) < _CODES:
        return None
    if queries.min() < 1 or len(np.unique(lengths)) < _CODES:
        return None
    is_likely = np.log(queries).sum() < _NEVER
    if is_likely or (lengths % queries != 0).any():
        return None
    return int(queries[0]), int(lengths[0])
