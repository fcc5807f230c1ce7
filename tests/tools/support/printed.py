"""What the examples print: lines of epochs, and what no log file can show."""

import re

from pytest import approx

WIDEST = 80
NUMBER = re.compile(r"\d+\.\d+")
BARS = re.compile(" *[▏▎▍▌▋▊▉█]+")


def assert_alike(now, stored, message):
    """The same words, and numbers that another machine rounds otherwise."""
    stored, now = (BARS.sub("", text) for text in (stored, now))
    assert NUMBER.sub("", now) == NUMBER.sub("", stored), message
    numbers = [float(x) for x in NUMBER.findall(stored)]
    found = [float(x) for x in NUMBER.findall(now)]
    assert found == approx(numbers, abs=0.1), message


def epochs(output):
    """The numbers of the line of each epoch, by their names."""
    lines = output.splitlines()
    [head] = [line.split() for line in lines if line.startswith("epoch ")]
    rows = [line.split() for line in lines if re.match(r" +\d+  +-?\d", line)]
    assert [row[0] for row in rows] == [str(i + 1) for i in range(len(rows))]
    *names, zero, one = head[1:]
    assert (zero, one) == ("0", "1")  # the ends of the bars
    found = []
    for row in rows:
        *numbers, bar = row[1:]
        assert set(bar) <= set("▏▎▍▌▋▊▉█")
        found.append(dict(zip(names, map(float, numbers), strict=True)))
    return found


def assert_readable(output):
    """Neither escape codes nor lines that a terminal would wrap."""
    assert not set("\r\x1b\b━") & set(output)
    for line in output.splitlines():
        assert len(line) <= WIDEST or "|keras_rankmetrics:" in line, line
