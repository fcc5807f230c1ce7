"""Tables of columns as files of each format."""

import csv
import gzip
import json

import pytest


def written(path, columns):
    """Write columns to a file in the format of its ending, and return it."""
    lists = [getattr(x, "tolist", lambda x=x: [*x])() for x in columns.values()]
    rows = list(zip(*lists, strict=True))
    if path.suffix == ".parquet":
        pa = pytest.importorskip("pyarrow", reason="needs the extra [files]")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pa.table(dict(columns)), path)
        return path
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", newline="", encoding="utf-8") as file:
        if ".jsonl" in path.name:
            objects = (dict(zip(columns, row, strict=True)) for row in rows)
            file.writelines(json.dumps(x) + "\n" for x in objects)
        else:
            between = "\t" if ".tsv" in path.name else ","
            writer = csv.writer(file, delimiter=between, lineterminator="\n")
            writer.writerows([columns, *rows])
    return path
