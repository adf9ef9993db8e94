import re

from surveys.templatetags.tables import list_rows

HEAD = """<table class="pairs"><thead><tr>
<th scope="col"><a href="?order=number">Pair</a></th>
<th scope="col" data-label="Words">Words of the pair</th>
<th scope="col"><span class="unseen">“q” &amp; "p"</span></th><td></td></tr></thead>"""


def cells(html):
    """Return role, label and text of each cell of the body."""
    body = list_rows(f"{HEAD}<tbody>{html}</tbody></table>").partition("<tbody")[2]
    found = re.findall(r"<t[hd]([^>]*)>(.*?)</t[hd]>", body, re.DOTALL)
    read = [dict(re.findall(r'([a-z-]+)="([^"]*)"', attributes)) for attributes, _ in found]
    return [
        (one["role"], one.get("data-label", ""), text)
        for one, (_, text) in zip(read, found, strict=True)
    ]


def test_cells_are_named_by_the_headings_of_their_columns():
    row = '<tr><th scope="row">7</th><td>sun</td><td class="number">0.1</td><td>Open</td></tr>'

    assert cells(row) == [
        ("rowheader", "Pair", "7"), ("cell", "Words", "sun"),
        ("cell", "“q” &amp; &quot;p&quot;", "0.1"), ("cell", "", "Open"),
    ]  # fmt: skip


def test_cells_beside_one_of_several_rows_are_named_by_their_own_columns():
    rows = (
        '<tr><th scope="rowgroup" rowspan="2">7</th><td>sun</td><td>0.1</td></tr>'
        "<tr><td>moon</td><td>0.2</td></tr><tr><td>8</td></tr>"
    )

    assert [label for _, label, _ in cells(rows)][1:3] == ["Words", "“q” &amp; &quot;p&quot;"]
    assert [label for _, label, _ in cells(rows)][3:] == [
        "Words", "“q” &amp; &quot;p&quot;", "Pair",
    ]  # fmt: skip


def test_a_cell_across_columns_has_no_label_and_an_empty_one_no_spaces():
    assert cells('<tr><td colspan="4">None.</td></tr>') == [("cell", "", "None.")]
    assert cells("<tr><td>\n  </td></tr>") == [("cell", "Pair", "")]


def test_a_table_keeps_its_classes_and_gets_the_role_of_its_parts():
    html = list_rows(f"{HEAD}<tbody><tr></tr></tbody></table>")

    assert '<table class="listed pairs" role="table">' in html
    assert '<thead role="rowgroup"><tr role="row">' in html
    assert html.count('role="columnheader"') == 3
    assert '<td role="cell"></td>' in html
