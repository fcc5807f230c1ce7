"""Signatures in words."""

import pytest
from test_specs import OF_SOURCES, SPECS

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from keras_rankmetrics.engine.definition import takes
from krm_command import main
from tests.tools.pages.blocks import chosen

METRICS = [
    *(metric for _, metric in SPECS),
    *(metric for *_, metric in OF_SOURCES),
    krm.NDCG(3, ties="shuffle", seed=4, empty="skip", list_weight="mean"),
    krm.RecallAtK(3, adjusted="chance"),
    krm.RecallAtK(3, inputs="ids"),
    krm.AUC(unjudged="condense"),
    krm.DCG(rank_discount_fn=krm.inverse_square_discount),
    krm.AlphaNDCG(alpha=0.25),
    krm.BEDROC(alpha=160.9),
    krm.EnrichmentFactor(fraction=0.05),
    krm.ExposureGini(num_items=9),
    *(
        preset.metric(
            **{"k": 5} if takes(preset.metric, "k") else {}, **chosen(preset)
        )
        for preset in conventions.torchmetrics.presets.values()
    ),
]


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.signature)
def test_every_part_has_a_sentence_and_all_a_constructor(metric, capsys):
    assert main(["signature", metric.signature]) == 0
    lines = capsys.readouterr().out.splitlines()
    parts = metric.signature.split("|")
    for part, line in zip(parts, lines, strict=False):
        assert line.startswith(f"{part} ") and line.endswith(".")
    assert eval(lines[-1], {"krm": krm}).signature == metric.signature


NUMBERS = [
    (krm.BEDROC(), "in BEDROC the weight of early ranks"),
    (krm.EnrichmentFactor(fraction=0.05), "A share of 0.05 of the items"),
]


@pytest.mark.parametrize("metric, words", NUMBERS, ids=["alpha", "fraction"])
def test_numbers_are_described(metric, words, capsys):
    assert main(["signature", metric.signature]) == 0
    assert words in capsys.readouterr().out


def test_another_version_says_so(capsys):
    text = krm.NDCG(3).signature.replace(krm.__version__, "0.0.1")
    assert main(["signature", text]) == 0
    out = capsys.readouterr().out
    assert "Version 0.0.1 of keras_rankmetrics computed the value." in out
    assert f"This is version {krm.__version__}" in out


OF_SEVERAL = [
    krm.Comparison(krm.NDCG(10), ["x", "y"]),
    krm.Sliced(krm.NDCG(10), ["a|b", "c"]),
    krm.Sliced(krm.NDCG(10), 2),
]


@pytest.mark.parametrize("metric", OF_SEVERAL, ids=lambda m: m.signature)
def test_comparisons_and_slices_say_what_to_explain(metric, capsys):
    assert main(["signature", metric.signature]) == 2
    error = capsys.readouterr().err
    assert f"Explain `{krm.NDCG(10).signature}`" in error


WRONG = [
    ("NDCG@10", "A signature should have the form"),
    (
        "NDCG@x|ties:average|keras_rankmetrics:0.1.0",
        "A signature should have the form",
    ),
    ("NDCG|ties|keras_rankmetrics:0.1.0", "Received: 'ties'"),
    ("NDCG|ties:average", "Check whether it was cut off."),
    ("NDGC|ties:average|keras_rankmetrics:0.1.0", 'Did you mean "NDCG"?'),
    ("NDCG|tie:average|keras_rankmetrics:0.1.0", 'Did you mean "ties"?'),
    ("NDCG|ties:middle|keras_rankmetrics:0.1.0", "Received: 'middle'"),
    ("NDCG|ties:average|ties:average|keras_rankmetrics:0.1.0", "'ties' twice"),
    ("RPrecision@5|ties:average|keras_rankmetrics:0.1.0", "takes no cutoff"),
]


@pytest.mark.parametrize("text, message", WRONG)
def test_what_is_malformed(text, message, capsys):
    assert main(["signature", text]) == 2
    out, error = capsys.readouterr()
    assert message in error and not out
    assert error.startswith("krm: ") and "Traceback" not in error
