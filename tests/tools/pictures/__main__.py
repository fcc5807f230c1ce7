"""`python -m tests.tools.pictures` makes the pictures of the guide anew."""

import argparse

from tests.tools.pictures import plots
from tests.tools.pictures.every import FOLDER, PICTURES
from tests.tools.pictures.train import train

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument(
    "--train",
    action="store_true",
    help="first train the model again whose metric `training.svg` shows",
)
if parser.parse_args().train:
    train()
for name, picture in PICTURES.items():
    (FOLDER / f"{name}.svg").write_text(picture())
for name in plots.PLOTS:
    (plots.FOLDER / f"{name}.svg").write_text(plots.svg(name))
