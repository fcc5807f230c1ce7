"""What the page of the command shows is what the command prints."""

import pathlib
import re
import shlex

import pytest

from krm_command import main

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "command.md"


def entries():
    """The lines after "$ ", each with what the page shows below it."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.S)
    for block in blocks:
        for entry in re.split(r"^\$ ", block, flags=re.M)[1:]:
            line, _, shown = entry.partition("\n")
            yield line, shown


def printed(line, capsys):
    """What a line of a terminal prints."""
    program, *arguments = shlex.split(line)
    if program == "cat":
        return pathlib.Path(*arguments).read_text()
    assert program == "krm"
    main(arguments)
    return "".join(capsys.readouterr())


def test_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for line, shown in entries():
        program, name = line.split(maxsplit=1)
        if program == "cat" and not pathlib.Path(name).exists():
            pathlib.Path(name).write_text(shown)  # a file that the page gives
        assert printed(line, capsys) == shown, line


def test_the_page_has_lines():
    assert len(list(entries())) >= 12


def test_the_page_has_the_options_of_eval(capsys):
    with pytest.raises(SystemExit):
        main(["eval", "--help"])
    option = r"(?<![\w-])--?[a-z][a-z-]*"
    used = set(re.findall(option, capsys.readouterr().out))
    _, _, rest = PAGE.read_text().partition("## Options of krm eval")
    table, _, _ = rest.partition("```")
    assert set(re.findall(option, table)) == used - {"-h", "--help"}
