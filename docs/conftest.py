"""How the examples of the pages run: which are long, warn or write files."""

import pathlib

import pytest

HERE = pathlib.Path(__file__).parent
# Pages whose examples train models: a fifth of the time of all quick tests.
LONG_PAGES = frozenset(
    (
        "catalogues.md",
        "clicks.md",
        "custom_loops.md",
        "errors.md",
        "in_keras.md",
        "masks.md",
        "quickstart.md",
        "strange.md",
        "two_rankings.md",
        "uncertain.md",
        "what_is_measured.md",
    )
)
# What the package says of inputs that these pages show on purpose.
SHOWN_ON_PAGES = pytest.mark.filterwarnings(
    "ignore:.*(lists of one item|make each batch one list|Labels should be 0)"
)
PAGES_THAT_WARN = frozenset(("errors.md", "in_keras.md", "strange.md"))
WRITE_FILES = ("quickstart.md",)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the pages."""
    for item in items:
        if item.path.parent != HERE:
            continue
        if item.path.name in LONG_PAGES:
            item.add_marker(pytest.mark.long)
        if item.path.name in PAGES_THAT_WARN:
            item.add_marker(SHOWN_ON_PAGES)


@pytest.fixture(autouse=True)
def in_a_new_folder(request, tmp_path, monkeypatch):
    """Change to an empty folder if the page writes files."""
    if request.path.name in WRITE_FILES:
        monkeypatch.chdir(tmp_path)
