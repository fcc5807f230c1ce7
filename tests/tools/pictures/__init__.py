"""The pictures of the guide, computed by the package itself.

Each module but `drawing` and `charts` makes one picture of `docs/pictures`.
`python -m tests.tools.pictures` makes them all, of what the package computes,
of `docs/pictures/training.csv` and of `docs/benchmarks.csv`. With `--train` it
first trains the model of which the former tells. A test makes all pictures
again, and compares.
"""
