"""What the pages of the metrics say of packages, beyond the conventions."""

import importlib
import inspect
import json
import pathlib
import re
import shutil

import numpy as np
import pytest
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import conventions

pytestmark = pytest.mark.peers

GOLDEN = pathlib.Path(__file__).with_name("golden")
COMING_FROM = (
    pathlib.Path(__file__).parents[2] / "docs" / "coming_from.md"
).read_text()
LABELS, SCORES = [0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]


def retrieval(name):
    """A function of torchmetrics, of lists as arguments."""
    pytest.importorskip("torchmetrics")
    torch = pytest.importorskip("torch")
    from torchmetrics.functional import retrieval

    def value(scores, labels, **options):
        of_torch = getattr(retrieval, f"retrieval_{name}")
        return float(
            of_torch(torch.tensor(scores), torch.tensor(labels), **options)
        )

    return value


@pytest.mark.parametrize(
    ("name", "drops"),
    [
        ("precision", True),
        ("recall", True),
        ("average_precision", True),
        ("reciprocal_rank", True),
        ("hit_rate", False),
        ("normalized_dcg", False),
        ("fall_out", False),
        ("r_precision", False),
        ("auroc", False),
    ],
)
def test_torchmetrics_takes_scores_of_0_or_less_for_not_retrieved(name, drops):
    of = retrieval(name)
    scores, labels = np.array([-0.1, -1.0, -2.0, -3.0]), [1, 0, 1, 0]
    above_0 = of(list(scores + 4.0), labels)
    assert above_0 > 0.0
    assert of(list(scores), labels) == approx(0.0 if drops else above_0)


def test_torchmetrics_takes_tied_items_in_an_order_of_its_own():
    of, labels = retrieval("precision"), np.eye(4, dtype=int).tolist()
    found = [of([0.5] * 4, row, top_k=1) for row in labels]
    assert sorted(found) == [0.0, 0.0, 0.0, 1.0]


def test_torchmetrics_auc_with_a_cutoff_is_that_of_the_first_items():
    found = retrieval("auroc")(SCORES, LABELS, top_k=3)
    cut = krm.AUC()([LABELS[:3]], [SCORES[:3]])
    assert found == approx(float(cut)) == 0.5
    assert float(krm.AUC(k=3)([LABELS], [SCORES])) != approx(0.5)


def test_scikit_learn_refuses_a_list_of_one_item():
    metrics = pytest.importorskip("sklearn.metrics")
    with pytest.raises(ValueError, match="more than 1 document"):
        metrics.ndcg_score([[1]], [[0.5]])


def test_negative_labels_are_no_padding_in_other_packages():
    """Here their items are left out, so that the others are in order."""
    metrics = pytest.importorskip("sklearn.metrics")
    labels, scores = np.array([[-1, 1, 1, -1, 1]]), [[5.0, 4.0, 3.0, 2.0, 1.0]]
    assert float(krm.NDCG()(labels, scores)) == 1.0
    with pytest.raises(ValueError, match="negative"):
        metrics.ndcg_score(labels, scores)
    binary = [np.maximum(labels[0], 0)]
    auc = metrics.roc_auc_score(labels[0], scores[0])
    assert auc == approx(float(krm.AUC()(binary, scores)))
    lrap = metrics.label_ranking_average_precision_score
    assert lrap(labels, scores) == 1.0
    with pytest.raises(ValueError, match="binary"):
        retrieval("auroc")(scores[0], labels[0])
    assert 0 < retrieval("normalized_dcg")(scores[0], labels[0]) < 0.1


def test_scikit_learn_takes_the_last_of_tied_items():
    metrics = pytest.importorskip("sklearn.metrics")
    labels, constant = [[1, 0, 0]], [[0.5] * 3]
    of_lists = metrics.label_ranking_average_precision_score
    worst = krm.MeanAveragePrecision(ties="pessimistic")(labels, constant)
    assert of_lists(labels, constant) == approx(float(worst))


@pytest.fixture
def pyndeval():
    """A measure of ir_measures, of a list of items with these names."""
    there = pytest.importorskip("ir_measures")
    if not there.providers.registry["pyndeval"].is_available():
        pytest.skip("pyndeval is not installed")

    def value(measure, names):
        qrels = [
            there.Qrel("1", names[item], int(label), str(subtopic))
            for (item, subtopic), label in np.ndenumerate(OF_SUBTOPICS)
        ]
        run = [
            there.ScoredDoc("1", name, score)
            for name, score in zip(names, SCORES_OF_THREE, strict=True)
        ]
        asked = there.parse_measure(measure)
        (found,) = there.iter_calc([asked], qrels, run)
        return found.value

    return value


