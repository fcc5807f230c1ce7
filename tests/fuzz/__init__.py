"""The fuzzer: random batches, and what the oracle says of them.

A *case* is one batch that is given to one metric. Many metrics get the same
batch, in a collection or one after the other, and each is a case of its own.

    draws ──▶ Case ──▶ outcomes: what the package does
                  └──▶ judge:    what the oracle says, and whether that fits

- `parts` are the arrays of a batch, with dtypes that numpy may lack;
- `rows_of_items` and `rows_of_subtopics` are what the catalogue of the tests
  does not have, and `pools` all metrics, by their family, in suites that are
  given the same batches;
- `draws` makes a case of a seed, of `kinds` of numbers, and `breaks` breaks
  one;
- `outcomes` runs it: eager, or in a program that is compiled;
- `lists` are what oracles take, and `of_relevance`, `of_items` and
  `of_subtopics` what they say of each family;
- `judge` compares, and `search` goes on until a time or a number is over.

Each case that ever failed is a file in `cases`, and a test.
"""

import pathlib
import sys

# The oracle and the catalogue, where pytest does not find them.
sys.path.append(str(pathlib.Path(__file__).parents[1] / "tools" / "support"))
