"""What comes from other libraries: read as it is meant, or refused by name."""

import re

import keras
import numpy as np
import pytest
from in_forms import values

import keras_rankmetrics as krm

BACKEND = keras.backend.backend()
LABELS = np.float32([[1, 0, 2], [0, 1, 0]])
SCORES = np.float32([[3, 2, 1], [1, 2, 2]])
EXPECTED = values(krm.NDCG(), LABELS, SCORES).tolist()

RELEVANT, RECOMMENDED = [[1, 2], [], [3]], [[1, 5], [2], [4, 3]]
RECALL = krm.RecallAtK(k=2, inputs="ids")
RECALLS = [0.5, 0.0, 1.0]


# Read as it is meant


@pytest.mark.parametrize(
    "dtype", [">f4", ">f8", ">i4", ">i8", "<f4", "uint16", "uint32", "uint64"]
)
def test_dtypes_that_a_backend_may_lack(dtype):
    labels, scores = LABELS.astype(dtype), SCORES.astype(dtype)
    assert values(krm.NDCG(), labels, SCORES) == pytest.approx(EXPECTED)
    if np.dtype(dtype).itemsize < 8 or "u" not in dtype:
        return
    assert values(krm.NDCG(), LABELS, scores) == pytest.approx(EXPECTED)


@pytest.mark.parametrize("dtype", [">i4", ">i8", "uint32", "uint64"])
def test_dtypes_of_ids(dtype):
    relevant, recommended = np.array([[1, 2]], dtype), np.array([[1, 3]], dtype)
    assert values(RECALL, relevant, recommended).tolist() == [0.5]


def columns():
    """Columns of lists, as files of logs are read."""
    yield "pandas", lambda rows: pandas().Series(rows)
    yield (
        "pandas of arrays",
        lambda rows: pandas().Series([np.array(row, int) for row in rows]),
    )
    yield "arrow", lambda rows: pyarrow().array(rows)
    yield "arrow in pandas", arrow_in_pandas
    yield "polars", lambda rows: polars().Series(rows)


def pandas():
    return pytest.importorskip("pandas")


def polars():
    return pytest.importorskip("polars")


def pyarrow():
    return pytest.importorskip("pyarrow")


def torch():
    return pytest.importorskip("torch")


def arrow_in_pandas(rows):
    pd, pa = pandas(), pyarrow()
    dtype = pd.ArrowDtype(pa.list_(pa.int64()))
    return pd.Series(rows, dtype=dtype)


@pytest.mark.parametrize(
    "column", [c for _, c in columns()], ids=dict(columns())
)
def test_columns_of_lists(column):
    found = values(RECALL, column(RELEVANT), column(RECOMMENDED))
    assert found.tolist() == RECALLS


def test_a_layout_that_is_not_of_torch():
    """Newer tracers of jax have one."""

    class Laid(np.ndarray):
        layout = "Layout(major_to_minor=(0, 1))"

    labels = LABELS.view(Laid)
    assert values(krm.NDCG(), labels, SCORES) == pytest.approx(EXPECTED)


def test_ragged_ids_of_uint64():
    ids = [np.array([7, 1], "uint64"), np.array([3], "uint64")]
    metric = krm.MeanReciprocalRank(inputs="ids")
    assert values(metric, ids, [[7, 2], [4, 3]]).tolist() == [1.0, 0.5]


@pytest.mark.long
def test_a_tensor_of_torch_with_a_gradient():
    scores = torch().tensor(SCORES, requires_grad=True)
    assert values(krm.NDCG(), LABELS, scores) == pytest.approx(EXPECTED)


# Refused by name


@pytest.fixture(scope="module")
def metrics():
    made = {"scores": krm.NDCG(k=2), "ids": krm.RecallAtK(k=2, inputs="ids")}
    made["scores"].update_state(LABELS, SCORES)
    made["ids"].update_state(RELEVANT, RECOMMENDED)
    return made


def refused(metric, text, *given):
    before = metric.get_state()
    with pytest.raises(ValueError, match=re.escape(text)):
        metric.update_state(*given)
    np.testing.assert_equal(metric.get_state(), before)


MISSING = "Pass [] for a list without items, and -1 for a missing label or id."


@pytest.mark.parametrize("nothing", [None, float("nan")])
@pytest.mark.parametrize("kind", [list, "pandas"])
def test_rows_that_are_missing(metrics, kind, nothing):
    rows = [[1, 2], nothing, [3]]
    column = rows if kind is list else pandas().Series(rows)
    text = f"`y_true[1]` is {nothing}. {MISSING}"
    refused(metrics["ids"], text, column, RECOMMENDED)
    text = f"`y_pred[1]` is {nothing}. {MISSING}"
    refused(metrics["ids"], text, RELEVANT, column)


