"""Settings of the documentation site, which Sphinx builds from the Markdown files and notebooks.

`scripts/build_docs` builds it. The files are the ones shown on GitHub, and every link works in
both places. The site loads nothing from other hosts and needs JavaScript only for searching.
"""

from docutils.nodes import NodeVisitor, SkipNode, math, math_block
from latex2mathml.converter import convert
from sphinx.application import Sphinx

project = "Cosima"
extensions = ["myst_nb", "sphinx_copybutton"]

# Relative to the root of the repository: README.md and the documents link to each other.
root_doc = "docs/index"
include_patterns = [
    "*.md", "docs/*.md", "docs/notebooks/*.ipynb", "bench/README.md", "demo/README.md",
    "mturk_simulator/README.md",
]  # fmt: skip
exclude_patterns = [".venv", "var"]

myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_digits = False
myst_heading_anchors = 4
nb_execution_mode = "off"  # notebooks are shown with their stored results, which a test compares

html_theme = "furo"
html_title = "Cosima"
html_show_copyright = False
html_copy_source = False
html_math_renderer = "mathml"
html_permalinks_icon = "#"


def write_inline(self: NodeVisitor, node: math) -> None:
    """Write a formula as MathML, which browsers draw without a script."""
    self.body.append(convert(node.astext()))
    raise SkipNode


def write_block(self: NodeVisitor, node: math_block) -> None:
    """Write a displayed formula as MathML."""
    self.body.append(convert(node.astext(), display="block"))
    raise SkipNode


def setup(app: Sphinx) -> None:
    """Register the renderer of formulas."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
