"""Numbers and dates on pages are written by the filters of `surveys.templatetags` alone."""

import re
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.template import engines
from django.urls import reverse
from lxml import html

from surveys.access.audit_log import record
from surveys.models import Role
from tests.machine import ROOT

OTHER_FILTERS = re.compile(r"\|\s*(floatformat|intcomma|unlocalize)\b")
OTHER_DATES = re.compile(r"""\{\{[^}]*\|\s*(date(?!:"H:i"|:'c')|time|stringformat)\b""")
TAGS = re.compile(r"\{#.*?#\}|\{%.*?%\}", re.DOTALL), re.compile(r"<[^<>]*>")
RAW_COUNTS = re.compile(
    r"\{\{ (?:[\w.]+\.)?(?:(?:n_\w+|count|amount|minimum|maximum)|tally\.\w+) \}\}|\|length \}\}"
)
NAN = float("nan")


@pytest.mark.parametrize(
    ("written", "number", "expected"),
    [
        ("figure", NAN, "–"),
        ("figure", None, "–"),
        ("figure", -0.125, "−0.13"),
        ("figure:0", 12.5, "13"),
        ("figure:1", Decimal("-2.25"), "−2.3"),
        ("figure", -0.0001, "0.00"),
        ("number", 22467, "22,467"),
        ("number", -1.0, "−1"),
        ("number:1", 7.25, "7.3"),
        ("number", NAN, "–"),
        ("signed", 1.0, "+1"),
        ("signed", -1.0, "−1"),
        ("signed", NAN, "–"),
        ("signed_figure", 1.5, "+1.50"),
        ("signed_figure", NAN, "–"),
        ("p_value", 0.00004, "<\u00a00.001"),
        ("p_value", NAN, "–"),
        ("number", "", "–"),
        ("minus", "-3", "−3"),
        ("minus", "-3–-1", "−3–−1"),
        ("minus", "cannot judge", "cannot judge"),
        ("day", datetime(2026, 5, 4, 7, 5, tzinfo=UTC), "4\u00a0May\u00a02026"),
        ("instant", datetime(2026, 5, 4, 7, 5, tzinfo=UTC), "4\u00a0May\u00a02026, 07:05"),
        ("day", None, "–"),
        ("instant", None, "–"),
    ],
)
def test_filters_write_minus_signs_dashes_and_dates(written, number, expected):
    template = engines["django"].from_string(f"{{% autoescape off %}}{{{{ x|{written} }}}}"
                                             "{% endautoescape %}")  # fmt: skip

    assert template.render({"x": number}) == expected


def test_the_log_has_no_python_values(study, sign_in):
    record("study.tried", study, was=None, wanted={}, labels=[None, -2], is_new=True)

    answer = sign_in(Role.OWNER).get(reverse("console:log", args=[study.slug]))

    text = " ".join(html.document_fromstring(answer.content).text_content().split())
    for part in ("Was: –", "Wanted: –", "Labels: –, −2", "Is new: yes"):
        assert part in text
    assert not re.search(r"\b(None|True|False)\b|\{\}", text)


@pytest.mark.parametrize("others", [OTHER_FILTERS, OTHER_DATES])
def test_templates_write_numbers_and_dates_with_the_filters_only(others):
    templates = sorted((ROOT / "templates").rglob("*.html"))
    found = {
        path.relative_to(ROOT).as_posix(): other.group()
        for path in templates
        if (other := others.search(path.read_text(encoding="utf-8")))
    }

    assert templates
    assert found == {}


def test_console_templates_write_counts_with_thousands():
    templates = sorted((ROOT / "templates/console").rglob("*.html"))
    found = {
        path.relative_to(ROOT).as_posix(): raw
        for path in templates
        if (raw := RAW_COUNTS.findall(strip_tags(path.read_text(encoding="utf-8"))))
    }

    assert templates
    assert found == {}


def strip_tags(text: str) -> str:
    """Return the text of a template without its tags, and so without attributes."""
    for tags in TAGS:
        text = tags.sub("", text)
    return text
