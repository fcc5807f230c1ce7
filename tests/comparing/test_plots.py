"""Plots: each mark is where the table says, and what has none is refused."""

import numpy as np
import pytest
from pytest import approx
from runs import drawn

import keras_rankmetrics as krm
from tests.tools.pictures import plots

matplotlib = pytest.importorskip("matplotlib", reason="draws the plots")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

LABELS, SYSTEMS = drawn(1, queries=40)


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def compared(metrics, systems=SYSTEMS):
    return krm.compare(LABELS, systems, metrics)


def test_values():
    found = compared([krm.NDCG(5), krm.MeanRank()])
    axes = found.plot()
    assert [panel.get_title() for panel in axes] == ["ndcg@5", "mean_rank"]
    names = [label.get_text() for label in axes[0].get_yticklabels()]
    assert names == list(SYSTEMS)
    for panel, cells in zip(
        axes, zip(*found.report.cells, strict=True), strict=True
    ):
        for bar, each in zip(panel.containers, cells, strict=True):
            assert bar.lines[0].get_xdata()[0] == each.value
            [[(low, _), (high, _)]] = bar.lines[2][0].get_segments()
            assert high - low == approx(2 * each.estimate.margin())
    assert axes[0].figure.patch.get_alpha() == 0


def test_cutoffs():
    metrics = [
        *krm.NDCG.at(10, 1, 3),
        krm.MeanReciprocalRank(),
        *krm.NDCG.at(1, 3, gain_fn=krm.linear_gain, name="linear"),
        *krm.RecallAtK.at(1, 100),
    ]
    found = compared(metrics)
    axes = found.plot_cutoffs()
    assert [panel.get_title() for panel in axes] == [
        "ndcg@k",
        "linear@k",
        "recall@k",
    ]
    ndcg, _, recall = axes
    assert len(ndcg.lines) == len(SYSTEMS)
    names = [text.get_text() for text in ndcg.legend_.get_texts()]
    assert names == list(SYSTEMS)
    for line, (_, *cells) in zip(ndcg.lines, found.report.rows(), strict=True):
        assert list(line.get_xdata()) == [1, 3, 10]
        assert list(line.get_ydata()) == [cells[i].value for i in (1, 2, 0)]
    band = ndcg.collections[0].get_paths()[0].vertices
    low, high = found.report.cells[0][0].interval
    at_ten = band[band[:, 0] == 10, 1]
    assert (at_ten.min(), at_ten.max()) == approx((low, high))
    assert recall.get_xscale() == "log"
    assert [t.get_text() for t in recall.get_xticklabels()] == ["1", "100"]
    assert (ndcg.get_xscale(), ndcg.get_xlabel()) == ("linear", "k")


def test_cutoffs_of_one_system_need_no_legend_and_groups_have_one():
    scores = SYSTEMS["new"]
    metrics = krm.NDCG.at(1, 5)
    assert krm.evaluate(LABELS, scores, metrics).plot_cutoffs().legend_ is None
    groups = {query: query[-1:] in "02468" for query in LABELS}
    groups = {query: "even" if x else "odd" for query, x in groups.items()}
    found = krm.evaluate(LABELS, scores, metrics, groups=groups)
    legend = found.plot_cutoffs().legend_.get_texts()
    assert [text.get_text() for text in legend] == list(found.report.systems)


def test_cutoffs_by_the_names_of_another_tool():
    found = krm.evaluate(
        LABELS,
        SYSTEMS["new"],
        "ndcg_cut_5 ndcg_cut_10",
        convention="trec_eval",
    )
    assert found.plot_cutoffs().get_title() == "ndcg_cut_k"


def test_other_options_are_another_line():
    names = iter(("a1", "a2"))
    strict = [
        krm.RecallAtK(k, name=next(names), relevance_threshold=2)
        for k in (1, 2)
    ]
    axes = compared([*krm.RecallAtK.at(1, 2), *strict]).plot_cutoffs()
    titles = [panel.get_title() for panel in axes]
    assert titles == ["recall@k", "RecallAtK@k"]


