"""Embedding rendered figures in an HTML page."""

import re

from lxml import etree

from postprocess.reporting.figures.attributes import SVG

LINK = "{http://www.w3.org/1999/xlink}href"
REFERENCE = re.compile(r"url\(#([^)]+)\)")
FILE_ATTRIBUTES = ("width", "height", "version")  # not needed in a page


def inline_svg(svg: bytes, name: str, *, described_by: str) -> str:
    """Return the figure, from `render_svg`, as an SVG element for a page with several figures.

    Its colours are presentation attributes, which apply under any Content-Security-Policy; the
    style sheet of the report overrides them, so that a dark page has dark figures. `name` is a
    prefix of all ids, `described_by` the id of the caption.
    """
    parser = etree.XMLParser(remove_comments=True, resolve_entities=False, no_network=True)
    root = etree.fromstring(svg, parser)
    etree.strip_elements(root, f"{SVG}metadata")
    for attribute in FILE_ATTRIBUTES:
        root.attrib.pop(attribute, None)
    for element in root.iter():
        _rename(element, name)
    title = root.find(f"{SVG}title")
    if title is not None:
        title.set("id", f"{name}-title")
        root.set("aria-labelledby", f"{name}-title")
    root.set("aria-describedby", described_by)
    root.set("role", "img")
    etree.cleanup_namespaces(root)
    text: str = etree.tostring(root, encoding="unicode")
    return text


def _rename(element: etree._Element, name: str) -> None:
    """Prefix all ids and references with the name."""
    for attribute, value in element.attrib.items():
        if attribute == "id":
            element.set(attribute, f"{name}-{value}")
        elif attribute == LINK and value.startswith("#"):
            element.set(attribute, f"#{name}-{value[1:]}")
        elif "url(#" in value:
            element.set(attribute, REFERENCE.sub(rf"url(#{name}-\1)", value))
