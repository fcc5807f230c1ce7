"""Texts that a command makes again: their words, and their numbers."""

import re

NUMBERS = re.compile(r"(-?\d+\.\d+)")


def in_words_and_numbers(text):
    """What must be equal, and what may be off by a rounding."""
    parts = NUMBERS.split(text)
    return parts[::2], [float(number) for number in parts[1::2]]


def follow_the_scheme(svg, colour):
    """Return True if all letters of a picture have the colour of the page."""
    styles = re.findall(r"<text [^>]*style=\"([^\"]*)\"", svg)
    return (
        svg.count("prefers-color-scheme: dark") == 1
        and len(styles) == svg.count("<text ")
        and all(f"fill: {colour}" in style for style in styles)
    )
