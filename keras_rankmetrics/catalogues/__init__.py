"""Ranks in catalogues whose scores fit into no memory."""

from keras_rankmetrics.catalogues.ranks import count_ranks

__all__ = ["count_ranks"]
