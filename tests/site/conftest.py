"""The built site and the browser that the tests of this folder share."""

import os
import pathlib

import pytest
from in_browser import CHROMIUM, served
from site_of_docs import built


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Return the folder of the site, which one of the workers builds."""
    fcntl = pytest.importorskip("fcntl", reason="locks of Unix")
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # which all workers share
    done = folder / "site_is_built"
    with (folder / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            done.write_text(str(built(folder / "docs")))
    return pathlib.Path(done.read_text())


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
