"""The built site in a browser: it has no errors, fits, and can be searched."""

import pytest
from in_browser import MARKS, WIDTHS, opened
from site_of_docs import ROOT

from tests.tools.pages.page import METRICS

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
# Pages with long lines of code, output and signatures.
PAGES_WITH_CODE = (
    "citing.html",
    "command.html",
    "comparing.html",
    "contributing.html",
    "conventions.html",
    "custom_loops.html",
    "errors.html",
    "how_sure.html",
    "index.html",
    "own_metrics.html",
    "quickstart.html",
    "reference/keras_rankmetrics.evaluate.html",
    "reliability.html",
    "retrieval.html",
    "rows.html",
    "states.html",
    "strange.html",
)
PAGES_WITH_FORMULAS = (
    "errors.html",
    *(f"metrics/{metric.short_name}.html" for metric in METRICS),
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


def too_wide(page, selector):
    """The beginnings of elements that are cut, or must be scrolled."""
    return page.evaluate(
        """selector => [...document.querySelectorAll(selector)]
        .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth)
        .map(e => e.textContent.slice(0, 80))""",
        selector,
    )


def test_code_is_not_cut_on_a_desk(address, browser):
    with opened(browser, "a desk", scripts=False) as (page, _):
        for name in PAGES_WITH_CODE:
            page.goto(f"{address}/{name}")
            assert page.locator("pre").count() > 0, name
            assert too_wide(page, "pre, .sig") == [], name


@pytest.mark.parametrize("width", WIDTHS)
def test_inline_code_does_not_break(address, browser, width):
    with opened(browser, width, scripts=False) as (page, _):
        for name in (
            "conventions.html",
            "in_keras.html",
            "examples/index.html",
        ):
            page.goto(f"{address}/{name}")
            broken = page.evaluate(
                """() => [...document.querySelectorAll("article code")]
                .filter(e => e.closest("p, li"))
                .filter(e => e.checkVisibility() && e.textContent.length < 30)
                .filter(e => {
                    const tops = [...e.querySelectorAll(".pre")]
                        .flatMap(x => [...x.getClientRects()])
                        .map(x => Math.round(x.top));
                    return new Set(tops).size > 1;
                })
                .map(e => e.textContent)"""
            )
            assert broken == [], name


def test_formulas_fit_on_a_phone(address, browser):
    with opened(browser, "a phone", scripts=False) as (page, _):
        for name in PAGES_WITH_FORMULAS:
            page.goto(f"{address}/{name}")
            formulas = page.locator(".formula")
            assert formulas.count() > 0, name
            assert too_wide(page, ".formula") == [], name
            box = formulas.first.bounding_box()
            assert box["width"] > 100 and box["height"] > 25, name


def test_the_front_page_leads_to_recipes(address, browser):
    with opened(browser, "a desk") as (page, wrong):
        page.goto(f"{address}/index.html")
        button = page.locator("a.sd-btn-primary")
        assert button.inner_text() == "Quickstart"
        assert button.get_attribute("href").endswith("quickstart.html")
        # Both are seen before anything is scrolled.
        for seen in (button, page.get_by_text("pip install").first):
            box = seen.bounding_box()
            assert box["y"] + box["height"] < WIDTHS["a desk"][1]
        cards = page.locator("#recipes .sd-card")
        titles = cards.locator(".sd-card-title").all_inner_texts()
        assert {"LightGBM", "XGBoost", "CatBoost", "MLflow", "FAISS"} < set(
            titles
        )
        links = cards.locator("a.sd-stretched-link")
        assert links.count() == len(titles)
        for link in [link.get_attribute("href") for link in links.all()]:
            page.goto(f"{address}/{link}")
            if (anchor := link.partition("#")[2]) != "":
                assert page.locator(f"[id='{anchor}']").count() == 1, link
        assert wrong == []


def test_the_first_card_of_the_examples_is_compact(address, browser):
    with opened(browser, "a desk", scripts=False) as (page, _):
        page.goto(f"{address}/examples/index.html")
        first, second = page.locator(".gallery > .sd-row > .sd-col").all()[:2]
        height = first.bounding_box()["height"]
        assert height < 1.4 * second.bounding_box()["height"]


def test_the_wall_has_every_metric_with_an_answer(address, browser):
    with opened(browser, "a desk") as (page, wrong):
        page.goto(f"{address}/metrics/index.html")
        page.wait_for_load_state("networkidle")
        cards = page.locator(".wall .sd-card")
        assert cards.count() == len(METRICS)
        shown = cards.evaluate_all(
            """cards => cards.map(card => [
                card.querySelector("a").getAttribute("href"),
                card.querySelector("strong").textContent,
                card.querySelector(".sd-card-text").textContent,
                card.querySelector("img").naturalWidth])"""
        )
        for (link, name, text, width), card in zip(
            shown, cards.all(), strict=True
        ):
            title = title_of(link)
            assert title.startswith(name), link
            assert title.partition(": ")[2].lower() in text.lower(), link
            assert width > 0
            assert card.bounding_box()["width"] > 200
        # The names in the sidebar have one line.
        entries = page.locator(".bd-sidebar-primary .toctree-l1 > a")
        names = [name for _, name, *_ in shown]
        assert entries.all_inner_texts() == names
        assert max(e.bounding_box()["height"] for e in entries.all()) < 35
        assert wrong == []


def title_of(link):
    """The title of the page of a metric."""
    file = ROOT / "docs" / "metrics" / link.replace(".html", ".md")
    title = file.read_text().partition("# ")[2].partition("\n")[0]
    return title.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")


FIRST = {
    "recall": "metrics/recall.html",
    "ndcg": "metrics/ndcg.html",
    "NDCG@10": "metrics/ndcg.html",
    "hit rate": "metrics/hit_rate.html",
    "average precision": "metrics/map.html",
    "mean average precision": "metrics/map.html",
    "mean reciprocal rank": "metrics/mrr.html",
    "normalised discounted cumulative gain": "metrics/ndcg.html",
    "normalized discounted cumulative gain": "metrics/ndcg.html",
    "cutoff": "metrics.html#metrics-of-relevance",
    "p value": "comparing.html#what-is-tested",
    "padding": "input.html#padding",
    "own metric": "own_metrics.html",
    "tie range": "what_is_measured.html#best-and-worst-value-over-ties",
    "early stopping": "in_keras.html#early-stopping-on-a-metric",
    "HitRateAtK": "metrics/hit_rate.html#keras_rankmetrics.HitRateAtK",
    "evaluate": "reference/keras_rankmetrics.evaluate.html",
    "ties": "what_is_measured.html#ties",
    "mask": "masks.html",
    "lightgbm": "rows.html#lightgbm",
    "mlflow": "tracking.html#mlflow",
}


def test_search_finds_first(address, browser):
    with opened(browser, "a desk") as (page, wrong):
        found = page.locator("#search-results li a")
        for query, expected in FIRST.items():
            page.goto(f"{address}/search.html?q={query}")
            found.first.wait_for()
            link = found.first.get_attribute("href")
            assert link.partition("?")[0] == expected, query
        page.goto(f"{address}/search.html?q=nothingofthekind")
        page.get_by_text("did not match any documents").wait_for()
        assert wrong == []


def test_search_as_you_type(address, browser):
    with opened(browser, "a desk") as (page, wrong):
        page.goto(f"{address}/metrics/ndcg.html")
        page.locator(".search-button__button").first.click()
        page.keyboard.type("recall")
        found = page.locator("#search-results li").first
        found.locator("p").wait_for()
        link = found.locator("a").get_attribute("href")
        assert link.endswith("metrics/recall.html")
        # The quote begins with the title, not with the navigation.
        assert found.locator("p").inner_text().startswith("Recall: ")
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
