"""The colours of letters: those of a light page, and of a dark one.

An SVG asks for the scheme of the system, and a reader can give a page another.
So the letters of each scheme can be read on the page of the other too.
"""

import pathlib

LIGHT, DARK = "#656d76", "#8b949e"
STYLE = f"""<style type="text/css">
  @media (prefers-color-scheme: dark) {{
   [style*="fill: {LIGHT}"] {{ fill: {DARK} !important }}
  }}
 </style>
 """


def follow_the_scheme(file: pathlib.Path) -> None:
    """Letters in `LIGHT` are in `DARK` where the reader's scheme is dark."""
    head, defs, rest = file.read_text().partition("<defs>")
    file.write_text(f"{head}{STYLE}{defs}{rest}")
