"""Pages of the built site in Chromium, and what goes wrong in them."""

import contextlib
import functools
import http.server
import shutil
import threading

import pytest
from site_of_docs import can_be_built

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None
)
WIDTHS = {"a desk": (1400, 1000), "a phone": (390, 844)}
# The marks of tests that need the site and a browser.
MARKS = [
    pytest.mark.long,
    pytest.mark.skipif(not can_be_built(), reason="needs the extra [docs]"),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """Ignore a browser that leaves a page before it is loaded."""


@contextlib.contextmanager
def served(folder):
    """Serve a folder on this machine only, and yield the address."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def opened(
    browser, width, scheme="light", scripts=True, own="http://127.0.0.1:"
):
    """Yield a page, and a list to which errors and requests elsewhere add.

    Args:
        browser: the browser.
        width: the kind of screen, a key of `WIDTHS`.
        scheme: the colours that the system prefers, `"light"` or `"dark"`.
        scripts: False for a browser that runs no scripts.
        own: the start of the addresses that the page may request.
    """
    wrong = []
    wide, high = WIDTHS[width]
    context = browser.new_context(
        viewport={"width": wide, "height": high},
        color_scheme=scheme,
        java_script_enabled=scripts,
    )
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console",
        lambda message: (
            wrong.append(message.text)
            if message.type in ("error", "warning")
            else None
        ),
    )
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((own, "data:"))
            else wrong.append(request.url)
        ),
    )
    page.on(
        "response",
        lambda response: (
            wrong.append(response.url) if response.status >= 400 else None
        ),
    )
    yield page, wrong
    context.close()
