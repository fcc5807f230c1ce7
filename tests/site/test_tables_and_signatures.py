"""Pages of metrics in a browser: signature first, and tables that are whole."""

import inspect

import pytest
from in_browser import MARKS, WIDTHS, opened

from tests.tools.pages.page import METRICS

PAGES = [f"metrics/{metric.short_name}.html" for metric in METRICS]
pytestmark = MARKS

# What the types `TiePolicy`, `EmptyPolicy`, `InputForm` and `Labels` mean.
LINKED = {
    "ties": "what_is_measured.html#ties",
    "empty": "what_is_measured.html#lists-without-relevant-items",
    "inputs": "input.html",
    "labels": "uncertain.html",
}
SIGNATURE = """name => {
    const signature = document.getElementById(`keras_rankmetrics.${name}`);
    const box = signature.getBoundingClientRect();
    const formula = document.getElementById("formula");
    const fonts = [...signature.querySelectorAll("em")]
        .map(e => getComputedStyle(e))
        .map(style => `${style.fontWeight} ${style.fontStyle}`);
    return {
        top: box.top, bottom: box.bottom, height: box.height,
        formula: formula.getBoundingClientRect().top,
        fonts: [...new Set(fonts)],
    };
}"""
# The first cell of each row, the second one, and the link of the first one.
ARGUMENTS = """() => [...document.querySelectorAll(".arguments tbody tr")]
    .map(row => [...row.querySelectorAll("td")])
    .map(([first, second]) => [first.innerText, second.innerText,
        first.querySelector("a")?.getAttribute("href")])"""
# Scrolling containers of tables that do not show all of it.
CUT = """() => [...document.querySelectorAll(
        ".play-conventions, .pst-scrollable-table-container")]
    .filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth)
    .map(e => e.textContent.trim().slice(0, 60))"""


@pytest.mark.parametrize("width", WIDTHS)
def test_the_signature_is_short_and_first(address, browser, width):
    _, high = WIDTHS[width]
    with opened(browser, width, scripts=False) as (page, _):
        for metric, name in zip(METRICS, PAGES, strict=True):
            page.goto(f"{address}/{name}")
            found = page.evaluate(SIGNATURE, metric.__name__)
            assert found["bottom"] < high and found["height"] < 200, name
            assert found["formula"] > found["top"], name
            assert found["fonts"] in ([], ["400 normal"]), name


@pytest.mark.parametrize("width", WIDTHS)
def test_all_arguments_are_in_a_table_that_links(address, browser, width):
    with opened(browser, width, scripts=False) as (page, _):
        for metric, name in zip(METRICS, PAGES, strict=True):
            page.goto(f"{address}/{name}")
            rows = page.evaluate(ARGUMENTS)
            shown = {text.partition("=")[0]: rest for text, *rest in rows}
            assert shown.keys() == inspect.signature(metric).parameters.keys()
            for argument, (values, link) in shown.items():
                assert values.strip() != "", (name, argument)
                assert "see above" not in values
                if argument in LINKED:
                    assert link == f"../{LINKED[argument]}", name


def test_values_that_a_metric_refuses_are_not_listed(address, browser):
    expected = {
        "alpha_ndcg": ("inputs", 'the form of the input: "scores"'),
        "dcg": ("empty", 'lists without relevant items: "zero", "skip"'),
        "novelty": ("adjusted", "the chance level: None"),
    }
    with opened(browser, "a desk", scripts=False) as (page, _):
        for name, (argument, values) in expected.items():
            page.goto(f"{address}/metrics/{name}.html")
            row = page.locator(".arguments tr", has_text=f"{argument}=")
            assert row.locator("td").last.inner_text() == values


def test_tables_are_whole_on_a_desk(address, browser, site):
    pages = [path.relative_to(site).as_posix() for path in site.rglob("*.html")]
    with opened(browser, "a desk") as (page, wrong):
        for name in pages:
            if not name.startswith(("_", "genindex", "search")):
                page.goto(f"{address}/{name}")
                assert page.evaluate(CUT) == [], name
        assert wrong == []


def test_tables_of_metrics_are_whole_on_a_phone(address, browser):
    with opened(browser, "a phone", scripts=False) as (page, _):
        for name in ("index.html", *PAGES):
            page.goto(f"{address}/{name}")
            cut = page.evaluate(CUT)
            assert [text for text in cut if "conventions" in text] == [], name
            assert [text for text in cut if "argument" in text] == [], name


def test_values_by_convention_can_be_compared_on_a_phone(address, browser):
    with opened(browser, "a phone") as (page, wrong):
        page.goto(f"{address}/play.html")
        table = page.locator(".play-conventions")
        table.locator("tbody tr").first.wait_for()
        whole = table.evaluate(
            """e => [...e.querySelectorAll("thead th")].filter(th =>
                th.getBoundingClientRect().right
                <= e.getBoundingClientRect().right).length"""
        )
        assert whole >= 5  # the name and four metrics
        table.evaluate("e => e.scrollLeft = 300")
        name = table.get_by_role("rowheader", name="trec_eval", exact=True)
        # The names stay in sight.
        assert abs(name.bounding_box()["x"] - table.bounding_box()["x"]) < 2
        assert wrong == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_bar_of_a_box_is_as_wide_as_the_box(address, browser, width):
    with opened(browser, width, scripts=False) as (page, _):
        page.goto(f"{address}/metrics/ndcg.html")
        box = page.locator(".admonition.seealso").bounding_box()
        bar = page.locator(".admonition.seealso > .admonition-title")
        right = bar.bounding_box()["x"] + bar.bounding_box()["width"]
        assert abs(right - box["x"] - box["width"]) < 5


@pytest.mark.parametrize("width", WIDTHS)
def test_every_metric_to_play_with_has_a_link_and_a_bar(
    address, browser, width
):
    with opened(browser, width) as (page, wrong):
        page.goto(f"{address}/play.html")
        page.locator(".play-metrics tr").first.wait_for()
        for row in page.locator(".play-metrics tr").all():
            name = row.locator("a").inner_text()
            assert row.locator("a").get_attribute("href").endswith(".html")
            if row.locator(".play-value").inner_text() != "excluded":
                bar = row.locator(".play-bar")
                assert "empty" not in bar.get_attribute("class"), name
                assert bar.locator("span").is_visible(), name
        dcg = page.locator("tr[data-row=DCG] .play-bar")
        part = dcg.locator("span").bounding_box()["width"]
        # 1, of 1 + 1 / log2(3) + 1 / log2(4) in the best order.
        whole = dcg.bounding_box()["width"]
        assert abs(part / whole - 0.469) < 0.05
        assert wrong == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_front_page_shows_what_it_computes(address, browser, width):
    with opened(browser, width) as (page, wrong):
        page.goto(f"{address}/index.html")
        first = page.locator("pre", has_text=">>>").first
        assert "ndcg@10 = 0.7611 ± 0.0162" in first.inner_text()
        speed = page.locator("#how-fast table")
        assert "keras_rs" in speed.inner_text()
        assert page.evaluate(CUT) == []
        card = page.locator("#more .sd-card", has_text="Licence")
        assert card.locator("svg, i, .download").count() == 0
        assert card.locator("a").get_attribute("href") == "LICENSE"
        assert wrong == []
        response = page.request.get(f"{address}/LICENSE")
        assert "Apache License" in response.text()
