"""Run the pages that write files in a folder of their own."""

import pytest

WRITE_FILES = ("quickstart.md",)


@pytest.fixture(autouse=True)
def in_a_new_folder(request, tmp_path, monkeypatch):
    """Change to an empty folder if the page writes files."""
    if request.path.name in WRITE_FILES:
        monkeypatch.chdir(tmp_path)
