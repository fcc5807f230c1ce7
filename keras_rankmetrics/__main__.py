"""`python -m keras_rankmetrics`, the same command as `krm`."""

import sys

from keras_rankmetrics.command import main

if __name__ == "__main__":
    sys.exit(main())
