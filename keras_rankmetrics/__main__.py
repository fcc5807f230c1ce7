"""`python -m keras_rankmetrics`, the same command as `krm`."""

import sys

import krm_command

if __name__ == "__main__":
    sys.exit(krm_command.main())
