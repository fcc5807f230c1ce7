"""The tools that `explain` finds for what they report, and what that proves."""

import datetime

import pytest

from keras_rankmetrics.explaining.answers import Explanation
from tests.tools.reported import __main__ as reported
from tests.tools.reported import explained

# ranx takes minutes to compile, and others to import.
QUICK = ("catboost", "lightgbm", "mlflow", "pyg", "trec_eval_without_c")
TODAY = datetime.date.today().toordinal()


@pytest.mark.long
@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")
def test_nearly_all_are_found():
    values = [
        each
        for tool in reported.tools()
        if tool.convention in QUICK and tool.version is not None
        for each in explained.of_tool(tool, TODAY)
    ]
    if not values:
        pytest.skip("none of the tools is installed")
    found = [x for x in values if x.place is not None]
    first = [x for x in values if x.place == 0]
    assert len(found) >= 0.99 * len(values), set(values) - set(found)
    # Here the numbers are few: the page has the share of 2,000.
    assert len(first) >= 0.85 * len(values)


@pytest.mark.parametrize(
    "coincidences, of_tools, warning",
    [
        (9.0, 0.5, "A match is no evidence: a number of so few digits"),
        (0.5, 0.49, "An answer that is in no tool is no evidence."),
        (0.49, 0.49, ""),
    ],
)
def test_how_much_a_match_proves(coincidences, of_tools, warning):
    found = Explanation("0.83", (), (), 9, 9, coincidences, of_tools)
    _, numbers, *warnings = found.head
    assert f"{coincidences:.2g} would, and {of_tools:.2g} of those" in numbers
    assert len(warnings) == bool(warning)
    assert all(x.startswith(warning) for x in warnings)
