"""What the pages of the metrics show, computed by the package itself.

A page is `docs/metrics/<short name>.md`. People write its text; what stands
between its markers, and its picture, are made of the metric:

- `notation` reads lists as the pages write them;
- `examples` says which lists are shown of which family of metrics;
- `blocks` makes the tables, `picture` the picture of the values of these lists;
- `page` puts them into the file, and says what the file lacks.

`python -m tests.tools.pages` does so for all metrics. A test does it again, and
compares.
"""