def test_lists():
    found = compared([krm.NDCG(5), krm.MeanRank()])
    axes = found.plot_lists()
    old, new = (found.measured.systems[name] for name in SYSTEMS)
    for place, panel in enumerate(axes):
        both = old.valid[place] & new.valid[place]
        differences = (new.values[place] - old.values[place])[both]
        better, worse = panel.patches
        heights = better.get_data().values + worse.get_data().values
        assert heights == approx(-np.sort(-differences))
        # A lower mean rank is better.
        signs = 1 if place == 0 else -1
        assert (signs * better.get_data().values >= 0).all()
        assert (signs * worse.get_data().values <= 0).all()
        cell = found.report.cells[1][place]
        assert [text.get_text() for text in panel.legend_.get_texts()] == [
            f"better on {cell.difference.wins} lists",
            f"worse on {cell.difference.losses} lists",
        ]
    assert axes[0].get_title() == "ndcg@5: new - old"
    assert axes[0].get_xlabel() == f"{len(LABELS)} lists"


def test_quantiles_have_the_cutoff_of_their_metric_in_the_title():
    metrics = [krm.Quantiles(krm.NDCG(k), [0.1, 0.5]) for k in (1, 3)]
    found = krm.evaluate(LABELS, SYSTEMS["new"], metrics)
    titles = [panel.get_title() for panel in found.plot_cutoffs()]
    assert titles == ["ndcg@k/p10", "ndcg@k/p50"]


def test_many_systems_are_all_in_the_legend_and_differ():
    systems = {f"_{n}": SYSTEMS["old"] for n in range(8)}
    axes = compared(krm.NDCG.at(1, 5), systems).plot_cutoffs()
    shown = [text.get_text() for text in axes.legend_.get_texts()]
    assert shown == list(systems)
    styles = {(x.get_color(), x.get_linestyle()) for x in axes.lines}
    assert len(styles) == len(systems)


def test_nan_is_named():
    labels, scores = [[1, 0], [0, 1]], np.array([[0.9, 0.1], [0.9, 0.1]])
    broken = scores.copy()
    broken[0, 0] = np.nan
    systems = {"old": scores, "new": broken}
    found = krm.compare(labels, systems, krm.NDCG(1))
    assert found.plot_lists().get_xlabel() == "2 lists, NaN on 1"


def test_lists_of_three_systems():
    systems = {**SYSTEMS, "third": SYSTEMS["old"]}
    axes = compared(krm.NDCG.at(1, 5), systems).plot_lists()
    assert axes.shape == (2, 2)
    assert axes[1, 1].get_title() == "ndcg@5: third - old"


def test_what_cannot_be_plotted_is_refused():
    _, panel = pyplot.subplots()
    two = compared([krm.NDCG(5), krm.MeanRank()])
    with pytest.raises(ValueError, match=r"2 in all\. Received: 1"):
        two.plot(panel)
    with pytest.raises(ValueError, match=r"several cutoffs\. Received: \['nd"):
        two.plot_cutoffs()
    alone = compared(krm.NDCG(5), {"old": SYSTEMS["old"]})
    with pytest.raises(ValueError, match="compare two systems"):
        alone.plot_lists()


def test_plots_take_axes_and_leave_others_alone():
    figure, (one, other) = pyplot.subplots(1, 2)
    assert compared(krm.NDCG.at(1, 5)).plot_cutoffs(one) is one
    assert compared(krm.NDCG(5)).plot_lists(other) is other
    assert pyplot.get_fignums() == [figure.number]


@pytest.mark.parametrize("name", plots.PLOTS)
def test_the_docs_show_what_is_plotted(name):
    assert plots.words(plots.svg(name)) == plots.words(
        (plots.FOLDER / f"{name}.svg").read_text()
    ), "`python -m tests.tools.pictures` makes it anew; look at what changes."
    pages = [page.read_text() for page in plots.FOLDER.parents[1].glob("*.md")]
    assert any(f"pictures/plots/{name}.svg)" in page for page in pages)
