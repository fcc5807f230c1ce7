"""Ranks in catalogues whose scores do not fit into memory."""

from keras_rankmetrics.catalogues.ranks import count_ranks

__all__ = ["count_ranks"]
