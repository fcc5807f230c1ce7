"""The tools that `explain` finds, of the values that they report today."""

import datetime

import pytest

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
