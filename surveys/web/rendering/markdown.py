"""Markdown rendering of the texts of studies."""

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable(
    ["image", "html_block", "html_inline"]
)


def render_markdown(text: str) -> SafeString:
    """Return Markdown as HTML with Markdown's own elements only.

    HTML in the text is escaped; images, which would load from other hosts, are not rendered.
    """
    rendered = _MARKDOWN.render(text)
    return SafeString(rendered)  # nosec B703 # (HTML in it is escaped)
