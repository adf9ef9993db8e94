"""SVG without CSS: colours and strokes as presentation attributes.

Matplotlib writes `style="…"`, which a page with a strict Content-Security-Policy ignores, so that
all shapes are black. Presentation attributes always apply.
"""

from lxml import etree

SVG = "{http://www.w3.org/2000/svg}"
FOR_ALL_SHAPES = {"stroke-linejoin": "round", "stroke-linecap": "butt"}  # Matplotlib's style sheet


def replace_styles(svg: bytes) -> bytes:
    """Replace style sheets and styles of a drawing by Matplotlib by presentation attributes.

    >>> drawing = b'<svg xmlns="http://www.w3.org/2000/svg"><path style="fill: #fff"/></svg>'
    >>> b'<path fill="#fff"/>' in replace_styles(drawing)
    True
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(svg, parser)
    etree.strip_elements(root, f"{SVG}style")
    for element in root.iter("*"):
        for declaration in element.attrib.pop("style", "").split(";"):
            name, is_declared, value = declaration.partition(":")
            if is_declared:
                element.set(name.strip(), value.strip())
    for name, value in FOR_ALL_SHAPES.items():
        root.set(name, value)  # inherited, unless a shape has its own
    written: bytes = etree.tostring(root.getroottree(), xml_declaration=True, encoding="utf-8")
    return written + b"\n"
