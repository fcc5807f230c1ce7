"""How long files take, beside trec_eval, pytrec_eval, ir_measures and ranx.

    python -m tests.tools.benchmarks.files
    python -m tests.tools.benchmarks.files --lines 10000000
    python -m tests.tools.benchmarks.files --trec-eval ./trec_eval

Each tool reads the same files and prints the same three measures, in processes
of its own that take turns. The time is that of the whole process, with the
start of Python and of what the tool imports. Wall time says nothing on a busy
machine, so the time of the processor is beside it. A tool that is not installed
is left out; trec_eval is measured if its program is on the path, or is named.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence

import numpy as np

from tests.tools.benchmarks.backends import ratio_of
from tests.tools.benchmarks.markdown import table

_DEPTH, _JUDGED, _DOCUMENTS = 1000, 100, 1_000_000

PYTREC_EVAL = """
import sys
import pytrec_eval
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    judged = pytrec_eval.parse_qrel(qrels)
    found = pytrec_eval.parse_run(run)
names = "ndcg_cut_10", "map_cut_100", "recip_rank"
asked = {"ndcg_cut.10", "map_cut.100", "recip_rank"}
values = pytrec_eval.RelevanceEvaluator(judged, asked).evaluate(found)
for name in names:
    each = [of_query[name] for of_query in values.values()]
    print(sum(each) / len(each))
"""
IR_MEASURES = """
import sys
import ir_measures
from ir_measures import AP, RR, nDCG
asked = [nDCG @ 10, AP @ 100, RR]
found = ir_measures.calc_aggregate(
    asked,
    ir_measures.read_trec_qrels(sys.argv[1]),
    ir_measures.read_trec_run(sys.argv[2]),
)
for name in asked:
    print(found[name])
"""
RANX = """
import sys
from ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(sys.argv[1], kind="trec")
run = Run.from_file(sys.argv[2], kind="trec")
found = evaluate(qrels, run, ["ndcg@10", "map@100", "mrr"])
print(*found.values(), sep="\\n")
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a table with a row for each tool."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.benchmarks.files",
        description=(__doc__ or "").partition("\n")[0],
    )
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--trec-eval", default="trec_eval")
    parser.add_argument("--tools", nargs="+", help="(default: all)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = write(folder, options.lines)
        commands = {
            tool: command
            for tool, command in tools(options.trec_eval, qrels, run).items()
            if not options.tools or tool in options.tools
        }
        print(
            f"{options.lines:,} lines, {os.path.getsize(run) / 1e6:.0f} MB, "
            f"{options.rounds} rounds, load {os.getloadavg()[0]:.1f}\n",
            flush=True,
        )
        header = "tool", "wall", "processor", "krm / tool", "memory", "ndcg@10"
        print(table(header, rows_of(measured(commands, options.rounds))))


def write(folder: str, lines: int) -> tuple[str, str]:
    """Judgements and a run of a thousand documents for each query."""
    rng = np.random.default_rng(0)
    qrels, run = f"{folder}/qrels.txt", f"{folder}/run.txt"
    with open(qrels, "w") as judged, open(run, "w") as found:
        for query in range(lines // _DEPTH):
            documents = rng.choice(_DOCUMENTS, _DEPTH, replace=False)
            scores = np.sort(rng.normal(20.0, 5.0, _DEPTH))[::-1]
            found.writelines(
                f"{query} Q0 doc{document:07d} {rank} {score:.6f} run\n"
                for rank, (document, score) in enumerate(
                    zip(documents.tolist(), scores.tolist(), strict=True), 1
                )
            )
            grades = rng.integers(0, 4, _JUDGED)
            known = rng.choice(documents, _JUDGED, replace=False)
            judged.writelines(
                f"{query} 0 doc{document:07d} {grade}\n"
                for document, grade in zip(
                    known.tolist(), grades.tolist(), strict=True
                )
            )
    return qrels, run


def tools(trec_eval: str, qrels: str, run: str) -> dict[str, list[str]]:
    """The command of each tool that is there."""
    python = [sys.executable, "-c"]
    found = {
        "krm": [
            *(sys.executable, "-m", "krm_command", "eval", qrels, run),
            *("-m", "NDCG@10 MAP@100 RR", "--format", "csv"),
            *("--convention", "trec_eval"),
        ],
    }
    programs = {
        "pytrec_eval": PYTREC_EVAL,
        "ir_measures": IR_MEASURES,
        "ranx": RANX,
    }
    for name, text in programs.items():
        if importlib.util.find_spec(name) is not None:
            found[name] = [*python, text, qrels, run]
    program = shutil.which(trec_eval)
    if program is not None:
        asked = ["ndcg_cut.10", "map_cut.100", "recip_rank"]
        options = [part for name in asked for part in ("-m", name)]
        found["trec_eval"] = [program, *options, qrels, run]
    return found


# Wall time, processor time, memory and output.
Turn = tuple[float, float, float, str]


def measured(
    commands: dict[str, list[str]], rounds: int
) -> dict[str, list[Turn]]:
    """Run all tools once a round, and return the turns of each."""
    turns = [{t: _run(x) for t, x in commands.items()} for _ in range(rounds)]
    return {tool: [turn[tool] for turn in turns] for tool in commands}


def rows_of(found: dict[str, list[Turn]]) -> Iterator[list[str]]:
    """Yield the medians of each tool."""
    for tool, turns in found.items():
        *times, memory = (
            statistics.median(turn[place] for turn in turns)
            for place in range(3)
        )
        processor = [
            [turn[1] for turn in of_tool]
            for of_tool in (found.get("krm", turns), turns)
        ]
        yield [
            tool,
            *(f"{seconds:.1f} s" for seconds in times),
            f"{ratio_of(*processor):.2f}",
            f"{memory / 2**20:.0f} MiB",
            turns[-1][3],
        ]


def _run(command: list[str]) -> Turn:
    environment = {**os.environ}
    environment.pop("KERAS_BACKEND", None)
    start = time.monotonic()
    with (
        tempfile.TemporaryFile("w+") as out,
        subprocess.Popen(command, stdout=out, env=environment) as process,
    ):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        out.seek(0)
        text = out.read()
    if process.returncode:
        raise RuntimeError(f"{command[:4]} failed")
    processor = usage.ru_utime + usage.ru_stime
    return wall, processor, usage.ru_maxrss * 1024.0, _ndcg(text)


def _ndcg(text: str) -> str:
    """The first number that is no count: that of NDCG, as it is asked first."""
    for line in text.splitlines():
        if line.startswith("recip_rank"):  # of trec_eval, in its own order
            continue
        for word in line.replace(",", " ").split():
            if "." in word and word.replace(".", "").isdigit():
                return f"{float(word):.4f}"
    return "?"


if __name__ == "__main__":
    main()
