"""The data layer: flat columns and tables as lists that metrics can update on.

    columns --ids, columns--> ragged lists --ragged--> padded batches
    padded batches --runner--> states

`rows` evaluates flat columns, `keras_rankmetrics.adapters` reads Arrow
tables, and both describe the work as a `Job` (`arguments`, `runner`).
`keras_rankmetrics.comparing` reads its tables as `chunks`, and `join` matches
their rows by query and item.
"""
