"""How Sphinx builds the documentation."""

import pathlib
import sys

from keras_rankmetrics import __version__

HERE = pathlib.Path(__file__).parent
# The extensions in `_ext`.
sys.path.insert(0, str(HERE / "_ext"))

project = "keras_rankmetrics"
author = "The keras_rankmetrics authors"
copyright = author
release = __version__

extensions = [
    "blocks",
    "descriptions",
    "entries",
    "llms",
    "mathml",
    "metric_pages",
    "myst_parser",
    "notebooks",
    "reference",
    "scripts",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "words",
    "wall",
]
exclude_patterns = ["_build", "_ext", "_templates"]
templates_path = ["_templates"]

html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["_static"]
html_extra_path = ["../LICENSE"]
html_css_files = ["site.css"]
html_favicon = "_static/mark.svg"
# On GitHub, as "owner/name": with it, pages link to their notebook on Colab.
html_context = {"default_mode": "auto", "repository": ""}
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_search_scorer = str(HERE / "_ext" / "scorer.js")
html_theme_options = {
    "logo": {
        "text": project,
        "image_light": "_static/mark.svg",
        "image_dark": "_static/mark_dark.svg",
    },
    "navbar_align": "left",
    "navbar_end": ["version", "theme-switcher"],
    "header_links_before_dropdown": 6,
    "search_as_you_type": True,
    "search_bar_text": "Search: a metric, an error, a library",
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_center": [],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# No button that folds the sidebar; and the front page has none.
html_sidebars = {"**": ["sidebar-nav-bs"], "index": []}

default_role = "code"
add_module_names = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 68
python_use_unqualified_type_names = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"exclude-members": "__new__"}
autodoc_type_aliases = {"Tensor": "Tensor"}
autosummary_generate = True
# It need not be installed for its reference.
autodoc_mock_imports = ["apache_beam"]

# What the reference links to elsewhere. The lists are files here, so that the
# site is built without a network.
intersphinx_mapping = {
    name: (address, str(HERE / "inventories" / f"{name}.inv"))
    for name, address in {
        "keras": "https://keras.io/",
        "numpy": "https://numpy.org/doc/stable/",
        "python": "https://docs.python.org/3/",
    }.items()
}

myst_heading_anchors = 3
# Formulas between dollars; and blocks as tabs and cards between colons.
myst_enable_extensions = ["colon_fence", "dollarmath"]

# Prompts and output are left out of what is copied.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
