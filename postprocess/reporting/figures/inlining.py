"""A rendered figure as a part of an HTML page."""

import re

from lxml import etree

from postprocess.reporting.figures.attributes import SVG

LINK = "{http://www.w3.org/1999/xlink}href"
REFERENCE = re.compile(r"url\(#([^)]+)\)")
OF_ITS_OWN = ("width", "height", "version")  # attributes that only a file needs


def inline_svg(svg: bytes, name: str, *, described_by: str) -> str:
    """The figure as an element of a page in which others stand.

    Its colours are presentation attributes, which show under any Content-Security-Policy; the
    style sheet of the report replaces them by the page's own, so that a dark page has dark figures.

    Parameters
    ----------
    svg : bytes
        As `render_svg` returns it.
    name : str
        Of the figure on its page; every id begins with it.
    described_by : str
        Id of the element that describes the figure, its caption.
    """
    parser = etree.XMLParser(remove_comments=True, resolve_entities=False, no_network=True)
    root = etree.fromstring(svg, parser)
    for element in [*root.iter(f"{SVG}metadata")]:
        parent = element.getparent()
        if parent is not None:
            parent.remove(element)
    for attribute in OF_ITS_OWN:
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
    """Begin every id and every reference to one with the name."""
    for attribute, value in element.attrib.items():
        if attribute == "id":
            element.set(attribute, f"{name}-{value}")
        elif attribute == LINK and value.startswith("#"):
            element.set(attribute, f"#{name}-{value[1:]}")
        elif "url(#" in value:
            element.set(attribute, REFERENCE.sub(rf"url(#{name}-\1)", value))
