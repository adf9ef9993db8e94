"""Markdown rendering of the texts of studies."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

from surveys.errors import TextRefused
from surveys.models.study import write_point
from surveys.study.scale_examples import is_scale, points_between, read_scale_examples

MAX_POINTS = 11  # that are shown one by one


class PlacedPoint(NamedTuple):
    """A point of the scale: whether the annotator chose it, and whether the researchers would."""

    value: str
    is_own: bool
    is_ours: bool


def _make_parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).disable(["image", "html_block", "html_inline"])


_MARKDOWN, _FOREIGN = _make_parser(), _make_parser()


def render_markdown(text: str, scale: Sequence[Decimal] = ()) -> SafeString:
    """Return Markdown as HTML with Markdown's own elements only.

    HTML in the text is escaped; images, which would load from other hosts, are not rendered. With
    the points of a scale, examples in it are shown on the scale.
    """
    rendered = _MARKDOWN.render(text, {"scale": scale})
    return SafeString(rendered)  # nosec B703 # (HTML in it is escaped)


def render_foreign_markdown(text: str) -> SafeString:
    r"""Return Markdown of a team as HTML, with links to https addresses alone.

    Its links ask search engines not to count them.

    >>> render_foreign_markdown("[code](https://example.org) <b>")
    '<p><a href="https://example.org" rel="nofollow noopener">code</a> &lt;b&gt;</p>\n'
    >>> render_foreign_markdown("[code](http://example.org)")
    '<p>[code](http://example.org)</p>\n'
    """
    return SafeString(_FOREIGN.render(text))  # nosec B703 # (HTML in it is escaped)


def name_range(values: Sequence[str]) -> str:
    """Return the name of a part of a scale, such as "4–6"."""
    return values[0] if len(values) == 1 else f"{values[0]}–{values[-1]}"


def _render_block(self: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
    token, scale = tokens[at], env.get("scale")
    if not scale or not is_scale(token.type, token.info):
        return str(self.fence(tokens, at, options, env))
    try:
        written = read_scale_examples(token.content)
    except TextRefused:  # stored before such blocks were checked
        return str(self.fence(tokens, at, options, env))
    examples = []
    for example in written:
        marked = points_between(scale, example.part)
        if marked:  # no point of a short scale may lie in a narrow part
            points = [PlacedPoint(write_point(point), False, point in marked) for point in scale]
            named = name_range([*map(write_point, marked)])
            examples.append({"label": example.label, "part": named, "points": points})
    return render_to_string("annotate/_examples.html", {"examples": examples})


def _open_foreign_link(self: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
    tokens[at].attrSet("rel", "nofollow noopener")
    return str(self.renderToken(tokens, at, options, env))


_MARKDOWN.add_render_rule("fence", _render_block)
_FOREIGN.add_render_rule("link_open", _open_foreign_link)
_FOREIGN.validateLink = lambda url: url.startswith("https://")  # type: ignore[method-assign]
