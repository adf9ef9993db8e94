"""Examples that the instructions place on the scale of a study."""

import re
from decimal import Decimal

import pytest

from surveys.errors import TextRefused
from surveys.models import TextKind, Variant
from surveys.study.scale_examples import points_between, read_scale_examples
from surveys.study.texts import check_text, default_body
from surveys.web.rendering.markdown import render_markdown

SEVEN = [Decimal(n) for n in range(7)]
BLOCK = "Read.\n\n```scale\n66-100 cup and mug\n\n0 – 34 cup and saucer\n```\n"


def test_a_line_is_two_percentages_and_a_label():
    examples = read_scale_examples("66-100 cup and mug\n\n 0 – 34  cup and saucer\n")

    assert examples == [("cup and mug", (66, 100)), ("cup and saucer", (0, 34))]


@pytest.mark.parametrize(
    "line", ["cup and mug", "66-100", "66-100 ", "100-66 cup", "50-50 cup", "0-101 cup", "-5-9 cup"]
)
def test_a_line_that_is_none_is_refused_with_its_number(line):
    body = f"Read the text.\n\n```scale\n0-34 cup and saucer\n{line}\n```\n"

    with pytest.raises(TextRefused, match="instructions, line 5: write two percentages"):
        check_text(TextKind.INSTRUCTIONS, body)


@pytest.mark.parametrize(
    ("points", "part", "found"),
    [
        (SEVEN, (66, 100), "4 5 6"),
        (SEVEN, (0, 34), "0 1 2"),
        ([Decimal(n) for n in (-3, -2, -1, 0)], (60, 100), "-1 0"),
        ([Decimal("0.5"), Decimal(1)], (40, 60), ""),
    ],
)
def test_points_between_percentages(points, part, found):
    assert " ".join(map(str, points_between(points, part))) == found


def test_examples_are_shown_on_the_scale():
    html = render_markdown(BLOCK, SEVEN)

    assert "<p>cup and mug: <strong><bdi>4–6</bdi></strong></p>" in html
    assert "<p>cup and saucer: <strong><bdi>0–2</bdi></strong></p>" in html
    assert html.count('<li class="meant"') == 6
    assert html.count("<li") == 14


def test_a_wide_scale_is_drawn_with_its_ends():
    html = render_markdown(BLOCK, [Decimal(n) for n in range(101)])

    assert "<bdi>66–100</bdi>" in html
    assert html.count("<li") == 4  # the ends below the two figures, which are drawn to scale
    assert html.count("<svg") == 2


def test_an_example_is_left_out_where_no_point_belongs():
    html = render_markdown("```scale\n40-60 cup and bowl\n```", [Decimal(0), Decimal(1)])

    assert "bowl" not in html


def test_labels_are_escaped():
    html = render_markdown("```scale\n0-34 <b>cup</b>\n```", SEVEN)

    assert "&lt;b&gt;cup&lt;/b&gt;: " in html


def test_other_texts_and_blocks_stay_code():
    assert "<code" in render_markdown(BLOCK)
    assert "<code" in render_markdown("```python\n1\n```", SEVEN)


@pytest.mark.parametrize("language", ["en", "hr", "sl", "fi", "ar", "fa"])
@pytest.mark.parametrize(
    ("scale", "low", "high"),
    [
        ((0, 6), "0–1", "5–6"),
        ((0, 10), "0–2", "8–10"),
        ((1, 4), "1", "4"),
        ((1, 100), "1–20", "81–100"),
    ],
)
def test_plain_instructions_show_the_low_end_and_then_the_high_end(language, scale, low, high):
    points = [Decimal(n) for n in range(scale[0], scale[1] + 1)]

    html = render_markdown(default_body(language, TextKind.INSTRUCTIONS), points)

    assert re.findall("<bdi>(.+?)</bdi>", html) == [low, high]


@pytest.mark.parametrize("language", ["en", "hr", "sl", "fi", "ar", "fa"])
def test_trained_instructions_show_both_ends(language):
    html = render_markdown(default_body(language, TextKind.INSTRUCTIONS, Variant.TRAINED), SEVEN)

    assert re.findall("<bdi>(.+?)</bdi>", html) == ["4–6", "0–2"]


@pytest.mark.parametrize("block", ["60 cup and mug", "80-20 cup and mug", "0-400 cup and mug"])
def test_a_stored_block_that_is_wrong_is_shown_as_it_is_written(block):
    html = render_markdown(f"Read.\n\n```scale\n{block}\n```\n", SEVEN)

    assert html == f'<p>Read.</p>\n<pre><code class="language-scale">{block}\n</code></pre>\n'
