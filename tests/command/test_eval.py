"""`krm eval`: what it prints, and what it says of bad files."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from scripts import printed, python

import keras_rankmetrics as krm
import krm_command
from keras_rankmetrics.command.evaluating import FORMATS
from keras_rankmetrics.command.printing import Progress
from krm_command import main

QRELS = "".join(
    f"q{q} 0 d{d} {(q * d) % 3}\n" for q in range(6) for d in range(5)
)


def run_with(order, queries=range(6)):
    return "".join(
        f"q{q} Q0 d{d} {rank} {10 - rank} tag\n"
        for q in queries
        for rank, d in enumerate(order(q))
    )


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = {
        "qrels": QRELS,
        # But for two queries: the reverse of all would look like distances.
        "worst.txt": run_with(
            lambda q: sorted(range(5), key=lambda d: q * d % 3 * (3.5 - q))
        ),
        "best.txt": run_with(
            lambda q: sorted(range(5), key=lambda d: -(q * d % 3))
        ),
        "short.txt": run_with(lambda q: range(5), queries=(1, 2, 9)),
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    return tmp_path


def said(capsys, *arguments):
    assert main(["eval", *arguments]) == 0
    out, error = capsys.readouterr()
    assert not error
    return out


def values_of(text):
    found = json.loads(text)
    return {
        name: {metric: cell["value"] for metric, cell in cells.items()}
        for name, cells in found["systems"].items()
    }


def test_a_table_for_people(files, capsys):
    out = said(capsys, "qrels", "worst.txt", "best.txt", "-m", "NDCG@3 RR")
    assert (
        "NDCG@3" in out
        and "95% confidence interval" in out
        and "interval of the mean difference of the lists excludes 0"
        in out.replace("\n", " ")
    )
    assert "worse than worst" in out
    assert "NDCG@3: NDCG@3|gain:exponential|" in out


def test_metrics_of_several_options(files, capsys):
    one = said(capsys, "qrels", "best.txt", "-m", "NDCG@3 RR", "-m", "P@1")
    other = said(capsys, "qrels", "best.txt", "-m", "NDCG@3", "-m", "RR P@1")
    assert one == other == said(capsys, "qrels", "best.txt", "-mNDCG@3 RR P@1")
    assert main(["doctor", "qrels", "best.txt", "-m", "RR", "-m", "P@1"]) == 1
    for command in ("eval", "doctor"):
        split = [command, "qrels", "best.txt", "-mMAP(denominator=min", "-m)@2"]
        assert main(split) == 2
        assert "`MAP(denominator=min`" in capsys.readouterr().err


def test_the_baseline_comes_first_whether_it_is_among_the_runs(files, capsys):
    arguments = ["best.txt", "-m", "NDCG@3", "--baseline", "worst.txt"]
    alone = said(capsys, "qrels", *arguments)
    assert alone == said(capsys, "qrels", "worst.txt", *arguments)
    assert "worse than worst" in alone
    named = [*arguments[:-1], "worst"]  # as the table calls it
    assert alone == said(capsys, "qrels", "worst.txt", *named)


@pytest.mark.parametrize("path", ["./worst.txt", "linked.txt"])
def test_a_file_by_two_paths_is_one_run(files, capsys, path):
    Path("linked.txt").symlink_to("worst.txt")
    runs = ["worst.txt", "best.txt", "-m", "NDCG@3", "--format", "json"]
    out = said(capsys, "qrels", *runs, "--baseline", path)
    name = Path(path).stem
    assert list(values_of(out)) == [name, "best"]


def test_the_choices_of_formats_are_those_that_exist(capsys):
    with pytest.raises(SystemExit):
        main(["eval", "--help"])
    assert f"{{{','.join(FORMATS)}}}" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "json", "csv"])
def test_formats_and_output(files, capsys, form):
    arguments = [
        "qrels",
        "best.txt",
        "worst.txt",
        "-m",
        "P@2",
        "--format",
        form,
    ]
    out = said(capsys, *arguments)
    assert said(capsys, *arguments, "--output", "table") == ""
    assert Path("table").read_text() == out
    looks = {
        "text": "best  ",
        "markdown": "| best |",
        "latex": "\\begin{tabular}",
        "json": '"systems": {',
        "csv": "system,metric",
    }
    assert looks[form] in out


@pytest.mark.parametrize("form", ["text", "csv", "json"])
def test_a_run_of_which_no_item_is_judged(files, capsys, form):
    text = Path("best.txt").read_text()
    # The rows of a query are not together, so all runs are read twice.
    apart = "q0 Q0 D9 1 1 t\nq1 Q0 D9 1 1 t\nq0 Q0 D8 1 0 t\n"
    Path("upper.txt").write_text(text.replace(" d", " D"))
    Path("apart.txt").write_text(apart)
    runs = "best.txt", "upper.txt", "apart.txt"
    given = ["eval", "qrels", *runs, "-m", "RR", "--format", form]
    assert main(given) == 0
    out, error = capsys.readouterr()
    notes = [
        "upper: none of its 30 retrieved items are judged (0.00%). For the "
        "query 'q0' it retrieves 'D0', and the truth judges 'd0'. Do the ids "
        "differ only in case?",
        "apart: none of its 3 retrieved items are judged (0.00%). For the "
        "query 'q0' it retrieves 'D9', and the truth judges 'd0'. Do both "
        "sides use the same ids?",
    ]
    assert error == "".join(f"krm: warning: {note}\n" for note in notes)
    if form == "json":
        found = json.loads(out)
        assert found["judged"] == {"best": 1.0, "upper": 0.0, "apart": 0.0}
        assert found["notes"][:2] == notes
    if form == "text":
        assert all(note in " ".join(out.split()) for note in notes)


ASCEND = (
    "krm: warning: The scores of the system '{}' ascend in every query, as "
    "distances do. For distances, pass `--lower-is-better`, or "
    "`--lower-is-better RUN` for one of several systems.\n"
)
DESCEND = (
    "krm: warning: The scores of the system '{}' descend in every query, as "
    "similarities do. For similarities, leave out `--lower-is-better`; if "
    "other systems have distances, pass `--lower-is-better RUN`.\n"
)


def with_distances(scores):
    """The lines of a run, with scores that are better if they are lower."""
    lines = [line.split() for line in scores.splitlines()]
    return "".join(
        f"{q} Q0 {d} {r} {-float(s)} t\n" for q, _, d, r, s, _ in lines
    )


def test_runs_with_their_worst_items_first_are_doubted(files, capsys):
    scores = Path("best.txt").read_text()
    Path("l2.txt").write_text(with_distances(scores))
    lines = with_distances(scores).splitlines(keepends=True)
    lines.sort(key=lambda line: line.split()[3])
    apart = "".join(lines)  # so all runs are read twice
    Path("ip.txt").write_text(apart)
    runs = ["qrels", "best.txt", "l2.txt", "ip.txt", "-m", "NDCG@3"]
    for form in ("text", "csv", "json"):
        assert main(["eval", *runs, "--format", form]) == 0
        out, error = capsys.readouterr()
        assert error == ASCEND.format("l2") + ASCEND.format("ip")
        assert "ascend" not in out
    for lower in (
        ["--lower-is-better", "l2", "--lower-is-better", "ip.txt"],
        ["--lower-is-better=l2.txt", "--lower-is-better=ip"],
    ):
        out = said(capsys, *runs, *lower, "--format", "json")
        best, l2, ip = values_of(out).values()
        assert best == l2 == ip
    Path("good.txt").write_text(with_distances(scores))  # as long a name
    alone = said(capsys, "qrels", "good.txt", "-m", "RR", "--lower-is-better")
    expected = said(capsys, "qrels", "best.txt", "-m", "RR")
    assert alone == expected.replace("best", "good")
    assert main(["eval", *runs, "--lower-is-better"]) == 0
    assert capsys.readouterr().err == DESCEND.format("best")


def test_the_run_with_distances_is_one_of_the_runs(files, capsys):
    lower = ["--lower-is-better", "l2"]
    arguments = ["qrels", "best.txt", "worst.txt", "-m", "RR", *lower]
    assert main(["eval", *arguments]) == 2
    assert capsys.readouterr().err == (
        "krm: `--lower-is-better` should name one of the runs ['best', "
        "'worst']. Received: 'l2'.\n"
    )


def test_warnings_of_the_library_have_no_line_of_code(files, capsys):
    Path("qrels").write_text("q1 0 d1 0\nq2 0 d1 0\n")
    assert main(["eval", "qrels", "best.txt", "-m", "NDCG@3"]) == 0
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("krm: warning: The truth should have labels of 1 or")


def test_groups(files, capsys):
    for separator in ",\t":
        rows = (f"q{q}{separator}{['even', 'odd'][q % 2]}" for q in range(6))
        lines = f'"query"{separator}group', *rows
        Path("groups.txt").write_text("\n".join(lines) + "\n")
        runs = ["qrels", "best.txt", "worst.txt", "-m", "RR"]
        out = said(capsys, *runs, "--groups", "groups.txt", "--format", "json")
        truth, systems = "qrels", {x: f"{x}.txt" for x in ("best", "worst")}
        groups = {f"q{q}": ["even", "odd"][q % 2] for q in range(6)}
        compared = krm.compare(truth, systems, "RR", groups=groups)
        assert json.loads(out) == json.loads(compared.to_json(per_list=False))
        assert "odd" in out


def test_weights(files, capsys):
    weights = {f"q{q}": 1.5 * q for q in range(6)}
    lines = ["query,weight", *(f"{q},{w}" for q, w in weights.items())]
    Path("weights.csv").write_text("\n".join(lines) + "\n")
    runs = ["qrels", "best.txt", "worst.txt", "-m", "RR NDCG"]
    asked = ["--weights", "weights.csv", "--format", "json"]
    found = json.loads(said(capsys, *runs, *asked))
    systems = {x: f"{x}.txt" for x in ("best", "worst")}
    compared = krm.compare("qrels", systems, "RR NDCG", sample_weight=weights)
    assert found == json.loads(compared.to_json(per_list=False))
    assert "list_weight:mean" in compared.signatures["RR"]
    judged = ["gate", *runs, *asked[:2], "--tolerance", "0.9", "--json"]
    assert main(judged) != 2, capsys.readouterr().err
    found = json.loads(capsys.readouterr().out)
    gated = krm.compare(
        "qrels",
        {x: systems[x] for x in ("worst", "best")},
        "RR NDCG",
        sample_weight=weights,
    )
    for verdict in found:
        own = gated.gate(verdict["metric"], "best", tolerance=0.9)
        assert verdict == json.loads(json.dumps(own.to_dict()))
    with pytest.raises(SystemExit):
        main(["doctor", "qrels", "best.txt", *asked[:2]])


@pytest.mark.parametrize(
    "role, text, error",
    [
        ("weight", "query,group\nq1,1\n", "the columns `query` and `weight`"),
        (
            "weight",
            "query,weight\nq1,x\n",
            "line 2: The weight should be",
        ),
        ("weight", "query,weight\nq1,1\nq1,2\n", "'q1' should have one weight"),
        ("weight", "query,weight\nq1,1\n", "Received: None for the query 'q0'"),
        (
            "group",
            "q1,even\n",
            "line 1: There should be the columns",
        ),
        ("group", "query,group\nq1,\n", "columns `query` and `group`"),
        (
            "group",
            "query,group\nq1,a\nq1,b\n",
            "line 3: The query 'q1' should have one group. Received: 'b'.",
        ),
        ("group", "query,group\nq1,a\n", "should have a group for each query"),
        ("group", None, "The file should exist."),
    ],
)
def test_files_of_queries_that_are_wrong(role, text, error, files, capsys):
    if text is not None:
        Path("of.csv").write_text(text)
    runs = ["qrels", "best.txt", "-m", "RR", f"--{role}s", "of.csv"]
    assert main(["eval", *runs]) == 2
    assert error in capsys.readouterr().err


@pytest.mark.parametrize("level", [0.95, 0.9, 0.6])
def test_confidence_is_that_of_compare(files, capsys, level):
    arguments = ["qrels", "worst.txt", "best.txt", "-m", "RR"]
    options = [] if level == 0.95 else ["--confidence", str(level)]
    found = said(capsys, *arguments, *options, "--format", "json")
    systems = {x: f"{x}.txt" for x in ("worst", "best")}
    compared = krm.compare("qrels", systems, "RR", confidence=level)
    assert json.loads(found) == json.loads(compared.to_json(per_list=False))
    text = " ".join(said(capsys, *arguments, *options).split())
    assert f"the {level:.0%} confidence interval" in text
    assert f"the {level:.0%} interval of the mean difference" in text


def test_lines_of_a_query_that_are_apart(files, capsys):
    plain = said(
        capsys, "qrels", "best.txt", "-m", "NDCG@3", "--format", "json"
    )
    lines = Path("best.txt").read_text().splitlines(keepends=True)
    Path("best.txt").write_text("".join(lines[::2] + lines[1::2]))
    arguments = ["qrels", "best.txt", "-m", "NDCG@3"]
    apart = said(capsys, *arguments, "--format", "json")
    assert values_of(apart) == values_of(plain)
    assert "not together in best.txt" in said(capsys, *arguments)


def test_a_run_that_is_given_twice(files, capsys):
    for again in ("best.txt", "./best.txt"):
        assert main(["eval", "qrels", "best.txt", again, "-m", "RR"]) == 0
        error = capsys.readouterr().err
        assert f"{again} was passed more than once." in error


def test_runs_of_one_name_are_called_by_their_paths(files, capsys):
    Path("more").mkdir()
    Path("more/best.txt").write_text(Path("worst.txt").read_text())
    out = said(capsys, "qrels", "best.txt", "more/best.txt", "-m", "RR")
    assert "\nbest.txt " in out and "\nmore/best.txt " in out


WRONG = [
    (
        ["qrels", "nothing.txt", "-m", "RR"],
        "nothing.txt: The file should exist",
    ),
    (["qrels", "bad.txt", "-m", "RR"], "bad.txt, line 2: A line of a run"),
    (
        ["qrels", "best.txt", "upper.txt", "-m", "RR"],
        "the system 'upper' should be in the truth. Received: 0 of 2. It has "
        "'Q1', and the truth has 'q1'. Do the ids differ only in case?",
    ),
    (
        ["qrels", "best.txt", "-m", "RR", "--columns", "item=foo"],
        "`--columns item=foo` should name a column. Received: 'foo' for the ",
    ),
    (["qrels", "best.txt", "-m", "RRR"], "There is no metric `RRR`"),
    (
        ["qrels", "twice.txt", "-m", "RR"],
        "twice.txt, line 3: An item should occur once in the list of a "
        "query. Received: 'item d1 of query q1, as in line 1'.",
    ),
    (
        ["qrels", "best.txt", "-m", "RR", "--output", "no/file"],
        "no/file: The output should be a file that can be written. Received: "
        "'No such file or directory'. Pass the path of a file",
    ),
]


@pytest.mark.parametrize("arguments, message", WRONG)
def test_what_the_user_can_mend(files, capsys, arguments, message):
    Path("bad.txt").write_text("q1 Q0 d1 1 2.0 tag\nq1 Q0 d2 2\n")
    Path("twice.txt").write_text("q1 Q0 d1 1 2 t\n\nq1 Q0 d1 2 1 t\n")
    Path("upper.txt").write_text("Q1 Q0 d1 1 2 t\nQ2 Q0 d1 1 2 t\n")
    assert main(["eval", *arguments]) == 2
    out, error = capsys.readouterr()
    assert message in error and not out
    assert error.startswith("krm: ") and "Traceback" not in error


def test_the_bar_is_drawn_only_when_asked(files, capsys):
    said(capsys, "qrels", "best.txt", "-m", "RR")  # no terminal: not a word
    assert main(["eval", "qrels", "best.txt", "-m", "RR", "--progress"]) == 0
    assert "%" in capsys.readouterr().err


def test_how_far_the_bar_is(files, monkeypatch, capsys):
    monkeypatch.setattr("time.monotonic", iter(range(1, 99)).__next__)
    size = Path("qrels").stat().st_size
    progress = Progress(["qrels", "qrels"], is_shown=True)
    first, second = (progress.watch("qrels") for _ in range(2))
    first(size // 2)
    first(size)
    second(size)
    bars = capsys.readouterr().err.split("\r")[1:]
    shares = [re.findall(r"([0-9]+)% qrels", bar)[0] for bar in bars]
    assert shares == ["25", "50", "100"]


BACKENDS = {
    "krm": "import krm_command; krm_command.main(['conventions']);",
    "the library": "import sys; sys.argv[0] = 'krm'; import keras_rankmetrics;",
}


@pytest.mark.long
@pytest.mark.parametrize("program", BACKENDS)
@pytest.mark.parametrize("named", [False, True])
def test_the_lightest_backend_computes(program, named, monkeypatch, tmp_path):
    pytest.importorskip("jax", reason="what Keras needs for numpy")
    import keras

    here = keras.config.backend()
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    config = {"backend": here, "floatx": "float32", "epsilon": 1e-7}
    (tmp_path / "keras.json").write_text(json.dumps(config))
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    if named:
        monkeypatch.setenv("KERAS_BACKEND", here)
    code = f"{BACKENDS[program]} import keras; print(keras.config.backend())"
    lightest = program == "krm" and not named
    last = printed("-c", code).splitlines()[-1]
    assert last == ("numpy" if lightest else here)


COMMANDS = ["eval", "gate", "doctor", "explain", "signature", "conventions"]


def test_help_has_a_phrase_for_each_command_and_a_sentence_for_one(capsys):
    shown = []
    for arguments in ["--help"], *([name, "--help"] for name in COMMANDS):
        with pytest.raises(SystemExit):
            main(arguments)
        shown.append(capsys.readouterr().out)
    phrases, *pages = shown
    for name, page in zip(COMMANDS, pages, strict=True):
        assert re.search(rf"\n +{name}\s+[a-z].*[^.]\n", phrases)
        assert re.search(r"\n\n[A-Z][^:]*\.", page)
        usage, _, _ = page.removeprefix(f"usage: krm {name}").partition("\n\n")
        values = re.sub(r"--?[a-z-]+|{.*}", "", usage)
        assert values == values.upper()
        without_help = r"\n  (?=\S)(?!.*\S  ).*\n(?! {10})"
        assert not re.search(without_help, page)


ENDS = [
    (["--help"], 0, "usage: krm"),
    (["eval", "--help"], 0, "--per-list"),
    (["--version"], 0, f"krm {krm.__version__}"),
    (["eval", "qrels"], 2, "the following arguments are required"),
    (["evaluate"], 2, "invalid choice"),
    (["eval", "a", "b", "-m", "RR", "MAP"], 2, "MAP. Quote several metrics"),
    (["eval", "a", "b", "-m", "RR", "--columns", "doc=x"], 2, "--columns: it"),
    (["eval", "a", "b", "-m", "RR", "--confidence", "2"], 2, "between 0.5 and"),
    (["eval", "a", "b", "-m", "RR", "--confidence", ".05"], 2, "0.5 and 1"),
    (["eval", "a", "b", "-m", "RR", "--confidence", "x"], 2, "invalid level"),
]


@pytest.mark.parametrize("arguments, code, text", ENDS)
def test_help_and_usage_errors(arguments, code, text, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == code
    assert text in "".join(capsys.readouterr())


@pytest.mark.parametrize("arguments", [end[0] for end in ENDS])
def test_help_and_usage_errors_do_not_wait_for_keras(arguments):
    code = (
        "import sys, krm_command\n"
        "try: krm_command.main(sys.argv[1:])\n"
        "finally: assert not {'keras', 'numpy'} & set(sys.modules)"
    )
    assert "Traceback" not in python("-c", code, *arguments).stderr


@pytest.mark.long
@pytest.mark.parametrize("module", ["krm_command", "keras_rankmetrics"])
def test_the_module_is_the_command(files, monkeypatch, module):
    monkeypatch.delenv("KERAS_BACKEND", raising=False)
    arguments = ["eval", "qrels", "best.txt", "-m", "NDCG@3 MAP BPref P@2"]
    ran = python("-m", module, *arguments)
    assert ran.returncode == 0 and "NDCG@3" in ran.stdout
    assert "Warning" not in ran.stderr


def test_the_script_of_the_distribution():
    project = Path(__file__).parents[2] / "pyproject.toml"
    scripts = tomllib.loads(project.read_text())["project"]["scripts"]
    module, _, name = scripts["krm"].partition(":")
    assert module == krm_command.__name__
    assert getattr(krm_command, name) is main


@pytest.mark.parametrize(
    "options",
    [
        ["--output", "best.txt"],
        ["--per-list", "./qrels"],
        ["--output", "new.csv", "--per-list", "new.csv"],
        ["--groups", "groups.csv", "--output", "groups.csv"],
        ["--weights", "groups.csv", "--output", "groups.csv"],
    ],
)
def test_an_output_overwrites_no_input_and_no_other_output(
    files, options, capsys
):
    before = {path: path.read_bytes() for path in Path().iterdir()}
    assert main(["eval", "qrels", "best.txt", "-m", "RR", *options]) == 2
    assert "should be a file of its own" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_how_many_lists_detect_a_difference(files, capsys):
    runs = ["worst.txt", "best.txt"]
    command = ["eval", "qrels", *runs, "-m", "NDCG@3 RR", "--detect", "0.05"]
    assert main(command) == 0
    *_, about, head, line = capsys.readouterr().out.splitlines()
    assert about == (
        "Lists like these that detect a true difference of 0.05 from worst, "
        "80% of the time:"
    )
    assert head.split() == ["NDCG@3", "RR"]
    name, *cells = line.split("  ")
    cells = [cell.strip() for cell in cells if cell]
    assert name == "best" and len(cells) == 2
    for cell in cells:  # three lists say little
        assert int(cell.removeprefix("at least ").replace(",", "")) > 1
        assert cell.startswith("at least ")


BOTH = ["worst.txt", "best.txt"]


@pytest.mark.parametrize(
    ("more", "change", "message"),
    [
        (["worst.txt"], "0.1", "`--detect` should have two runs or more"),
        ([*BOTH, "--format", "csv"], "0.1", "and `--format text`"),
        (BOTH, "-1", "should be a number above 0 and below 1 for RR"),
    ],
)
def test_what_detect_needs(files, capsys, more, change, message):
    assert main(["eval", "qrels", *more, "-m", "RR", "--detect", change]) == 2
    assert message in capsys.readouterr().err
