"""Metrics of lists that columns hold: which metrics, and of which columns.

The way of the data:

    lists --chunks--> padded batches --counting--> states

`asked` checks what a user asks for, and makes a `Job` of it; `job` does it.
Who reads rows, makes `Ragged` lists of them first.
"""
