"""How Sphinx builds the documentation."""

from keras_rankmetrics import __version__

project = "keras_rankmetrics"
author = "The keras_rankmetrics authors"
release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"keras_rankmetrics {release}"

default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"exclude-members": "__new__"}
autodoc_type_aliases = {"Tensor": "Tensor"}
add_module_names = False
myst_heading_anchors = 3
# Formulas between dollars.
myst_enable_extensions = ["dollarmath"]
