import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from lxml import etree
from matplotlib.colors import to_rgb

from postprocess.reporting.figures import drawing
from postprocess.reporting.figures.attributes import replace_styles
from postprocess.reporting.figures.drawing import (
    in_style,
    new_figure,
    render_png,
    render_svg,
    styled,
)


@in_style
def plain_figure():
    figure = new_figure()
    axes = figure.subplots()
    axes.bar([1, 2], [3, 4], **drawing.LIGHT_BARS)
    axes.set_title("costs $5 and $6 – čšž äö")
    return figure


@pytest.fixture
def odd_settings():
    """Settings of a user that differ from ours."""
    before = mpl.rcParams.copy()
    mpl.rcParams.update({"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "none"})
    yield
    mpl.rcParams.update(before)


def test_render_ignores_the_settings_of_the_user(request):
    before = render_svg(plain_figure(), title="A", description="B"), render_png(plain_figure())

    request.getfixturevalue("odd_settings")

    after = render_svg(plain_figure(), title="A", description="B"), render_png(plain_figure())
    assert after == before


def test_styled_restores_the_settings(odd_settings):
    with styled():
        assert mpl.rcParams["font.size"] == 9.5

    assert mpl.rcParams["font.size"] == 30


def test_new_figure_is_not_registered_in_pyplot():
    plain_figure()

    assert plt.get_fignums() == []


def test_render_omits_date_and_program():
    svg = render_svg(plain_figure(), title="A <b>", description="B & C")
    png = render_png(plain_figure())

    assert b"dc:date" not in svg
    assert b"atplotlib" not in svg.replace(b"matplotlib.axis", b"")
    assert b"tEXt" not in png
    assert b"tIME" not in png


def test_render_svg_draws_text_as_outlines_and_keeps_title_and_description():
    root = etree.fromstring(render_svg(plain_figure(), title="A <b>", description="B & C"))

    assert root.findall(".//{*}text") == []
    assert root.find("{*}title").text == "A <b>"
    assert "B & C" in [element.text for element in root.iter("{*}description")]


def test_render_svg_needs_no_style_sheet():
    root = etree.fromstring(render_svg(plain_figure(), title="", description=""))

    assert root.xpath("//@style") == []
    assert root.findall(".//{*}style") == []
    assert root.get("stroke-linejoin") == "round"
    assert root.xpath("//@stroke")


def test_replace_styles_prefers_style_and_the_last_declaration():
    svg = b"""<svg xmlns="http://www.w3.org/2000/svg"><defs><style>*{fill: red}</style></defs>
    <path fill="red" style="fill: #1f4e79; stroke-linejoin: miter"/>
    <image style="image-rendering:crisp-edges;image-rendering:pixelated"/></svg>"""

    root = etree.fromstring(replace_styles(svg))

    assert dict(root.find("{*}path").attrib) == {"fill": "#1f4e79", "stroke-linejoin": "miter"}
    assert dict(root.find("{*}image").attrib) == {"image-rendering": "pixelated"}


def test_bars_and_marks_differ_in_grey():
    grey = {
        name: float(np.dot(to_rgb(getattr(drawing, name)), (0.2126, 0.7152, 0.0722)))
        for name in ("STRONG", "SOFT", "PAPER")
    }

    assert grey["SOFT"] - grey["STRONG"] > 0.4
    assert grey["PAPER"] - grey["SOFT"] > 0.1
    assert drawing.LIGHT_BARS["hatch"]
    assert len({style["marker"] for style in (drawing.DOT, drawing.CROSS, drawing.TRIANGLE)}) == 3


def test_draw_points_shows_the_density_of_many_points():
    x = np.linspace(0, 10, drawing.MAX_POINTS + 1)
    figure = new_figure()
    few, many = figure.subplots(1, 2)

    drawing.draw_points(few, x[:-1], x[:-1], (0, 10, 0, 10))
    drawing.draw_points(many, x, x, (0, 10, 0, 10))

    assert (len(few.lines), len(few.images)) == (1, 0)
    assert (len(many.lines), len(many.images)) == (0, 1)
    assert np.asarray(many.images[0].get_array()).max() == 1
