"""Read runs and judgements from files, in chunks of rows.

`reading` is the entry. It picks the reader of a file: `trec`, or `arrow` for
CSV, TSV, JSON lines and Parquet. A reader turns each block of lines into three
arrays: queries, items, and scores or labels. `chunks` joins these into chunks
of whole queries.
"""
