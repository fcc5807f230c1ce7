"""The data layer: flat columns and tables as lists that metrics can update on.

    columns --ids, columns--> ragged lists --ragged--> padded batches
    padded batches --runner--> states

`rows` evaluates flat columns, `keras_rankmetrics.adapters` reads tables of
Arrow, and both describe the work as a `Job` (`arguments`, `runner`).
`keras_rankmetrics.comparing` joins two tables by query and item, by the keys of
`ids` and the rows of `chunks`.
"""
