"""Valid rows of a stimuli file with changes by a test."""

import re

from postprocess.formats.stimuli import COLUMNS, parse_stimuli, render_stimuli

FIELDS = {
    "word1": "bank",
    "word2": "river",
    "context1": "The <strong>bank</strong> of the <strong>river</strong>. It was wide. We sat.",
    "context2": "Two <strong>rivers</strong> met. The <strong>Banks</strong> were high. We went.",
    "word1_context1": "bank",
    "word2_context1": "river",
    "word1_context2": "Banks",
    "word2_context2": "rivers",
}


def row_with(**changes):
    return tuple({**FIELDS, **changes}[column] for column in COLUMNS)


def parse_rows(*rows):
    return parse_stimuli(render_stimuli(rows).encode())


def parse_with(**changes):
    return parse_rows(row_with(**changes))


def only_finding(parsed):
    assert len(parsed.findings) == 1, [str(finding) for finding in parsed.findings]
    return parsed.findings[0]


def with_context(text, form1, form2):
    return parse_with(context1=text, word1_context1=form1, word2_context1=form2)


def list_problems(answer):
    """Return row, line and column of each problem that a page lists."""
    row = ".*?".join(rf'data-label="{name}">(.*?)</td>' for name in ("Row", "Line", "Column"))
    return re.findall(row, " ".join(answer.content.decode().split()))
