"""Rows: flat columns of queries, labels and scores, one row for each item.

columns --ids, columns--> lists --jobs--> states --> numbers by name
"""

from keras_rankmetrics.rows.evaluation import evaluate_rows

__all__ = ["evaluate_rows"]
