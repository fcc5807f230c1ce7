"""What TensorFlow Ranking says of the lists."""

import numpy as np
import tensorflow as tf
from tensorflow_ranking.python import metrics_impl as metrics
from written import CUTOFFS, data, padded, write

given = data()
labels = padded(given["labels"], -1.0)
scores = padded(given["scores"], 0.0)
tied_scores = padded(given["tied_scores"], 0.0)
subtopics = padded(given["subtopics"], 0.0)
there = labels >= 0
values = {}


def asked(name, metric, labels, scores=scores, mask=there):
    """The value of each list, and what it weighs among lists."""
    found, of_list = metric.compute(
        tf.constant(labels, tf.float32),
        tf.constant(scores, tf.float32),
        mask=tf.constant(mask),
    )
    values[name] = found.numpy().reshape(-1)
    if np.ptp(of_list.numpy()):
        values[f"{name} weights"] = of_list.numpy().reshape(-1)


def gain(label):
    return tf.pow(2.0, label) - 1.0


def discount(rank):
    return tf.math.log(2.0) / tf.math.log1p(rank)


# What nobody judged is masked, as its docstring has it.
judgements = padded(given["judgements"], -1.0)
for k in CUTOFFS:
    for name in ("MRR", "Hits", "Recall", "Precision", "MeanAveragePrecision"):
        asked(f"{name}@{k}", getattr(metrics, f"{name}Metric")(None, k), labels)
    for name in ("NDCG", "DCG"):
        metric = getattr(metrics, f"{name}Metric")(None, k, gain, discount)
        asked(f"{name}@{k}", metric, labels)
    asked(f"PWA@{k}", metrics.PWAMetric(None, k), labels)
    for name in ("PrecisionIA", "AlphaDCG"):
        metric = getattr(metrics, f"{name}Metric")(None, k)
        asked(f"{name}@{k}", metric, subtopics)
    asked(
        f"AlphaDCG(alpha=0.2)@{k}",
        metrics.AlphaDCGMetric(None, k, 0.2),
        subtopics,
    )
for trec in (True, False):
    metric = metrics.BPrefMetric(None, None, use_trec_version=trec)
    asked(
        f"BPref(use_trec_version={trec})",
        metric,
        judgements,
        mask=judgements >= 0,
    )
asked("ARP", metrics.ARPMetric(None), labels)
asked("OPA", metrics.OPAMetric(None), labels)
asked("OPA(tied)", metrics.OPAMetric(None), labels, tied_scores)
write(
    "tf_ranking",
    ("tensorflow-ranking", "tensorflow-cpu", "numpy"),
    values,
)
