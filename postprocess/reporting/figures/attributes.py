"""SVG without CSS: colours and strokes as presentation attributes.

Matplotlib writes them as `style="…"`, which a page with a strict Content-Security-Policy ignores:
every shape is then black. Presentation attributes are part of the drawing and always apply.
"""

from lxml import etree

SVG = "{http://www.w3.org/2000/svg}"
FOR_ALL_SHAPES = {"stroke-linejoin": "round", "stroke-linecap": "butt"}  # Matplotlib's style sheet


def replace_styles(svg: bytes) -> bytes:
    """Return the drawing with presentation attributes instead of style sheets and styles.

    Parameters
    ----------
    svg : bytes
        As Matplotlib writes it.

    Returns
    -------
    bytes
        The same drawing; the same bytes for the same input.

    Examples
    --------
    >>> drawing = b'<svg xmlns="http://www.w3.org/2000/svg"><path style="fill: #fff"/></svg>'
    >>> b'<path fill="#fff"/>' in replace_styles(drawing)
    True
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(svg, parser)
    for sheet in [*root.iter(f"{SVG}style")]:
        parent = sheet.getparent()
        if parent is not None:
            parent.remove(sheet)
    for element in root.iter("*"):
        for declaration in element.attrib.pop("style", "").split(";"):
            name, is_declared, value = declaration.partition(":")
            if is_declared:
                element.set(name.strip(), value.strip())
    for name, value in FOR_ALL_SHAPES.items():
        root.set(name, value)  # inherited, unless a shape has its own
    written: bytes = etree.tostring(root.getroottree(), xml_declaration=True, encoding="utf-8")
    return written + b"\n"
