"""A plugin of pytest that writes all tests to the file `$EVERY_TEST`.

Those of other backends are among them: load it next to `selection`.
"""

import json
import os
import pathlib

import pytest
import selection


@pytest.hookimpl(hookwrapper=True)
def pytest_collection_modifyitems(config, items):
    """Write them, once their markers are set."""
    every = [*items]
    yield
    found = [
        {
            "path": x.path.relative_to(config.rootpath).as_posix(),
            "name": x.name,
            "marks": sorted({mark.name for mark in x.iter_markers()}),
            "backends": selection.backends_of(x),
        }
        for x in every
    ]
    pathlib.Path(os.environ["EVERY_TEST"]).write_text(json.dumps(found))
