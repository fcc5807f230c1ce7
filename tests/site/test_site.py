"""The site that Sphinx builds of the docs: its links, and its reference."""

import re
import subprocess
import sys

import pytest
from links import dead_links, markdown_links, pages_of, source_links
from site_of_docs import ROOT, built, can_be_built

import keras_rankmetrics as krm
from tests.tools.pages.page import METRICS as METRICS_WITH_PAGES
from tests.tools.pages.page import Page

# Marks of objects that are for programs, not for readers.
MARKS = re.compile(
    r"mailto:|\b_memo\b|TypeAliasForwardRef|&lt;(function|class|factory|object)\b"
)
# Pages that show sources, where such a mark is code.
SOURCES = ("_modules/",)


@pytest.mark.skipif(not can_be_built(), reason="needs the extra [docs]")
def test_the_site(site):
    assert list(source_links(site)) == []
    dead = dead_links(site)
    assert dead == [], "\n".join(dead)

    pages = pages_of(site)
    for page in map(Page, METRICS_WITH_PAGES):
        name = f"metrics/{page.file.stem}.html"
        assert f"keras_rankmetrics.{page.metric.__name__}" in pages[name].ids
        assert (site / "_images" / page.picture.name).is_file()
        text = (site / name).read_text()
        assert "<math" in text and "\\frac" not in text

    ids = {
        id
        for name, page in pages.items()
        if name.startswith(("reference/", "metrics/", "metrics.html"))
        for id in page.ids
    }
    for name in set(krm.__all__) - {"__version__"}:
        assert f"keras_rankmetrics.{name}" in ids, f"{name} in the reference"
    for name in set(krm.__all__) - {"__version__", "UNJUDGED"}:
        assert name in pages["metrics.html"].tables, f"{name} in metrics.md"

    linked = (site / "quickstart.html").read_text()
    assert "/quickstart.ipynb" in linked and "Colab" not in linked

    for name in pages:
        if not name.startswith(SOURCES):
            found = MARKS.search((site / name).read_text())
            assert not found, f"{name}: {found}"

    text = (site / "llms.txt").read_text()
    assert text.startswith(f"# {krm.__name__}\n\n> Ranking metrics for Keras")
    links = markdown_links(text)
    assert links["metrics/ndcg.html"] == "NDCG"
    # Pages that Sphinx makes of no file.
    made = re.compile(r"_modules/|(index|genindex|py-modindex|search)\.html$")
    assert set(links) == {name for name in pages if not made.match(name)}, (
        "pages in no table of contents"
    )
    for line in filter(None, text.splitlines()[4:]):
        assert re.match(r"## \w|- \[[^\]]+\]\([\w./-]+\.html\): \S", line), line


@pytest.mark.skipif(not can_be_built(), reason="needs the extra [docs]")
@pytest.mark.parametrize(
    "base, address", [("", ""), ("https://a.b/c", "https://a.b/c/")]
)
def test_links_for_language_models(tmp_path, base, address):
    source, site = tmp_path / "docs", tmp_path / "site"
    source.mkdir()
    (source / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT / 'docs' / '_ext')!r})\n"
        "extensions = ['descriptions', 'llms']\n"
        f"project, html_baseurl = 'krm', {base!r}\n"
    )
    for name, text in {
        "index": "All\n===\n\nText.\n\n.. toctree::\n\n   one\n",
        "one": "One: 1\n======\n\nFirst.\n\n.. toctree::\n\n   two\n",
        "two": "Two: what?\n==========\n\nSecond:\n",
    }.items():
        (source / f"{name}.rst").write_text(text)
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", source, site]
    subprocess.run(sphinx, check=True)
    assert (site / "llms.txt").read_text() == (
        "# krm\n\n> Text.\n\n## One\n\n"
        f"- [One]({address}one.html): First.\n"
        f"- [Two]({address}two.html): What? Second\n"
    )


@pytest.mark.skipif(not can_be_built(), reason="needs the extra [docs]")
@pytest.mark.parametrize("repository", ["", "owner/name"])
def test_a_page_links_to_its_notebook(tmp_path, repository):
    docs = tmp_path / "docs"
    (docs / "examples").mkdir(parents=True)
    (docs / "examples" / "page.ipynb").write_text("{}")
    (docs / "page.md").write_text("# A page\n")
    (docs / "index.md").write_text("# A\n```{toctree}\npage\n```\n")
    (docs / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT / 'docs' / '_ext')!r})\n"
        'extensions = ["myst_parser", "notebooks"]\n'
        f"html_context = {{'repository': {repository!r}}}\n"
    )
    site = built(tmp_path, docs)
    links = [x for x in pages_of(site)["page.html"].links if ".ipynb" in x]
    [file] = site.glob("_downloads/*/page.ipynb")
    assert links.pop(0) == file.relative_to(site).as_posix()
    colab = "https://colab.research.google.com/github"
    there = f"{colab}/{repository}/blob/main/docs/examples/page.ipynb"
    assert links == [there] * bool(repository)
    assert ".ipynb" not in (site / "index.html").read_text()


def test_the_reference_has_a_row_for_every_metric():
    page = (ROOT / "docs" / "metrics.md").read_text()
    rows = re.findall(
        r"^\| \[`(\w+)`\]\(metrics/(\w+)\.md\) \| `(\w+)", page, re.M
    )
    assert sorted(rows) == sorted(
        (metric.__name__, metric.short_name, metric.short_name)
        for metric in METRICS_WITH_PAGES
    )


def test_old_addresses_still_lead_somewhere():
    # Sections that were on that page, and are pages now.
    page = (ROOT / "docs" / "in_keras.md").read_text()
    for old in ("masks", "custom-loops", "states", "precision", "saving"):
        assert f"({old})=" in page
    assert "## Point-wise models" in page


README_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def test_every_link_of_the_readme_leads_to_a_file():
    links = README_LINK.findall((ROOT / "README.md").read_text())
    assert len(links) > 5
    for link in links:
        assert (ROOT / link).is_file(), link


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
