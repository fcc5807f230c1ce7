"""The objects of other tools, as `evaluate` and `compare` take them.

Each test makes the objects with the tool itself, and passes them without a
conversion. The numbers are those of the tool, or of pytrec_eval where the tool
has none.
"""

import json
import warnings

import numpy as np
import pytest
from embeddings import FixedEmbeddings, unrounded
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics.conventions import trec_eval
from tests.tools.reported.established import mteb_evaluator

pytestmark = pytest.mark.peers

QUERIES = [f"q{i}" for i in range(12)]
ITEMS = [f"d{i}" for i in range(40)]
MEASURES = "ndcg_cut_10 recall_10 recip_rank map P_5"
_random = np.random.default_rng(0)
USERS = _random.normal(size=(len(QUERIES), 8)).astype("float32")
VECTORS = _random.normal(size=(len(ITEMS), 8)).astype("float32")
QRELS = {
    query: {
        str(item): int(_random.integers(3))
        for item in _random.choice(ITEMS, 6, replace=False)
    }
    for query in QUERIES
}
RELEVANT = {
    query: {item for item, grade in grades.items() if grade}
    for query, grades in QRELS.items()
}
RUN = {
    query: {
        str(item): float(_random.normal())
        for item in _random.choice(ITEMS, 10, replace=False)
    }
    for query in QUERIES
}
NAMES = {"query_ids": QUERIES, "item_ids": ITEMS}


