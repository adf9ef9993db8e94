"""Small workbooks (.xlsx), written part by part."""

import io
import zipfile
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="170" formatCode="d. m. yyyy"/>'
    '</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs>'
    "</styleSheet>"
)


def text_cell(text):
    written = text.replace("_x", "_x005F_x").replace("\r", "_x000D_")
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(written)}</t></is></c>'


def write_workbook(*sheets, texts=(), parts=None):
    """Return a workbook with these sheets, each a list of rows of texts or cells in XML."""
    listed = "".join(f'<sheet name="S{n}" r:id="r{n}"/>' for n, _ in enumerate(sheets))
    links = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" Target="worksheets/s{n}.xml"/>'
        for n, _ in enumerate(sheets)
    )
    links += f'<Relationship Id="t" Type="{OFFICE}/sharedStrings" Target="/xl/texts.xml"/>'
    links += f'<Relationship Id="y" Type="{OFFICE}/styles" Target="styles.xml"/>'
    shared = "".join(f"<si>{text}</si>" for text in texts)
    written = {
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">{links}</Relationships>',
        "xl/texts.xml": f'<sst xmlns="{MAIN}">{shared}</sst>',
        "xl/styles.xml": STYLES,
    }
    for n, rows in enumerate(sheets):
        cells = "".join(
            f"<row>{''.join(c if c.startswith('<c') else text_cell(c) for c in row)}</row>"
            for row in rows
        )
        written[f"xl/worksheets/s{n}.xml"] = (
            f'<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData></worksheet>'
        )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in {**written, **(parts or {})}.items():
            archive.writestr(name, part)
    return buffer.getvalue()
