"""The gallery: each example has a page, and the output that it shows."""

import pytest
from printed import assert_alike, assert_readable, epochs

from tests.tools.pages import gallery

AGAIN = "`python -m tests.tools.pages.gallery` stores it anew."
INDEX = (gallery.FOLDER / "index.md").read_text()


@pytest.mark.parametrize("name", gallery.RUNS)
def test_each_example_has_a_page(name):
    run = gallery.RUNS[name]
    page = (gallery.FOLDER / f"{run.page}.md").read_text()
    assert f"\n{run.command(name)}\n" in page
    assert f"output/{name}.txt" in page
    assert f"\n{run.page}\n" in INDEX


@pytest.mark.parametrize("name", gallery.RUNS)
def test_the_card_of_each_example_has_lines_of_its_output(name):
    assert f"literalinclude}} output/{name}.txt" in INDEX


@pytest.mark.parametrize("name", gallery.RUNS)
def test_what_is_shown_can_be_read(name):
    output = gallery.stored(name).read_text(encoding="utf-8")
    assert_readable(output)
    assert (
        "epoch  " not in output or "Training with" in output or epochs(output)
    )


def test_the_picture_is_of_the_stored_run():
    output = gallery.stored("learning_to_rank").read_text(encoding="utf-8")
    best = max(line["val_ndcg@10"] for line in epochs(output))
    picture = (gallery.OUTPUT / gallery.PICTURE).read_text()
    assert f"best {best:.4f}<" in picture


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=pytest.mark.only_on(run.backend, reason="of the output"),
        )
        for name, run in gallery.RUNS.items()
    ],
)
def test_it_prints_what_the_page_shows(name, tmp_path):
    if name == "tuner_by_ndcg":
        pytest.importorskip("keras_tuner", reason="needs the extra [interop]")
    stored = gallery.stored(name).read_text(encoding="utf-8")
    assert_alike(gallery.ran(name, tmp_path), stored, AGAIN)
