"""The cache of compiled operations that docs/comparing.md recommends."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "comparing.md"
PROGRAM = """
import keras_rankmetrics as krm

truth = {"q": {"tea": 2, "rice": 1}}
print(krm.compare(truth, {"run": {"q": {"tea": 0.5, "salt": 1.0}}}, "NDCG@2"))
"""


@pytest.mark.long
@pytest.mark.only_on("jax", reason="a cache that jax has")
def test_what_is_compiled_is_kept(tmp_path):
    exports = dict(re.findall(r"export (\w+)=(\S+)", PAGE.read_text()))
    assert exports.pop("JAX_COMPILATION_CACHE_DIR")
    environment = {
        **os.environ,
        **exports,
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path),
    }
    command = [sys.executable, "-c", PROGRAM]
    subprocess.run(command, env=environment, check=True, timeout=200)
    kept = {path.name for path in tmp_path.iterdir()}
    assert len(kept) > 10
    subprocess.run(command, env=environment, check=True, timeout=200)
    new = {path.name for path in tmp_path.iterdir()} - kept
    assert not [name for name in new if name.endswith("-cache")]
