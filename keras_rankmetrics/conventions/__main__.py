"""`python -m keras_rankmetrics.conventions` is `krm conventions --all`."""

import sys

from keras_rankmetrics.command import main

if __name__ == "__main__":
    sys.exit(main(["conventions", "--all"]))
