"""Runs functions in forks of this process, on a changed module or not."""

import contextlib
import importlib.machinery
import importlib.util
import multiprocessing
import os
import pathlib
import signal
import sys
from collections.abc import Callable
from typing import Any


def forked(
    work: Callable[..., Any],
    argument: Any,
    seconds: float | None = None,
    group: bool = False,
) -> Any:
    """Return the result of a function in a fork, "time" or "crash".

    With `group`, also ends the processes that the fork has started.
    """
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)

    def run() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if group:
            os.setsid()
        with open(os.devnull, "w") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
        send.send(work(argument))

    process = context.Process(target=run)
    process.start()
    send.close()
    try:
        return receive.recv() if receive.poll(seconds) else "time"
    except EOFError:
        return "crash"
    finally:
        process.kill()
        if group:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.join()


class ChangedModule(importlib.machinery.SourceFileLoader):
    """A finder and loader of one module, with a source from memory."""

    def __init__(self, root: pathlib.Path, path: str, source: str):
        super().__init__(module_name(path), str(root / path))
        self.source = source

    def find_spec(self, name: str, path: object = None, target: object = None):
        """Return the spec of the module, and None for others."""
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(
            name, self.path, loader=self
        )

    def get_code(self, fullname: str):
        """Return the changed code, which is not cached in a file."""
        return compile(self.source, self.path, "exec", dont_inherit=True)

    def install(self) -> None:
        """Serve the module to the imports of this process."""
        sys.meta_path.insert(0, self)


def module_name(path: str) -> str:
    """Return the name of a module of the package, by its file."""
    parts = pathlib.PurePosixPath(path).with_suffix("").parts
    if "script" in parts:  # installed next to the package
        return parts[-1]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