# Items that are relevant to two of four subtopics; the last comes second.
OF_SUBTOPICS = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]]
SCORES_OF_THREE = [1.0, 3.0, 2.0]


def test_the_greedy_order_of_pyndeval_depends_on_names(pyndeval):
    ours = float(krm.AlphaNDCG(k=2)([OF_SUBTOPICS], [SCORES_OF_THREE]))
    assert pyndeval("alpha_nDCG@2", "zyx") == approx(ours)
    assert pyndeval("alpha_nDCG@2", "xyz") == approx(1.0)
    assert ours > 1.1


@pytest.mark.parametrize("k", [1, 2, 3])
def test_what_pyndeval_divides_by(pyndeval, k):
    given, ranks = ([OF_SUBTOPICS], [SCORES_OF_THREE]), np.arange(1, k + 1)
    number = 1 if k == 1 else 4  # which it forgets at the first rank
    best = np.sum(0.5 ** (ranks - 1) / np.log2(ranks + 1))
    expected = float(krm.AlphaDCG(k=k)(*given)) / best / number
    assert pyndeval(f"alpha_DCG@{k}", "xyz") == approx(expected)
    best = np.sum(0.5**ranks / ranks)
    expected = float(krm.ERRIA(k=k)(*given)) / best * 4 / number
    assert pyndeval(f"ERR_IA@{k}", "xyz") == approx(expected)


def test_pytrec_eval_orders_tied_items_by_their_names():
    pytrec_eval = pytest.importorskip("pytrec_eval")

    def of(relevant):
        evaluator = pytrec_eval.RelevanceEvaluator(
            {"q": {relevant: 1}}, {"recip_rank"}
        )
        return evaluator.evaluate({"q": {"a": 0.5, "z": 0.5}})["q"]

    assert of("a") == {"recip_rank": 0.5}
    assert of("z") == {"recip_rank": 1.0}


def test_the_highest_grade_of_gdeval_is_4():
    ir_measures = pytest.importorskip("ir_measures")
    if not shutil.which("perl"):
        pytest.skip("gdeval.pl needs perl")
    grades = [0, 1, 2, 1, 0]
    qrels = [ir_measures.Qrel("1", str(i), g) for i, g in enumerate(grades)]
    run = [ir_measures.ScoredDoc("1", str(i), 5.0 - i) for i in range(5)]
    (found,) = ir_measures.iter_calc([ir_measures.ERR @ 10], qrels, run)
    value = krm.ERR(k=10)([grades], [[5, 4, 3, 2, 1]])
    assert found.value == approx(float(value), abs=5e-6)  # it has five digits


def test_rax_takes_tied_pairs_for_wrong():
    rax = pytest.importorskip("rax")
    constant, labels = np.zeros(3, "float32"), np.float32([2, 1, 0])
    assert float(rax.opa_metric(constant, labels)) == 0.0
    assert float(krm.OrderedPairAccuracy()([labels], [constant])) == 0.5


@pytest.fixture
def rectools():
    """RecTools' metrics, of one user to whom ids are recommended in order."""
    metrics = pytest.importorskip("rectools.metrics")
    pandas = pytest.importorskip("pandas")
    recommended = pandas.DataFrame(
        {"user_id": 1, "item_id": range(5), "rank": range(1, 6)}
    )
    relevant = pandas.DataFrame(
        {"user_id": 1, "item_id": np.flatnonzero(LABELS)}
    )
    return lambda name, **options: getattr(metrics, name)(**options).calc(
        recommended, relevant
    )


def test_rectools_takes_k_items_to_be_relevant(rectools):
    dcg = float(krm.DCG(k=10)([LABELS], [SCORES]))
    of_ten = sum(1 / np.log2(np.arange(2, 12)))
    assert rectools("NDCG", k=10) == approx(dcg / of_ten)
    achievable = rectools("NDCG", k=10, divide_by_achievable=True)
    assert achievable == approx(float(krm.NDCG(k=10)([LABELS], [SCORES])))


