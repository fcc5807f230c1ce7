"""Texts that a command makes again: their words, and their numbers."""

import re

NUMBERS = re.compile(r"(-?\d+\.\d+)")


def in_words_and_numbers(text):
    """What must be equal, and what may be off by a rounding."""
    parts = NUMBERS.split(text)
    return parts[::2], [float(number) for number in parts[1::2]]
