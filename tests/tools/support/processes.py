"""Runs a function in several processes, and returns what it does in each.

Started as a program, this file is one of these processes.
"""

import contextlib
import importlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import keras

TESTS = Path(__file__).parents[2]
CONNECTED = {}


def run(name, processes=2, devices=1, seconds=300):
    """What `module:function` returns in each process, by rank.

    Args:
        name: of a function without arguments, in a module of the tests. What
            it returns must be JSON.
        processes: how many. A single one is not connected to any.
        devices: how many virtual ones each of them has.
        seconds: after which all are stopped.
    """
    deadline = time.monotonic() + seconds
    with (
        tempfile.TemporaryDirectory() as folder,
        free_ports(processes) as ports,
        contextlib.ExitStack() as files,
    ):
        errors = [
            files.enter_context(open(Path(folder, f"errors{rank}"), "w"))
            for rank in range(processes)
        ]
        started = [
            subprocess.Popen(
                [sys.executable, __file__, name, str(rank), folder, *ports],
                env=environment(devices),
                stdout=subprocess.PIPE,
                stderr=errors[rank],
                text=True,
            )
            for rank in range(processes)
        ]
        try:
            for each in started:
                each.wait(max(deadline - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            raise AssertionError(
                f"{name} hangs: {said(folder, processes)}"
            ) from None
        finally:
            for each in started:
                each.kill()
        outputs = [each.communicate()[0] for each in started]
        assert not any(each.returncode for each in started), said(
            folder, processes
        )
    return [json.loads(output.splitlines()[-1]) for output in outputs]


def environment(devices):
    paths = [TESTS.parent, TESTS / "tools" / "support", TESTS / "distributed"]
    return {
        **os.environ,
        "KERAS_BACKEND": keras.config.backend(),
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "OMP_NUM_THREADS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}",
        "VIRTUAL_DEVICES": str(devices),
    }


def said(folder, processes):
    return "\n".join(
        f"process {rank}: {Path(folder, f'errors{rank}').read_text()[-3000:]}"
        for rank in range(processes)
    )


@contextlib.contextmanager
def free_ports(number):
    """Ports that nobody listens at, as text."""
    with contextlib.ExitStack() as stack:
        sockets = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            for _ in range(number)
        ]
        ports = [str(each.getsockname()[1]) for each in sockets]
    yield ports


def connect(rank, folder, ports):
    """Makes the processes one group."""
    if keras.config.backend() == "torch":
        import torch.distributed as dist

        dist.init_process_group(
            "gloo",
            init_method=f"file://{folder}/meeting",
            rank=rank,
            world_size=len(ports),
        )
    elif keras.config.backend() == "jax":
        import jax

        jax.distributed.initialize(
            f"127.0.0.1:{ports[0]}", len(ports), rank, initialization_timeout=60
        )
        # On CPUs the first exchange waits for half a minute only.
        from jax.experimental import multihost_utils

        multihost_utils.sync_global_devices("all are here")
    else:
        workers = [f"127.0.0.1:{port}" for port in ports]
        task = {"type": "worker", "index": rank}
        os.environ["TF_CONFIG"] = json.dumps(
            {"cluster": {"worker": workers}, "task": task}
        )


def split_devices(number):
    """Makes that many virtual devices of the processor."""
    if keras.config.backend() == "tensorflow" and number > 1:
        import tensorflow as tf

        [cpu] = tf.config.list_physical_devices("CPU")
        tf.config.set_logical_device_configuration(
            cpu, [tf.config.LogicalDeviceConfiguration()] * number
        )


def main(name, rank, folder, *ports):
    CONNECTED.update(rank=int(rank), processes=len(ports))
    split_devices(int(os.environ["VIRTUAL_DEVICES"]))
    if len(ports) > 1:
        connect(int(rank), folder, ports)
    module, _, function = name.partition(":")
    result = getattr(importlib.import_module(module), function)()
    print("\n" + json.dumps(result), flush=True)
    if len(ports) > 1 and keras.config.backend() == "torch":
        import torch.distributed as dist

        # A thread that still runs at the end would stop the process.
        dist.destroy_process_group()


if __name__ == "__main__":
    sys.modules["processes"] = sys.modules["__main__"]
    main(*sys.argv[1:])
