"""`python -m tests.tools.pages` makes tables and pictures of all pages anew."""

import sys
import warnings

from tests.tools.pages.page import METRICS, Page
from tests.tools.pages.thumbnails import THUMBNAILS, file_of, thumbnail

# The examples of the pages have odd labels and padding, as they say.
warnings.filterwarnings("ignore", category=UserWarning, module=r"tests\.tools")
THUMBNAILS.mkdir(exist_ok=True)
for metric in METRICS:
    file_of(metric).write_text(thumbnail(metric))
    page = Page(metric)
    page.write()
    for lack in page.lacks():
        sys.stderr.write(f"{page.file}: {lack}\n")
