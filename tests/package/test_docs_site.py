"""The site that Sphinx builds of the docs: its links, and its front page."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest
from links import dead_links, pages_of, source_links

import keras_rankmetrics as krm
from tests.pages.page import METRICS as METRICS_WITH_PAGES
from tests.pages.page import Page

ROOT = pathlib.Path(__file__).parents[2]
METRICS = [
    name
    for name, value in vars(krm.metrics).items()
    if isinstance(value, type)
    and value.__module__.startswith(krm.metrics.__name__)
]


@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("sphinx", "myst_parser", "furo"))),
    reason="needs the extra [docs]",
)
def test_every_link_of_the_site_leads_somewhere(tmp_path):
    # One test, so that the site is built once.
    site = tmp_path / "site"
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going"]
    built = subprocess.run(
        [*sphinx, "-d", tmp_path / "doctrees", ROOT / "docs", site],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr

    assert list(source_links(site)) == []
    assert dead_links(site) == []

    pages = pages_of(site)
    for page in map(Page, METRICS_WITH_PAGES):
        assert f"metrics/{page.file.stem}.html" in pages
        assert (site / "_images" / page.picture.name).is_file()

    front = pages["index.html"]
    assert "install" in front.ids
    assert len(METRICS) == 47
    for name in METRICS:
        assert name in front.tables


LINKS = {
    "here.html": True,
    "#here": True,
    "#": True,
    "": True,
    "folder/there.html": True,
    "folder/there.html?v=1#there": True,
    "with%20space.txt": True,
    "https://keras.io/nowhere#nothing": True,
    "//keras.io/nowhere": True,
    "mailto:nobody": True,
    "gone.html": False,
    "folder": False,
    "#there": False,
    "folder/there.html#here": False,
    "with%20space.txt#here": False,
    "/here.html": False,
    "../here.html": False,
}


@pytest.mark.parametrize("link", LINKS)
def test_which_links_are_dead(tmp_path, link):
    (tmp_path / "folder").mkdir()
    (tmp_path / "with space.txt").write_text("")
    (tmp_path / "here.html").write_text(f'<p id="here"><a href="{link}">')
    there = tmp_path / "folder" / "there.html"
    there.write_text('<p id="there"><img src="../here.html#here">')
    dead = [] if LINKS[link] else [f"here.html: {link}"]
    assert dead_links(tmp_path) == dead


def test_links_that_name_a_source(tmp_path):
    (tmp_path / "index.html").write_text(
        '<a href="#docs/in_keras.md"><a href="in_keras.html#sources">'
    )
    assert list(source_links(tmp_path)) == ["index.html: #docs/in_keras.md"]
