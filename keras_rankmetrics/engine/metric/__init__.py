"""The Keras side of a metric: state in variables, collections and sync."""
