"""The site of the docs, built as `.ci/run` builds it."""

import importlib.util
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[3]
# What the extra [docs] brings.
NEEDED = (
    "codespell_lib",
    "latex2mathml",
    "myst_parser",
    "pydata_sphinx_theme",
    "sphinx",
    "sphinx_copybutton",
    "sphinx_design",
)


def can_be_built() -> bool:
    """Whether the extra [docs] is installed."""
    return all(map(importlib.util.find_spec, NEEDED))


def built(
    folder: pathlib.Path, docs: pathlib.Path = ROOT / "docs"
) -> pathlib.Path:
    """The folder of the site, built with each warning as an error."""
    site = folder / "site"
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going"]
    ran = subprocess.run(
        [*sphinx, "-d", folder / "doctrees", docs, site],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return site
