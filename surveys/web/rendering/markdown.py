from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable(
    ["image", "html_block", "html_inline"]
)


def render_markdown(text: str) -> SafeString:
    """Markdown as HTML, in which nothing but Markdown's own elements can stand.

    HTML in the text is shown as it was typed; images, which would ask other hosts, are not made.
    """
    rendered = _MARKDOWN.render(text)
    return SafeString(rendered)  # nosec B703 # (HTML in it is escaped)
