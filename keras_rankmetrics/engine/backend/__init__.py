"""Workarounds for Keras and its backends, and operations faster than theirs."""
