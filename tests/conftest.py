"""Before a backend is imported: one thread for each of the parallel workers."""

import os

if "PYTEST_XDIST_WORKER" in os.environ:
    for variable in (
        "OMP_NUM_THREADS",
        "TF_NUM_INTRAOP_THREADS",
        "TF_NUM_INTEROP_THREADS",
    ):
        os.environ.setdefault(variable, "1")
