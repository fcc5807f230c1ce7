"""Who is measured: a small module for each package.

Packages that compute on the host, whatever the backend, take part in one mode:
torch, where our own metrics are slowest.
"""

from tests.tools.benchmarks.contenders import (
    keras_metrics,
    pytrec_eval,
    ranx,
    rax,
    rectools,
    reference,
    replay,
    sklearn,
    torch_geometric,
    torchmetrics,
)

REFERENCE = reference.CONTENDER.name
OURS = keras_metrics.PLAIN.name
COLLECTION = keras_metrics.COLLECTION.name
NINE_OF_THEM = keras_metrics.NINE_OF_THEM.name
ONE = keras_metrics.ONE.name
STABLE = keras_metrics.STABLE.name
KERAS_RS = keras_metrics.KERAS_RS.name
RAX = rax.CONTENDER.name
TORCHMETRICS = torchmetrics.CONTENDER.name

CONTENDERS = {
    contender.name: contender
    for contender in (
        reference.CONTENDER,
        keras_metrics.PLAIN,
        keras_metrics.COLLECTION,
        keras_metrics.NINE_OF_THEM,
        keras_metrics.ONE,
        keras_metrics.STABLE,
        keras_metrics.KERAS_RS,
        rax.CONTENDER,
        torchmetrics.CONTENDER,
        ranx.CONTENDER,
        ranx.WITH_RUN,
        pytrec_eval.CONTENDER,
        pytrec_eval.WITH_DICTS,
        sklearn.CONTENDER,
        sklearn.IGNORING_TIES,
        rectools.CONTENDER,
        replay.CONTENDER,
        torch_geometric.CONTENDER,
    )
}

# Other packages that compute metrics.
PEERS = tuple(
    name
    for name in CONTENDERS
    if name != REFERENCE and not name.startswith(OURS)
)
