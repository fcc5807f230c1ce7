"""Metrics of logs that are larger than a machine: Spark, Ray and Beam.

Each of the modules `spark`, `ray` and `beam` needs the package of that name,
which the extra of that name installs. The package is imported when it is
first used.

The way of the data:

    tables --reading--> lists --jobs--> states

`schema` checks the tables, `jobs` does the rest on a worker, and `worker` sets
the worker up.
"""
