"""A catalogue that jax has spread over devices."""

import pytest
from scripts import printed

PROGRAM = """
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

import keras_rankmetrics as krm
from keras_rankmetrics.catalogues import passes

rng = np.random.default_rng(0)
queries = rng.normal(size=(20, 8)).astype("float32")
items = rng.normal(size=(404, 8)).astype("float32")
items[200:300] = items[:100]
targets = rng.integers(-1, 404, (20, 3))
exclude = rng.integers(-1, 404, (20, 30))
expected = krm.count_ranks(queries, items, targets, exclude)
for shape, axes, spec in [
    ((4,), ("data",), PartitionSpec("data")),
    ((2, 2), ("data", "model"), PartitionSpec("model")),
    ((2, 2), ("data", "model"), PartitionSpec(("data", "model"))),
]:
    mesh = Mesh(np.array(jax.devices()).reshape(shape), axes)
    spread = jax.device_put(items, NamedSharding(mesh, spec))
    assert passes.is_spread(spread, None)
    for chunk in (None, 50, 7):
        found = krm.count_ranks(queries, spread, targets, exclude, chunk=chunk)
        for name, counts in expected.items():
            np.testing.assert_array_equal(found[name], counts, name)
# Only what was counted travels: no gathering of scores or of vectors.
axes = "data", "model"
program = passes._program(mesh, axes, 50, passes.count_products)
arguments = [
    np.zeros((20, 3), "float32"),
    *(np.zeros(shape, "int32") for shape in ((2, 99), 12, 12, 9)),
]
text = program.lower(queries, spread, *arguments).compile().as_text()
assert "all-gather" not in text and "all-reduce" in text
print("the same")
"""


@pytest.mark.only_on("jax", reason="jax spreads arrays")
def test_each_device_counts_its_own_items():
    flags = "--xla_force_host_platform_device_count=4"
    found = printed("-c", PROGRAM, KERAS_BACKEND="jax", XLA_FLAGS=flags)
    assert found.strip() == "the same"
