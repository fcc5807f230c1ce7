"""Run the pages in a folder of their own, so that they can write files."""

import pytest


@pytest.fixture(autouse=True)
def in_a_new_folder(tmp_path, monkeypatch):
    """Change to an empty folder."""
    monkeypatch.chdir(tmp_path)
