"""What a public name must say: in words, and by an example that runs."""

import doctest
import pathlib
import re
import sys

import pytest

import keras_rankmetrics as krm
from keras_rankmetrics import conventions, types

DOCS = pathlib.Path(__file__).parents[2] / "docs"
MODULES = (krm, conventions)
# Plain values: Sphinx reads the text that stands below them.
VALUES = ("UNJUDGED", "__version__")
PUBLIC = [
    *(
        (module, name)
        for module in MODULES
        for name in module.__all__
        if name not in VALUES
    ),
    (types, "GroupFn"),
]


def described_by(value):
    """What has the docstring: of a convention, its class."""
    return value if hasattr(value, "__name__") else type(value)


def test_each_has_words_and_an_example():
    for module, name in PUBLIC:
        doc = described_by(getattr(module, name)).__doc__
        assert doc and doc.strip(), f"{name} has no docstring"
        examples = doctest.DocTestParser().get_examples(doc)
        assert any(example.want for example in examples), (
            f"{name} has no example that is run and shows a result"
        )


def test_each_says_how_stable_it_is():
    for name in {*krm.__all__}.difference(VALUES):
        doc = getattr(krm, name).__doc__
        assert re.search(r"\n *Stability: (stable|provisional)\.\n", doc), name


def test_what_is_provisional():
    """Clicks, judges and two rankings; what most users need is stable."""
    found = {
        name
        for name in krm.__all__
        if name not in VALUES
        if "Stability: provisional." in getattr(krm, name).__doc__
    }
    clicks = {"IPS", "SNIPS", "EffectiveClicks"}
    assert clicks | {"JudgeCorrected", "RankBiasedOverlap"} <= found
    assert "NDCG" not in found and "evaluate" not in found


def members():
    """The members that the reference shows, by class."""
    pytest.importorskip("sphinx", reason="needs the extra [docs]")
    sys.path.insert(0, str(DOCS / "_ext"))
    try:
        from reference import MEMBERS
    finally:
        sys.path.pop(0)
    return MEMBERS


def test_the_members_that_the_reference_shows_have_words():
    from keras_rankmetrics.conventions.presets import Preset
    from keras_rankmetrics.conventions.vocabularies import Vocabulary
    from keras_rankmetrics.engine.ranking.ranking import Subtopics

    elsewhere = {
        kind.__name__: kind for kind in (Preset, Vocabulary, Subtopics)
    }
    for name, shown in members().items():
        kind = elsewhere.get(name) or getattr(krm, name)
        for member in shown:
            assert hasattr(kind, member), f"{name}.{member}"
            value = getattr(kind, member)
            if callable(value) or isinstance(value, property):
                assert value.__doc__, f"{name}.{member} has no docstring"
