"""Spark, Ray and Beam on this machine: each evaluates a list of dicts."""

import os
import pickle
import shutil
import sys
import tempfile
from pathlib import Path

import pytest


class OfTables:
    """An engine whose doors are functions of a table."""

    def evaluate(self, rows, *arguments, **options):
        """Return the metrics of rows."""
        return self.door(self.table(rows), *arguments, **options)


class OnSpark(OfTables):
    """Two workers, each of which has several parts of the rows."""

    name = "Spark"

    def __init__(self):
        if shutil.which("java") is None:
            pytest.skip("Spark needs java")
        from pyspark.sql import SparkSession

        from keras_rankmetrics.adapters import spark

        os.environ["PYSPARK_PYTHON"] = sys.executable
        self.session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "localhost")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "25")
            .getOrCreate()
        )
        self.session.sparkContext.setLogLevel("OFF")
        self.door, self.door_of_queries = spark.evaluate, spark.per_query

    def table(self, rows, parts=3):
        """Return a frame with the rows in several partitions."""
        import pyarrow as pa

        frame = self.session.createDataFrame(pa.Table.from_pylist(rows))
        return frame.coalesce(1).repartition(parts)

    def per_query(self, rows, *arguments, **options):
        """Return a dict for each list or query."""
        found = self.door_of_queries(self.table(rows), *arguments, **options)
        return [row.asDict() for row in found.collect()]

    def stop(self):
        """Free the memory of the workers."""
        self.session.stop()


class OnRay(OfTables):
    """Two processors, which take the rows in several blocks."""

    name = "Ray"

    def __init__(self):
        import ray

        from keras_rankmetrics.adapters import ray as on_ray

        paths = os.environ.get("PYTHONPATH", "")
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            runtime_env={"env_vars": {"PYTHONPATH": paths}},
        )
        self.stop = ray.shutdown
        self.door, self.door_of_queries = on_ray.evaluate, on_ray.per_query

    def table(self, rows, parts=3):
        """Return a dataset with the rows in several blocks."""
        import ray.data

        return ray.data.from_items(rows, override_num_blocks=parts)

    def per_query(self, rows, *arguments, **options):
        """Return a dict for each list or query."""
        found = self.door_of_queries(self.table(rows), *arguments, **options)
        return [*found.iter_rows()]


class OnBeam:
    """The runner of tests. Its elements leave a pipeline through a file."""

    name = "Beam"

    def __init__(self):
        from keras_rankmetrics.adapters import beam

        self.transforms = beam

    def evaluate(self, rows, *arguments, query=None, **options):
        """Return the metrics of rows."""
        import apache_beam as beam

        if query is None:
            of_lists = self.transforms.Evaluate(*arguments, **options)
            transform = beam.CombineGlobally(of_lists)
        else:
            transform = self.transforms.EvaluateItems(
                *arguments, query=query, **options
            )
        [metrics] = self.elements(rows, transform)
        return metrics

    def per_query(self, rows, *arguments, **options):
        """Return a dict for each list or query."""
        transform = self.transforms.PerQuery(*arguments, **options)
        return self.elements(rows, transform)

    def elements(self, rows, transform):
        """Return the elements of what a transform makes of rows."""
        import apache_beam as beam
        from apache_beam.testing.test_pipeline import TestPipeline

        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder, "elements"))

            def write(elements):
                Path(path).write_bytes(pickle.dumps(elements))

            with TestPipeline() as pipeline:
                of_rows = pipeline | beam.Create(rows) | beam.Reshuffle()
                found = of_rows | transform
                _ = found | beam.combiners.ToList() | beam.Map(write)
            return pickle.loads(Path(path).read_bytes())

    def stop(self):
        """Do nothing: each pipeline ends by itself."""


ENGINES = {"apache_beam": OnBeam, "pyspark": OnSpark, "ray": OnRay}
