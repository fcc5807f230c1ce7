"""The data layer: flat columns and tables as lists that metrics can update on.

    columns --evaluate_rows--> ragged lists --ragged--> padded batches
    padded batches --jobs--> states

`evaluate_rows` evaluates flat columns, `keras_rankmetrics.adapters` reads Arrow
tables, and both describe the work as a `Job`. `keras_rankmetrics.comparing`
reads its tables in chunks of `item_rows`, which also matches rows by query and
item.
"""
