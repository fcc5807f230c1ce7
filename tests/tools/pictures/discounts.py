"""What a rank is worth, by each discount of the package."""

import keras_rankmetrics as krm
from tests.tools.pictures.charts import Axes, curve
from tests.tools.pictures.drawing import BLUE, GREEN, PURPLE, RED, bold, letters

RANKS = [float(rank) for rank in range(1, 11)]
CURVES = (
    (krm.log2_discount, BLUE, "none"),
    (krm.original_discount, GREEN, "9 3"),
    (krm.reciprocal_discount, RED, "2 3"),
    (krm.inverse_square_discount, PURPLE, "9 3 2 3"),
)
AXES = Axes(40, 40, 430, 220, 1.0, 10.0, 0.0, 1.0)
LEGEND, LEGEND_ROW = 220, 22


def picture() -> str:
    """A curve for each discount, over the first ten ranks."""
    parts = [bold(0, 20, "The weight of each rank in DCG")]
    parts += AXES.grid(RANKS, [0.0, 0.5, 1.0])
    y = 66
    for discount, colour, dashes in CURVES:
        values = [float(discount(rank)) for rank in RANKS]
        parts.append(curve(AXES.points(RANKS, values), colour, dashes))
        parts.append(
            f'<path d="M{LEGEND} {y - 5}h36" stroke="{colour}" '
            f'stroke-width="2.5" stroke-dasharray="{dashes}"/>'
        )
        parts.append(letters(LEGEND + 46, y, discount.__name__))
        y += LEGEND_ROW
    return AXES.document(parts, "rank")
