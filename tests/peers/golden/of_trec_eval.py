"""Write the hits that each version of trec_eval takes for a recall.

Run `python tests/peers/golden/of_trec_eval.py 9.0.8=PROGRAM 10.0=PROGRAM`, with
the programs that `make` builds from these tags of usnistgov/trec_eval. List n
has n relevant items, at the odd ranks. So the interpolated precision after j
hits is j / (2j - 1), which determines j.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

LISTS = 50  # beyond, two numbers of hits have the same four decimals
TENTHS = [f"{tenths / 10:.2f}" for tenths in range(11)]
HITS = {f"{j / (2 * j - 1):.4f}": j for j in range(1, LISTS + 1)}


def printed(program, folder):
    """Return the precisions that the program prints, by measure and query."""
    qrels, run = folder / "qrels.txt", folder / "run.txt"
    lists = range(1, LISTS + 1)
    qrels.write_text(
        "".join(f"{n} 0 {2 * i + 1} 1\n" for n in lists for i in range(n))
    )
    run.write_text(
        "".join(
            f"{n} Q0 {rank} {rank} {-rank} run\n"
            for n in lists
            for rank in range(1, 2 * n)
        )
    )
    text = subprocess.run(
        [program, "-q", "-m", "iprec_at_recall", qrels, run],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    lines = map(str.split, text.splitlines())
    return {(measure, query): value for measure, query, value in lines}


def hits(program):
    """Return the hits at each tenth, for 1, 2, ... relevant items."""
    with tempfile.TemporaryDirectory() as folder:
        found = printed(program, pathlib.Path(folder))
    return {
        recall: [
            HITS[found[f"iprec_at_recall_{recall}", str(n)]]
            for n in range(1, LISTS + 1)
        ]
        for recall in TENTHS
    }


if __name__ == "__main__":
    versions = dict(argument.split("=", 1) for argument in sys.argv[1:])
    values = {version: hits(path) for version, path in versions.items()}
    path = pathlib.Path(__file__).with_name("trec_eval.json")
    text = json.dumps({"hits": values}, separators=(",", ":"))
    path.write_text(text.replace('],"', '],\n"') + "\n")
