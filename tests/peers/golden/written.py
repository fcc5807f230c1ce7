"""Reads the lists, and writes what a package says of them.

It knows of nothing but numpy, so that it works beside packages of any age.
"""

import json
import pathlib
import platform
from importlib import metadata

import numpy as np

HERE = pathlib.Path(__file__).parent
CUTOFFS = (1, 3, 10)


def data():
    """The lists, by name."""
    return json.loads((HERE / "data.json").read_text())


def padded(rows, value, width=None):
    """Rows of one length."""
    width = width or max(map(len, rows))
    of_one = np.shape(next(filter(len, rows))[0])
    array = np.full((len(rows), width, *of_one), value, "float64")
    for number, row in enumerate(rows):
        array[number, : len(row)] = np.reshape(row, (len(row), *of_one))
    return array


def write(peer, packages, values):
    """Writes `<peer>.json`: the values by name, and the versions beside.

    A value is a number of all lists, or a list of the number of each. What is
    no number is null.
    """
    versions = {"python": platform.python_version()}
    versions.update((name, metadata.version(name)) for name in packages)
    lines = [f'"versions": {json.dumps(versions)}']
    for name, value in values.items():
        numbers = np.round(np.asarray(value, "float64"), 10)
        as_text = json.dumps(numbers.tolist()).replace("NaN", "null")
        lines.append(f'"{name}": {as_text}')
    (HERE / f"{peer}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
