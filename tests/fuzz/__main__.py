"""`python -m tests.fuzz --minutes 5 --backends torch jax`."""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys

BACKENDS = ("torch", "tensorflow", "jax")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description="Gives random batches to random metrics, and compares with "
        "the oracle. Each backend runs in a process of its own.",
    )
    parser.add_argument("--seed", type=int, default=0, help="of all draws")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="for each backend"
    )
    parser.add_argument(
        "--cases", type=float, default=None, help="for each backend"
    )
    parser.add_argument(
        "--backends", nargs="+", choices=BACKENDS, default=BACKENDS
    )
    parser.add_argument(
        "--keep",
        type=pathlib.Path,
        help="a folder for the cases that fail, as tests/fuzz/cases",
    )
    asked = parser.parse_args()
    if asked.cases is None:
        asked.cases = 1e4 if asked.minutes == float("inf") else float("inf")
    if len(asked.backends) == 1:
        os.environ["KERAS_BACKEND"] = asked.backends[0]
        return searched(asked)
    return max([of_one_backend(backend) for backend in asked.backends])


def of_one_backend(backend: str) -> int:
    command = [sys.executable, "-m", "tests.fuzz", *sys.argv[1:]]
    return subprocess.run([*command, "--backends", backend]).returncode


def searched(asked: argparse.Namespace) -> int:
    from .search import Search

    search = Search(asked.seed).run(60 * asked.minutes, asked.cases)
    print(
        f"{asked.backends[0]}: {search.cases:,} cases of {search.batches:,} "
        f"batches, seed {asked.seed}: {len(search.found)} failed"
    )
    for kind, number in sorted(search.kinds.items()):
        print(f"  {kind}: {number:,}")
    told = set()
    for case, failure in search.found:
        key = failure.kind, str(failure.cell.row), case.broken
        if asked.keep:
            text = case.as_json()
            name = hashlib.sha256(text.encode()).hexdigest()[:12]
            asked.keep.mkdir(parents=True, exist_ok=True)
            (asked.keep / f"{name}.json").write_text(text)
        if key not in told:
            told.add(key)
            print(f"  {failure.kind}: {failure.cell} ({case.way}, {case.how})")
            print(f"    {failure.detail[:500]}")
    return int(bool(search.found))


sys.exit(main())
