"""The arguments that say how to read inputs, in all doors alike."""

import inspect

import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.command.script.krm_command import main
from keras_rankmetrics.comparing.reading import HowToRead

DOORS = krm.evaluate, krm.compare, krm.tie_range, krm.diagnose, krm.explain
ARGUMENTS = [*HowToRead.__annotations__]
LACKING = {
    ("diagnose", "duplicates"): "it lists them",
    ("explain", "drop_same_id"): "it tries both",
}


@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_each_door_has_each_argument(door, argument):
    has_it = argument in inspect.signature(door).parameters
    assert has_it != ((door.__name__, argument) in LACKING)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_a_misspelt_argument_is_named(door):
    value = (0.5,) if door is krm.explain else ()
    with pytest.raises(TypeError) as caught:
        door(*value, {"q": {"a": 1}}, {"q": {"a": 1}}, metrics="RR", column={})
    assert f"`{door.__name__}` should have no argument" in str(caught.value)
    assert 'Did you mean "columns"?' in str(caught.value)


def test_an_argument_that_a_door_lacks_is_named():
    with pytest.raises(TypeError, match="no argument `duplicates`"):
        krm.diagnose({"q": {"a": 1}}, {"q": {"a": 1}}, duplicates="best")


@pytest.mark.parametrize("command", ["eval", "gate", "doctor"])
def test_the_command_drops_items_with_the_id_of_their_query(
    command, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("a 0 a 1\na 0 b 1\nb 0 a 1\n")
    (tmp_path / "run.txt").write_text(
        "a Q0 a 1 0.9 r\na Q0 b 2 0.8 r\nb Q0 b 1 0.9 r\nb Q0 a 2 0.8 r\n"
    )
    more = {
        "eval": ["-m", "RR"],
        "gate": ["1", "-m", "RR", "--tolerance", "0.001"],
        "doctor": ["-k", "1"],
    }
    printed = []
    for option in ([], ["--drop-same-id"], ["--no-drop-same-id"]):
        main([command, "qrels.txt", "run.txt", *more[command], *option])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[2] != printed[1]


def test_the_command_names_its_option(tmp_path, capsys):
    table = tmp_path / "table.csv"
    table.write_text("query,label,score\na,1,0.9\na,0,0.8\n")
    assert main(["eval", str(table), "-m", "NDCG", "--drop-same-id"]) == 2
    assert "pass `--no-drop-same-id`" in capsys.readouterr().err
