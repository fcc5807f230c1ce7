"""Each code block of the docs that is no doctest, and what runs it."""

import contextlib
import importlib.util
import io
import pathlib
import re
import shlex
import tomllib

import keras
import numpy as np
import pytest

import keras_rankmetrics as krm

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BACKEND = keras.backend.backend()
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]
BLOCK = re.compile(r"^ *```(\w+)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)


def blocks(*languages):
    """The page and the source of each block of a language."""
    return [
        (path.relative_to(ROOT).as_posix(), source)
        for path in PAGES
        for language, source in BLOCK.findall(path.read_text())
        if language in languages and ">>>" not in source
    ]


def test_a_block_is_found():
    assert BLOCK.findall("x\n```python\na\nb\n```\n") == [("python", "a\nb\n")]


# What runs the blocks of a page, where it is not a test below.
RUN_BY = {
    "docs/comparing.md": "tests/comparing",
    "docs/logs.md": "tests/adapters",
    "docs/rows.md": "tests/rows/test_boosting.py",
    "docs/tracking.md": "tests/examples/test_tracking.py",
    "docs/input.md": "tests/examples/test_guide.py",
    "docs/in_keras.md": "tests/examples/test_guide.py",
}
# By a word in the block: the backend, and what stands before it on the page.
FRAGMENTS = {}


def fragment(word, backend):
    def keep(names):
        FRAGMENTS[word] = backend, names
        return names

    return keep


@fragment("tf.GradientTape", "tensorflow")
@fragment("torch.optim", "torch")
@fragment("jax.value_and_grad", "jax")
def a_whole_program():
    return {}


@fragment("NamedSharding", "jax")
def of_catalogues():
    import jax

    rng = np.random.default_rng(0)
    users, items = rng.normal(size=(3, 4)), rng.normal(size=(8, 4))
    names = {"users": users.astype("float32"), "items": items.astype("float32")}
    return {
        **names,
        "jax": jax,
        "np": np,
        "krm": krm,
        "targets": [[1], [2], [3]],
    }


@fragment("sync_global_devices", "jax")
def of_processes():
    return {}


@fragment("jax.shard_map", "jax")
def of_shard_map():
    batch = np.eye(3, dtype="float32"), np.ones((3, 3), "float32")
    metrics = krm.MetricCollection([*krm.NDCG.at(3, 5), krm.RecallAtK(3)])
    return {"np": np, "krm": krm, "metrics": metrics, "batches": [batch] * 2}


@fragment("torch.distributed", "torch")
def of_ranks():
    import torch

    batch = torch.ones(2, 3), torch.ones(2, 3), torch.ones(2)
    torch.distributed.init_process_group(
        "gloo", store=torch.distributed.HashStore(), rank=0, world_size=1
    )
    metrics = krm.MetricCollection([krm.NDCG(3)])
    return {
        "loader": [batch],
        "parallel": lambda x: x,
        "metrics": metrics,
        "torch": torch,
    }


@fragment("strategy.scope", "tensorflow")
def of_strategies():
    import tensorflow as tf

    x, y = np.ones((4, 3, 2), "float32"), np.ones((4, 3, 1), "float32")
    return {
        "tf": tf,
        "krm": krm,
        "strategy": tf.distribute.get_strategy(),
        "make_model": lambda: keras.Sequential([keras.layers.Dense(1)]),
        "data": tf.data.Dataset.from_tensor_slices((x, y)).batch(2),
    }


def words_of(source):
    return [word for word in FRAGMENTS if word in source]


OF_BACKEND = {
    word: names
    for word, (backend, names) in FRAGMENTS.items()
    if backend in (None, BACKEND)
}


@pytest.mark.long
@pytest.mark.parametrize("word", OF_BACKEND)
def test_it_runs(word):
    [source] = {s for _, s in blocks("python") if word in s}
    names = OF_BACKEND[word]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(source, names())
    finally:
        if word == "torch.distributed":
            import torch

            torch.distributed.destroy_process_group()
    if "print(" in source:
        assert "ndcg@" in said.getvalue()


def test_every_block_of_python_is_run():
    found = blocks("python")
    for page, source in found:
        if page not in RUN_BY:
            assert len(words_of(source)) == 1, (
                f"{page}: no test runs\n{source}\nAdd what it needs here."
            )
    for page, test in RUN_BY.items():
        assert page in {name for name, _ in found}
        assert (ROOT / test).exists()


# A command may need minutes, or a network. What it names must be there.


def commands():
    for page, source in blocks("bash", "shell"):
        for line in source.replace("\\\n", " ").splitlines():
            for part in re.split(r"&&", line):
                words = shlex.split(part.replace("<(", "("), comments=True)
                if words:
                    yield page, words


OWN = re.compile(r"(?:tests|docs|\.ci)/[\w./-]+")


def test_commands_name_what_is_there():
    found = list(commands())
    assert len(found) > 25
    for page, words in found:
        for i, word in enumerate(words):
            # What the benchmarks write need not be there yet.
            if OWN.fullmatch(word) and words[i - 1] not in ("--output", "docs"):
                is_made = word.startswith("docs/_build")
                assert is_made or (ROOT / word).exists(), f"{page}: {word}"
            if word == "-m" and words[i + 1] not in ("", "long", "peers"):
                module = words[i + 1]
                is_there = importlib.util.find_spec(module.partition(".")[0])
                assert is_there or module == "build", f"{page}: {module}"
                if module.startswith("tests."):
                    assert importlib.util.find_spec(module), module
        for extras in re.findall(r"\[([\w,-]+)\]", " ".join(words)):
            assert set(extras.split(",")) <= set(EXTRAS), f"{page}: {extras}"
