"""`python -m tests.pictures` makes the pictures of the guide anew."""

from tests.pictures.every import FOLDER, PICTURES

for name, picture in PICTURES.items():
    (FOLDER / f"{name}.svg").write_text(picture())
