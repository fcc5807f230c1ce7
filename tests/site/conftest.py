"""The built site and the browser that the tests of this folder share."""

import pytest
from in_browser import CHROMIUM, served
from site_of_docs import built


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Return the folder of the site, built once."""
    return built(tmp_path_factory.mktemp("docs"))


@pytest.fixture(scope="module")
def address(site):
    with served(site) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip(
        "playwright.sync_api", reason="needs the extra [site]"
    )
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        yield browser
        browser.close()
