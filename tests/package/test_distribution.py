"""What pyproject.toml says, and what is made of it."""

import pathlib
import re
import tomllib

import pytest

BACKENDS = ("tensorflow", "jax", "torch")
ROOT = pathlib.Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PYPROJECT["project"]["optional-dependencies"]


def test_there_are_two_runtime_dependencies():
    required = PYPROJECT["project"]["dependencies"]
    assert [re.match("[a-z]+", x)[0] for x in required] == ["keras", "numpy"]


def test_what_a_user_has_satisfies_the_extra_tensorflow():
    # `tensorflow-cpu` and `tensorflow` own the same folder: where one is
    # installed, the other must not be.
    [requirement] = EXTRAS["tensorflow"]
    assert re.fullmatch(r"tensorflow>=[\d.]+", requirement)


def test_the_extra_without_a_gpu_is_one_build_wherever_it_is_installed():
    [cpu, other] = EXTRAS["tensorflow-cpu"]
    [plain] = EXTRAS["tensorflow"]
    cpu, on_linux = cpu.split("; ")
    other, elsewhere = other.split("; ")
    assert cpu.replace("tensorflow-cpu", "tensorflow") == other == plain
    opposite = elsewhere.replace("!=", "==").replace(" or ", " and ")
    assert on_linux == opposite


@pytest.mark.parametrize("path", ["README.md", "docs/contributing.md"])
def test_the_commands_name_extras_that_exist(path):
    # pip only warns of others.
    text = (ROOT / path).read_text()
    named = re.findall(r"(?:\.|keras_rankmetrics)\[([\w,-]+)\]", text)
    assert named
    assert {extra for names in named for extra in names.split(",")} <= set(
        EXTRAS
    )


def test_the_advice_names_extras_that_exist():
    assert set(BACKENDS) <= set(EXTRAS)


def test_the_wheel_has_the_module_of_the_script():
    module = PYPROJECT["project"]["scripts"]["krm"].partition(":")[0]
    (folder,) = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"][
        "sources"
    ]
    assert (ROOT / folder / f"{module}.py").is_file()


def test_a_package_index_gets_no_link_into_the_repository():
    hooks = PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]
    readme = (ROOT / "README.md").read_text()
    assert "](docs/" in readme
    for rule in hooks["fancy-pypi-readme"]["substitutions"]:
        readme, found = re.subn(rule["pattern"], rule["replacement"], readme)
        assert found
    assert "!" not in re.findall(r"(.)\w*\[", readme)
    assert "pictures/" not in readme
    assert re.findall(r"\]\((?!https://)[^)]*\)", readme) == []
