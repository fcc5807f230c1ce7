"""The Keras shells over the engine: what keeps sums in variables."""
