"""The pipeline behind the public modules, from a batch to a number.

1. `definition` states what a metric computes; `naming` gives it its name and
   signature.
2. `inputs` reads what users pass, in any form, into checked lists, and raises
   every error about the data.
3. `ranking` orders the items of each list. Only this package sorts, and only
   this package knows about ties.
4. A measure, in `keras_rankmetrics.metrics`, gives each list a value.
5. `evaluation` applies many definitions to one batch, and caches what metrics
   of the same batch share.
6. `aggregates` add up sums over the lists, and turn sums into numbers.
7. `metric` keeps the sums in Keras variables: one metric, or a collection.

`checks` is the list of what labels, scores and ids may show besides errors.
`backend` contains all that differs between TensorFlow, JAX and torch, and
`messages` what a user reads: warnings, suggestions and tables.
"""
