"""Metrics of logs that are larger than one machine: Spark, Ray and Beam.

Each of the modules `spark`, `ray` and `beam` needs the package of that name,
which the extra of that name installs. Importing `spark` or `ray` does not
import the package yet.

    tables --worker--> lists --tables.jobs--> states

`worker` contains the functions that run in other processes.
"""
