"""What a type checker knows of the package."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
NDCG = "keras_rankmetrics.metrics.discounted.NDCG"

# Code, and what mypy says of its last line: the start of it, or nothing.
SAYS = {
    "k = krm.conventions.trec_eval.NDCG(k=3).k": "",
    "krm.conventions.trec_eval.NDCG(3, krm.linear_gain, ties='stable')": "",
    "krm.conventions.trec_eval.NDCG(kk=3)": (
        'error: Unexpected keyword argument "kk"'
    ),
    "krm.conventions.trec_eval.NDCG('3')": "error: Argument 1",
    "krm.conventions.trec_eval.RecallAtK(denominator='k')": (
        'error: Argument "denominator"'
    ),
    "reveal_type(krm.conventions.trec_eval.NDCG(k=3))": (
        f'note: Revealed type is "{NDCG}"'
    ),
    "reveal_type(krm.conventions.trec_eval.NDCG.at(1, 3))": (
        f'note: Revealed type is "list[{NDCG}]"'
    ),
    "krm.NDCG(kk=3)": 'error: Unexpected keyword argument "kk"',
    "gain: krm.GainFn = krm.linear_gain": "",
    "discount: krm.RankDiscountFn = krm.log2_discount": "",
    "krm.convetions": "error: Module has no attribute",
    "krm.gains, krm.metrics, krm.types": "",
}


@pytest.mark.long
@pytest.mark.skipif(
    not importlib.util.find_spec("mypy"), reason="needs the extra [lint]"
)
def test_what_mypy_says(tmp_path):
    # One test, so that mypy reads the package once.
    snippet = tmp_path / "snippet.py"
    snippet.write_text("\n".join(["import keras_rankmetrics as krm", *SAYS]))
    config = f"--config-file={ROOT / 'pyproject.toml'}"
    cache = f"--cache-dir={tmp_path / 'cache'}"
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", config, cache, snippet],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    said = {}
    for line in ran.stdout.splitlines()[:-1]:
        path, number, message = line.split(":", maxsplit=2)
        assert pathlib.Path(path).name == snippet.name, line
        said.setdefault(int(number), message.strip())
    for number, (code, expected) in enumerate(SAYS.items(), start=2):
        message = said.get(number, "")
        assert bool(message) == bool(expected), (code, message)
        assert message.startswith(expected), code


@pytest.mark.long
@pytest.mark.skipif(
    not importlib.util.find_spec("pyright"), reason="needs the extra [lint]"
)
def test_the_types_are_complete():
    # It reads the package of the first Python on the path, not of its own. The
    # only incomplete classes have bases of Keras and Beam, which have no types.
    folder = pathlib.Path(sys.executable).parent
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    options = "--verifytypes", "keras_rankmetrics", "--ignoreexternal"
    ran = subprocess.run(
        [sys.executable, "-m", "pyright", *options, "--outputjson"],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )
    found = json.loads(ran.stdout)["typeCompleteness"]
    unknown = [x["name"] for x in found["symbols"] if not x["isTypeKnown"]]
    assert found["completenessScore"] >= 0.99, unknown[:20]
