"""`python -m tests.pages` makes the tables and pictures of all pages anew."""

import sys

from tests.pages.page import METRICS, Page

for metric in METRICS:
    page = Page(metric)
    page.write()
    for lack in page.lacks():
        sys.stderr.write(f"{page.file}: {lack}\n")
