"""The built site in a browser: it has no errors, fits, and can be searched."""

import pytest
from in_browser import MARKS, WIDTHS, opened

PAGES = (
    "index.html",
    "quickstart.html",
    "play.html",
    "strange.html",
    "metrics/ndcg.html",
    "metrics/coverage.html",
    "conventions.html",
    "custom_loops.html",
    "benchmarks.html",
    "examples/index.html",
    "examples/next_item.html",
    "metrics.html",
    "reference/keras_rankmetrics.RankingMetric.html",
    "reference_values.html",
)
pytestmark = MARKS


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_have_no_errors_and_fit(address, browser, width, scheme):
    with opened(browser, width, scheme) as (page, wrong):
        for name in PAGES:
            page.goto(f"{address}/{name}")
            page.wait_for_load_state("networkidle")
            assert wrong == [], name
            beyond = page.evaluate(
                "document.documentElement.scrollWidth - window.innerWidth"
            )
            assert beyond <= 0, f"{name} is {beyond} pixels too wide"
            theme = page.evaluate("document.documentElement.dataset.theme")
            assert theme == scheme
            # An image that is not there has no width.
            assert page.evaluate(
                "[...document.images].every(i => i.naturalWidth > 0)"
            ), name


def test_the_formula_is_drawn(address, browser):
    with opened(browser, "a desk") as (page, _):
        page.goto(f"{address}/metrics/ndcg.html")
        box = page.locator(".formula math").first.bounding_box()
        assert box["width"] > 100 and box["height"] > 25


def test_search_finds_ties(address, browser):
    with opened(browser, "a desk") as (page, wrong):
        page.goto(f"{address}/search.html?q=ties")
        found = page.locator("#search-results li a")
        found.first.wait_for()
        links = [found.nth(i).get_attribute("href") for i in range(5)]
        assert any("what_is_measured.html" in link for link in links), links
        page.goto(f"{address}/search.html?q=nothingofthekind")
        page.get_by_text("did not match any documents").wait_for()
        assert wrong == []


def test_the_tabs_of_backends_switch_together(address, browser):
    with opened(browser, "a desk") as (page, wrong):
        page.goto(f"{address}/quickstart.html")
        page.locator("label.sd-tab-label", has_text="JAX").click()
        assert page.get_by_text("export KERAS_BACKEND=jax").is_visible()
        # The choice holds on other pages.
        page.goto(f"{address}/custom_loops.html")
        assert page.get_by_text("jax.value_and_grad").is_visible()
        assert not page.get_by_text("tf.GradientTape").is_visible()
        assert wrong == []


def test_pictures_follow_the_theme_that_the_reader_chooses(address, browser):
    """Light text of a picture is drawn on a dark page, whatever the system."""
    with opened(browser, "a desk", "light") as (page, _):
        page.goto(f"{address}/index.html")
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        scheme = page.evaluate(
            "getComputedStyle(document.querySelector('article img'))"
            ".colorScheme"
        )
        background = page.evaluate(
            "getComputedStyle(document.querySelector('article img'))"
            ".backgroundColor"
        )
        assert (scheme, background) == ("dark", "rgba(0, 0, 0, 0)")