def test_a_label_that_is_missing_in_a_ragged_list(metrics):
    text = (
        f"Received: [[1, 0, None], [0, 1]]. `y_true[0][2]` is None. {MISSING}"
    )
    refused(
        metrics["scores"], text, [[1, 0, None], [0, 1]], [[3, 2, 1], [1, 2]]
    )


def test_sets(metrics):
    text = "`y_true[0]` is a set, which has no order. Make it a list: `list("
    refused(metrics["ids"], text, [{1, 2}], [[1, 3]])


def test_rows_that_are_tables(metrics):
    """To TensorFlow, a table of polars is a sequence without end."""
    row = polars().DataFrame({"a": [1, 0], "b": [0, 1]})
    text = "`y_true` should be a tensor of numbers"
    for rows in ([row, row], (row, row)):
        refused(metrics["scores"], text, rows, rows)
    refused(metrics["ids"], "`y_true`", [row, row], RECOMMENDED)


HIDDEN = np.ma.masked_array(LABELS, [[False, True, False], [False] * 3])


@pytest.mark.parametrize("name", ["y_true", "y_pred", "weight", "mask"])
@pytest.mark.parametrize("rows", [False, True])
def test_masked_arrays(metrics, name, rows):
    hidden = list(HIDDEN) if rows else HIDDEN
    given = {
        "y_true": (hidden, SCORES),
        "y_pred": (LABELS, hidden),
        "weight": (LABELS, SCORES, hidden),
        "mask": ({"labels": LABELS, "mask": hidden}, SCORES),
    }[name]
    shown = {"weight": "sample_weight", "mask": 'y_true["mask"]'}.get(
        name, name
    )
    text = (
        f"`{shown}{'[0]' * rows}` is a masked array. Fill the masked "
        "values: labels, indices and ids by `.filled(-1)`"
    )
    refused(metrics["scores"], text, *given)


def test_masked_ids(metrics):
    ids = np.ma.masked_array([[1, 5], [2, 6], [4, 3]], [[0, 0], [0, 1], [0, 0]])
    refused(metrics["ids"], "is a masked array. Fill", RELEVANT, ids)
    refused(metrics["ids"], "is a masked array. Fill", ids, RECOMMENDED)


def test_a_masked_array_that_hides_nothing():
    labels = np.ma.masked_array(LABELS)
    assert values(krm.NDCG(), labels, SCORES) == pytest.approx(EXPECTED)


def test_a_mask_in_place_of_what_is_excluded(metrics):
    y_true = {"labels": LABELS, "exclude": np.array([[1, 0, 0], [0, 1, 1]])}
    text = (
        '`y_true["exclude"]` should hold indices of items. Received: 3 numbers '
        "for each list, all of them 0 or 1, which look like labels or a mask. "
        'To leave items out by a mask, pass it as `y_true["mask"]`, False for '
        "these items."
    )
    refused(metrics["scores"], text, y_true, SCORES)


def test_names_of_items(metrics):
    text = (
        "An index into scores is the position of the item: "
        "`scores.columns.get_indexer(names)`."
    )
    y_true = {"labels": LABELS, "exclude": [["tea"], ["rice"]]}
    refused(metrics["scores"], text, y_true, SCORES)


def test_a_generator(metrics):
    text = "`y_true` is a generator. Make it a list: `list(...)`."
    refused(metrics["ids"], text, (row for row in RELEVANT), RECOMMENDED)


@pytest.mark.parametrize("kind", ["csr_matrix", "csr_array", "coo_array"])
def test_sparse_matrices_of_scipy(metrics, kind):
    sparse = pytest.importorskip("scipy.sparse", reason="scipy is missing")
    text = f"`y_true` is a sparse {kind}. Make it dense: `.toarray()`."
    refused(metrics["scores"], text, getattr(sparse, kind)(LABELS), SCORES)


def test_sparse_tensors_of_torch(metrics):
    labels = torch().tensor(LABELS).to_sparse()
    text = "`y_true` should be a dense tensor, or a `tf.RaggedTensor` on Tens"
    refused(metrics["scores"], text, labels, SCORES)


@pytest.mark.not_on("torch", reason="torch reads its own tensors")
def test_tensors_of_torch_with_a_gradient_in_a_list(metrics):
    row = torch().tensor(SCORES[0], requires_grad=True)
    text = (
        "`y_pred[0]` is a tensor that requires a gradient. Detach it: "
        "`.detach()`."
    )
    refused(metrics["scores"], text, LABELS[:1], [row])


@pytest.mark.parametrize("first", [[], [[1, 0, 0]], [1, 0]], ids=str)
@pytest.mark.parametrize("times", [1, 2])
def test_a_list_that_holds_itself(metrics, first, times):
    labels = [*first]
    labels.extend([labels] * times)
    if first == [1, 0]:
        text = "`y_true` should be a tensor of numbers, or convert to one"
        refused(metrics["scores"], text, labels, SCORES)
        return
    text = "is a list nested too deep. Does it contain itself?"
    refused(metrics["scores"], text, labels, SCORES)
