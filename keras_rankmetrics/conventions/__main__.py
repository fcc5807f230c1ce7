"""`python -m keras_rankmetrics.conventions` prints all conventions."""

import sys

from keras_rankmetrics.conventions import table

sys.stdout.write(table() + "\n")