def by_pytrec_eval(qrels, run):
    """Return the means of trec_eval over all queries of the truth."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    measures = {"ndcg_cut.10", "recall.10", "recip_rank", "map", "P.5"}
    qrels = {
        q: dict.fromkeys(grades, 1) if isinstance(grades, set) else grades
        for q, grades in qrels.items()
    }
    values = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    return {
        name: np.mean([values[q][name] if q in values else 0 for q in qrels])
        for name in MEASURES.split()
    }


def squared_distances():
    return ((USERS[:, None] - VECTORS) ** 2).sum(-1)


def run_of(scores, k=10):
    """Return the run of the k best items by scores `[queries, items]`."""
    best = np.argsort(-scores, axis=1)[:, :k]
    return {
        query: {ITEMS[i]: float(row[i]) for i in of_query}
        for query, row, of_query in zip(QUERIES, scores, best, strict=True)
    }


def check(found, expected):
    assert expected
    assert dict(found) == approx(expected, rel=0, abs=1e-6)


# Indices of vectors.


@pytest.mark.parametrize("k", [10, 60])  # 60 pads with -1
@pytest.mark.parametrize("higher_is_better", [True, False])
def test_faiss(k, higher_is_better):
    faiss = pytest.importorskip("faiss")
    kind = faiss.IndexFlatIP if higher_is_better else faiss.IndexFlatL2
    index = kind(VECTORS.shape[1])
    index.add(VECTORS)
    assert (index.search(USERS, k)[1] == -1).any() == (k > len(ITEMS))
    found = krm.evaluate(
        QRELS,
        index.search(USERS, k),
        MEASURES,
        convention="trec_eval",
        higher_is_better=higher_is_better,
        **NAMES,
    )
    scores = USERS @ VECTORS.T if higher_is_better else -squared_distances()
    check(found, by_pytrec_eval(QRELS, run_of(scores, k)))


def test_faiss_with_ids_of_its_own():
    """`IndexIDMap` returns the ids that the judgements have."""
    faiss = pytest.importorskip("faiss")
    index = faiss.IndexIDMap(faiss.IndexFlatIP(VECTORS.shape[1]))
    index.add_with_ids(VECTORS, 1000 + np.arange(len(ITEMS)))
    number = {item: 1000 + i for i, item in enumerate(ITEMS)}
    truth = [{number[item] for item in RELEVANT[query]} for query in QUERIES]
    found = krm.evaluate(
        truth, index.search(USERS, 10), MEASURES, convention="trec_eval"
    )
    check(found, by_pytrec_eval(RELEVANT, run_of(USERS @ VECTORS.T)))


def test_hnswlib():
    """Like ScaNN, it returns the numbers of items before their distances."""
    hnswlib = pytest.importorskip("hnswlib")
    index = hnswlib.Index("l2", VECTORS.shape[1])
    index.init_index(len(ITEMS), random_seed=0)
    index.add_items(VECTORS)
    index.set_ef(len(ITEMS))
    found = krm.evaluate(
        QRELS,
        index.knn_query(USERS, k=10),
        MEASURES,
        convention="trec_eval",
        higher_is_better=False,
        **NAMES,
    )
    check(found, by_pytrec_eval(QRELS, run_of(-squared_distances())))


def test_annoy():
    """It returns a pair of lists for each query."""
    annoy = pytest.importorskip("annoy")
    index = annoy.AnnoyIndex(VECTORS.shape[1], "euclidean")
    for i, vector in enumerate(VECTORS):
        index.add_item(i, vector)
    index.build(20)
    pairs = [
        index.get_nns_by_vector(x, 10, len(ITEMS) * 20, include_distances=True)
        for x in USERS
    ]
    found = krm.evaluate(
        QRELS,
        pairs,
        MEASURES,
        convention="trec_eval",
        higher_is_better=False,
        **NAMES,
    )
    check(found, by_pytrec_eval(QRELS, run_of(-squared_distances())))


# Sentence Transformers, BEIR and MTEB.


def test_sentence_transformers():
    """The hits of `semantic_search`, the judgements of the evaluator."""
    torch = pytest.importorskip("torch")
    util = pytest.importorskip("sentence_transformers.util")
    evaluation = pytest.importorskip(
        "sentence_transformers.sentence_transformer.evaluation"
    )
    evaluator = evaluation.InformationRetrievalEvaluator(
        {query: str(i) for i, query in enumerate(QUERIES)},
        {item: str(i + len(QUERIES)) for i, item in enumerate(ITEMS)},
        RELEVANT,
        precision_recall_at_k=[1, 10],
        write_csv=False,
    )
    embeddings = torch.tensor(np.concatenate([USERS, VECTORS]))
    theirs = evaluator(FixedEmbeddings(embeddings, "cosine", util.cos_sim))
    hits = util.semantic_search(embeddings[:12], embeddings[12:], top_k=100)
    found = krm.evaluate(
        evaluator.relevant_docs,
        hits,
        " ".join(theirs),
        convention="sentence_transformers",
        query_ids=evaluator.queries_ids,
        item_ids=evaluator.corpus_ids,
    )
    assert {"cosine_ndcg@10", "cosine_recall@10", "cosine_map@100"} <= {*theirs}
    check(found, theirs)


def test_a_folder_of_beir(tmp_path, monkeypatch):
    """The queries are items of the corpus, and retrieve themselves."""
    evaluation = pytest.importorskip("beir.retrieval.evaluation")
    loading = pytest.importorskip("beir.datasets.data_loader")
    unrounded(monkeypatch, evaluation)
    (tmp_path / "qrels").mkdir()
    rows = [
        f"{query}\t{item}\t{grade}"
        for query, grades in QRELS.items()
        for item, grade in grades.items()
    ]
    header = "query-id\tcorpus-id\tscore"
    (tmp_path / "qrels" / "test.tsv").write_text("\n".join([header, *rows, ""]))
    for name, ids in (("corpus", ITEMS + QUERIES), ("queries", QUERIES)):
        lines = [json.dumps({"_id": i, "title": "", "text": i}) for i in ids]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    results = {q: {q: 9.0, **scores} for q, scores in RUN.items()}
    (tmp_path / "results.json").write_text(json.dumps(results))
    _, _, qrels = loading.GenericDataLoader(str(tmp_path)).load("test")
    scores = evaluation.EvaluateRetrieval.evaluate(qrels, results, [1, 10])
    theirs = {name: value for each in scores for name, value in each.items()}
    # Paths, and the objects in memory.
    for truth, run in (
        (tmp_path, tmp_path / "results.json"),
        (qrels, {q: {q: 9.0, **scores} for q, scores in RUN.items()}),
    ):
        found = krm.evaluate(truth, run, " ".join(theirs), convention="beir")
        check(found, theirs)
    kept = krm.evaluate(qrels, tmp_path / "results.json", "RR")
    dropped = krm.evaluate(qrels, results, "RR", drop_same_id=True)
    assert dropped["RR"] > kept["RR"]


def test_predictions_of_mteb(tmp_path, monkeypatch):
    pytest.importorskip("mteb._evaluators.retrieval_evaluator")
    metrics = pytest.importorskip("mteb._evaluators.retrieval_metrics")
    unrounded(monkeypatch, metrics)
    evaluator = mteb_evaluator(10)
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps({"default": {"test": RUN}}))
    scores = evaluator.evaluate(QRELS, RUN, [1, 10])
    theirs = {
        f"{name}_at_{k}": getattr(scores, name)[f"{prefix}@{k}"]
        for name, prefix in (
            ("ndcg", "NDCG"),
            ("map", "MAP"),
            ("recall", "Recall"),
            ("precision", "P"),
            ("mrr", "MRR"),
        )
        for k in (1, 10)
    }
    found = krm.evaluate(QRELS, path, " ".join(theirs), convention="mteb")
    check(found, theirs)


# Qrels and runs of other tools.


def records(nested, *names):
    return [
        dict(zip(names, (query, item, value), strict=True))
        for query, values in nested.items()
        for item, value in values.items()
    ]


@pytest.mark.long  # numba compiles it
def test_ranx():
    ranx = pytest.importorskip("ranx")
    qrels, run = ranx.Qrels(QRELS), ranx.Run(RUN)
    names = ["ndcg@10", "map@100", "mrr", "recall@10", "hit_rate@5"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numba
        theirs = ranx.evaluate(qrels, run, names)
    check(krm.evaluate(qrels, run, names, convention="ranx"), theirs)


def test_ir_measures():
    there = pytest.importorskip("ir_measures")
    qrels = [
        there.Qrel(*x.values()) for x in records(QRELS, "query", "item", "x")
    ]
    run = [
        there.ScoredDoc(*x.values())
        for x in records(RUN, "query", "item", "score")
    ]
    measures = [there.nDCG @ 10, there.AP, there.P(rel=2) @ 5, there.RR]
    theirs = there.calc_aggregate(measures, qrels, run)
    names = list(map(str, measures))
    theirs = {str(measure): value for measure, value in theirs.items()}
    found = krm.evaluate(qrels, run, names, convention="ir_measures")
    check(found, theirs)
    qrels, run = iter(qrels), iter(run)
    found = krm.evaluate(qrels, run, names, convention="ir_measures")
    check(found, theirs)


def test_ir_datasets():
    """`dataset.qrels_iter()` yields such named tuples."""
    formats = pytest.importorskip("ir_datasets.formats")
    qrels = (
        formats.TrecQrel(*x.values(), iteration="0")
        for x in records(QRELS, "query_id", "doc_id", "relevance")
    )
    found = krm.evaluate(qrels, RUN, MEASURES, convention="trec_eval")
    check(found, by_pytrec_eval(QRELS, RUN))


def test_datasets_of_hugging_face():
    datasets = pytest.importorskip("datasets")
    # The columns of the qrels of BEIR and MTEB on the Hub.
    qrels = datasets.Dataset.from_list(
        records(QRELS, "query-id", "corpus-id", "score")
    )
    found = krm.evaluate(qrels, RUN, MEASURES, convention="trec_eval")
    check(found, by_pytrec_eval(QRELS, RUN))


# Retrieval for generation, and rerankers.

QUESTIONS = [["d1", "d2", "d1", "d5"], ["d4", "d3"], []]
ANSWERS = [["d2"], ["d3", "d9"], ["d7"]]
# Of a list without its repetitions. The first list has "d2" at rank 2.
EXPECTED = {"RR": (1 / 2 + 1 / 2 + 0) / 3, "R@2": (1 + 1 / 2 + 0) / 3}


def documents_of_langchain(ids):
    module = pytest.importorskip("langchain_core.documents")
    return [module.Document(page_content="...", id=id_) for id_ in ids]


def nodes_of_llama_index(ids):
    schema = pytest.importorskip("llama_index.core.schema")
    nodes = [schema.TextNode(text="...", id_=id_) for id_ in ids]
    return [schema.NodeWithScore(node=node, score=0.5) for node in nodes]


def documents_of_haystack(ids):
    module = pytest.importorskip("haystack")
    return [module.Document(content="...", id=id_) for id_ in ids]


@pytest.mark.parametrize(
    "retrieved, id_of",
    [
        (list, str),
        (documents_of_langchain, lambda document: document.id),
        (nodes_of_llama_index, lambda node: node.node_id),
        (documents_of_haystack, lambda document: document.id),
    ],
)
def test_lists_of_retrieved_documents(retrieved, id_of):
    """Chunks of one document have one id, which counts once."""
    results = [retrieved(ids) for ids in QUESTIONS]
    run = [[id_of(document) for document in found] for found in results]
    with pytest.warns(UserWarning, match="1 repeated item"):
        found = krm.evaluate(ANSWERS, run, "RR R@2", duplicates="best")
    check(found, EXPECTED)
    with pytest.raises(ValueError, match="'d1' of the query 0 twice"):
        krm.evaluate(ANSWERS, run, "RR R@2")


def test_documents_with_scores():
    """`similarity_search_with_score` returns pairs, best first."""
    stores = pytest.importorskip("langchain_core.vectorstores")
    module = pytest.importorskip("langchain_core.documents")
    embeddings = pytest.importorskip("langchain_core.embeddings")

    class Fixed(embeddings.Embeddings):
        def embed_documents(self, texts):
            return [VECTORS[int(text)].tolist() for text in texts]

        def embed_query(self, text):
            return USERS[int(text)].tolist()

    store = stores.InMemoryVectorStore(Fixed())
    store.add_documents(
        [
            module.Document(page_content=str(i), id=item)
            for i, item in enumerate(ITEMS)
        ]
    )
    found = {
        query: store.similarity_search_with_score(str(i), k=10)
        for i, query in enumerate(QUERIES)
    }
    run = {q: [(x.id, score) for x, score in found[q]] for q in found}
    cosines = USERS @ VECTORS.T / np.linalg.norm(VECTORS, axis=1)
    check(
        krm.evaluate(QRELS, run, MEASURES, convention="trec_eval"),
        by_pytrec_eval(QRELS, run_of(cosines)),
    )


def test_orders_of_a_language_model():
    """Several runs that name some of the items, best first."""
    orders = {
        name: {
            query: list(
                random.permutation(list(scores))[: random.integers(1, 9)]
            )
            for query, scores in RUN.items()
        }
        for name, random in zip("ab", _random.spawn(2), strict=True)
    }
    compared = krm.compare(QRELS, orders, MEASURES, convention="trec_eval")
    for name, order in orders.items():
        run = {
            query: {str(item): -float(rank) for rank, item in enumerate(items)}
            for query, items in order.items()
        }
        cells = compared.to_dict()["systems"][name]
        values = {metric: cells[metric]["value"] for metric in cells}
        check(values, by_pytrec_eval(QRELS, run))


# Two towers.


@pytest.mark.not_on("numpy", reason="it does not train")
def test_a_catalogue_after_each_epoch():
    """All items are ranked by the inner products of the towers' vectors."""
    keras = pytest.importorskip("keras")

    class TwoTower(keras.Model):
        def __init__(self):
            super().__init__()
            self.user_tower = keras.layers.Dense(4)
            self.item_tower = keras.layers.Dense(4)

        def call(self, x):
            pairs = self.user_tower(x["user"]), self.item_tower(x["item"])
            return keras.ops.sum(pairs[0] * pairs[1], -1)

    kinds = [trec_eval.RecallAtK, trec_eval.MeanAveragePrecision]
    catalogue = krm.callbacks.EvaluateCatalogue(
        [kind(k=10, inputs="counts") for kind in kinds],
        queries=USERS,
        items=VECTORS,
        targets=[[ITEMS.index(d) for d in RELEVANT[q]] for q in QUERIES],
        query_tower="user_tower",
        item_tower="item_tower",
    )
    stop = keras.callbacks.EarlyStopping("val_recall@10", mode="max")
    model = TwoTower()
    model.compile("sgd", loss="mse")
    x = {"user": USERS, "item": VECTORS[: len(USERS)]}
    history = model.fit(
        x, np.ones(len(USERS)), callbacks=[catalogue, stop], verbose=0
    )
    towers = model.user_tower(USERS), model.item_tower(VECTORS)
    users, items = map(keras.ops.convert_to_numpy, towers)
    found = krm.evaluate(
        RELEVANT,
        run_of(users @ items.T),
        "recall_10 map",
        convention="trec_eval",
    )
    logged = [
        history.history[f"val_{name}"][-1] for name in ("recall@10", "map@10")
    ]
    assert logged == approx(list(found.values()), abs=1e-6)