@pytest.mark.parametrize("k", [2, 10])
def test_rectools_average_precision_divided_by_k(rectools, k):
    value = float(krm.MeanAveragePrecision(k=k)([LABELS], [SCORES]))
    assert rectools("MAP", k=k, divide_by_k=True) == approx(value * 3 / k)


# The names in the left columns of `coming_from.md`, and the peers' own.


def left_column(section):
    """The code in the left column of the tables of a section."""
    [text] = re.findall(
        rf"^##+ {re.escape(section)}$(.*?)(?=^##|\Z)", COMING_FROM, re.M | re.S
    )
    cells = re.findall(r"^\| (.*?) \| ", text, re.M)
    return [name for cell in cells for name in re.findall("`(.+?)`", cell)]


def first_word(name):
    return re.match(r"\w*", name)[0]


def parameters(functions):
    return {p for f in functions for p in inspect.signature(f).parameters}


def of_ranx(there):
    metrics = importlib.import_module("ranx.metrics")
    parse = inspect.getmodule(there.evaluate)
    known = parameters([there.evaluate]) | set(dir(metrics))

    def knows(name):
        if not name.startswith('"'):
            return first_word(name) in known
        metric, _, _ = parse.extract_metric_and_params(name.strip('"'))
        metrics.metric_switch(metric)  # it raises an error
        return True

    return knows


def of_torchmetrics(there):
    classes = {n: c for n, c in vars(there).items() if isinstance(c, type)}
    known = {*classes, *parameters(classes.values())}
    actions = ("pos", "skip")  # after the parameter that takes them
    for action in actions:
        there.RetrievalMAP(empty_target_action=action)
    return lambda name: first_word(name.strip('"')) in {*known, *actions}


def of_trec_eval(there):
    """Of version 10, what it prints is stored; pytrec_eval is version 9."""
    stored = pathlib.Path(__file__).parents[1] / "files/data/trec_eval.txt"
    lines = stored.read_text().splitlines()
    of_10 = {re.sub(r"_\d+$", "", line.split()[0]) for line in lines}

    def knows(name):
        # The options are those of the program.
        option = re.fullmatch("-[Jclq]( 2)?", name)
        name = re.sub("^(-l 2 )?-m ", "", name).split(".")[0]
        return option or name in {*there.supported_measures, *of_10}

    return knows


def of_ir_measures(there):
    options = {"cutoff", "@", "rel", "judged_only", "gains"}

    def knows(name):
        name = name.split("@")[0].split("(")[0].split("=")[0] or "@"
        return name in options or there.parse_measure(name)

    return knows


def of_pykeen(there):
    keys = {metric().key for metric in there.rank_based_metric_resolver}
    return lambda name: name in keys


def has_attribute(there):
    return lambda name: hasattr(there, first_word(name))


@pytest.mark.parametrize(
    ("section", "module", "asked", "at_least"),
    [
        ("ranx", "ranx", of_ranx, 8),
        ("torchmetrics", "torchmetrics.retrieval", of_torchmetrics, 10),
        ("trec_eval, pytrec_eval", "pytrec_eval", of_trec_eval, 19),
        ("ir_measures", "ir_measures", of_ir_measures, 50),
        ("RecTools", "rectools.metrics", has_attribute, 7),
        ("PyKEEN", "pykeen.metrics.ranking", of_pykeen, 6),
    ],
)
def test_the_names_that_users_come_with(section, module, asked, at_least):
    knows = asked(pytest.importorskip(module))
    names = left_column(section)
    assert len(names) >= at_least
    assert [name for name in names if not knows(name)] == []


def test_the_names_of_packages_that_are_not_installed():
    """By the numbers that they gave."""

    def measured(peer):
        found = json.loads((GOLDEN / f"{peer}.json").read_text())
        return {re.split("[@(]", name)[0] for name in found}

    for name in left_column("Microsoft Recommenders"):
        is_option = name.startswith("item_sim_measure")
        refused = conventions.recommenders.without
        assert is_option or name in measured("recommenders") | set(refused)
    found = 0
    for peer in ("RecBole", "RePlay", "LensKit"):
        for name in left_column(peer):
            assert first_word(name) in measured(peer.lower()), (peer, name)
            found += 1
    assert found >= 24


def test_the_names_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    [text] = re.findall("^## scikit-learn$(.*?)^## ", COMING_FROM, re.M | re.S)
    names = set(re.findall(r"`(\w+_(?:score|loss))\b", text))
    assert len(names) == 5
    assert [name for name in names if not hasattr(metrics, name)] == []
