"""Runs and judgements in files, as chunks of rows.

A file is read in blocks of whole lines, and each block becomes three arrays:
the queries, the items, and their scores or labels. `reading` picks the format.
"""
