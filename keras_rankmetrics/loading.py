"""Import the metrics at the first use of Keras or of this package.

`krm --help` must not wait for Keras, and `krm` chooses the backend before Keras
is imported. Yet a saved model must load after `import keras_rankmetrics` alone,
so the classes must be registered before anything can use Keras.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

# Python imports the package before these, which run without Keras.
_WITHOUT_KERAS = ("command", "__main__", "loading", "public")


class FirstImport(MetaPathFinder, Loader):
    """A hook on the first import that needs Keras.

    It acts before Keras or a module of this package is executed, so it never
    meets a module that is only partly initialised.

    Args:
        package: the name of this package.
        load: removes this hook, and imports and registers the metrics.
    """

    def __init__(self, package: str, load: Callable[[], None]) -> None:
        self._package = package
        self._load = load

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return a spec for Keras and the modules that import it."""
        first, *rest = fullname.split(".")
        if fullname != "keras" and (
            first != self._package or rest[0] in _WITHOUT_KERAS
        ):
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Load the metrics, and then the module itself in the usual way."""
        self._load()
        module = importlib.import_module(spec.name)
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the spec that Python has replaced by that of this hook."""
        module.__spec__ = self._own_spec
