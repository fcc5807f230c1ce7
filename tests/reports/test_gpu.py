"""What the report says of a GPU. There may be none here."""

import dataclasses
import sys
import types

import pytest
from recorded import HERE, batches, run

from tests.tools.benchmarks import gpu, process
from tests.tools.benchmarks.__main__ import main
from tests.tools.benchmarks.measurement import merged
from tests.tools.benchmarks.modes import Jax, TensorFlowGraph, TorchEager
from tests.tools.benchmarks.summary import summary
from tests.tools.benchmarks.tables import tables

NAME = "Stand-in 9000"


@pytest.fixture
def driver(tmp_path, monkeypatch):
    """Puts a stand-in of the driver's command in place, and nothing else."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def put(script):
        command = tmp_path / gpu.QUERY[0]
        command.write_text(f"#!/bin/sh\n{script}\n")
        command.chmod(0o755)

    return put


def test_without_a_driver_there_is_none(driver):
    assert gpu.installed() == ()


def test_the_driver_names_all(driver):
    driver(f"echo '{NAME}'; echo; echo ' Other '")
    assert gpu.installed() == (NAME, "Other")


@pytest.mark.parametrize("script", ["exit 9", "kill -9 $$"])
def test_a_driver_that_fails_has_none(driver, script):
    driver(script)
    assert gpu.installed() == ()


def test_a_driver_that_hangs_has_none(driver, monkeypatch):
    monkeypatch.setattr(gpu, "TIMEOUT_SECONDS", 0.1)
    driver("while :; do :; done")
    assert gpu.installed() == ()


def runs(*modes_on_gpu):
    return [
        run("ltr", mode, accelerator=NAME if mode in modes_on_gpu else "")
        for mode in ("tf-graph", "tf-xla", "jax", "torch")
    ]


@pytest.mark.parametrize(
    ("on_gpu", "there", "words"),
    [
        ((), (), "none"),
        ((), (NAME,), f"{NAME}, not used by tensorflow and jax and torch"),
        (
            ("jax", "torch"),
            (NAME,),
            f"{NAME}, used by jax and torch, not used by tensorflow",
        ),
        (
            ("tf-graph", "tf-xla", "jax", "torch"),
            (),
            f"{NAME}, used by tensorflow and jax and torch",
        ),
    ],
)
def test_who_used_it(on_gpu, there, words):
    assert gpu.in_words(runs(*on_gpu), there) == words


def test_what_failed_used_nothing():
    failed = run("ltr", "jax", failure="it hangs")
    assert gpu.in_words([failed], [NAME]) == NAME


def test_the_report_names_it():
    there = dataclasses.replace(HERE, gpus=(NAME,))
    found = runs("jax")
    for text in (summary(found, there, "full.md"), tables(found, there)):
        assert f"GPU: {NAME}, used by jax, not used by" in text
    assert summary(found, there, "full.md").startswith(
        f"# Benchmarks on {NAME}\n"
    )
    assert f"# Benchmarks on {NAME}" not in summary(batches(), there, "f.md")


def test_the_gpu_of_one_process_is_that_of_all_rounds():
    rounds = [run("first-call", "jax", accelerator=a) for a in ("", NAME)]
    assert gpu.used(merged(rounds)) == [NAME]


def test_the_command_says_so(driver, monkeypatch, capsys):
    driver(f"echo {NAME}")
    monkeypatch.setattr(
        process, "run", lambda r: run(r.scenario, r.mode, accelerator=NAME)
    )
    main(["--scenarios", "ltr", "--modes", "jax"])
    printed = capsys.readouterr()
    first, second = printed.err.splitlines()
    assert first.endswith(f"GPU: {NAME}")
    assert second == f"ltr, jax: 0 s on {NAME}"
    assert f"GPU: {NAME}, used by jax" in printed.out


def torch_with(there):
    cuda = types.SimpleNamespace(
        is_available=lambda: there, get_device_name=lambda: NAME
    )
    return types.SimpleNamespace(cuda=cuda)


def jax_with(there):
    platform = "gpu" if there else "cpu"
    device = types.SimpleNamespace(platform=platform, device_kind=NAME)
    return types.SimpleNamespace(devices=lambda: [device])


def tensorflow_with(there):
    experimental = types.SimpleNamespace(
        get_device_details=lambda device: {"device_name": NAME}
    )
    config = types.SimpleNamespace(
        list_physical_devices=lambda kind: [kind] if there else [],
        experimental=experimental,
    )
    return types.SimpleNamespace(config=config)


BACKENDS = {
    TorchEager: torch_with,
    Jax: jax_with,
    TensorFlowGraph: tensorflow_with,
}


@pytest.mark.parametrize("mode", BACKENDS, ids=lambda mode: mode.name)
@pytest.mark.parametrize("there", [True, False])
def test_each_backend_names_its_own(mode, there, monkeypatch):
    backend = BACKENDS[mode](there)
    monkeypatch.setitem(sys.modules, mode.backend, backend)
    assert mode.accelerator() == (NAME if there else "")


@pytest.mark.parametrize("mode", [TorchEager, Jax], ids=lambda mode: mode.name)
def test_its_memory_is_not_taken_for_that_of_the_process(mode, monkeypatch):
    monkeypatch.setitem(sys.modules, mode.backend, BACKENDS[mode](True))
    with pytest.raises(RuntimeError, match=f"memory of {NAME} is not seen"):
        object.__new__(mode).extra_memory(lambda: None)
