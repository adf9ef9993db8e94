"""The log on pages is in words: of every action, and of every detail that is recorded."""

import ast
from collections.abc import Iterator

import pytest
from django.conf import settings

from surveys.jobs.kinds import list_kinds
from surveys.models import AuditEntry
from surveys.rehearsal.deletion import Scripted
from surveys.study.settings import SETTINGS
from surveys.study.stimuli.kinds import COLUMNS
from surveys.templatetags.log_entries import ACTIONS, AREAS, FIELDS, LEFT_OUT, describe, sentence
from tests.machine import ROOT

SHOWN = "review.effect_shown"
RUNS = [kind.name for kind in list_kinds() if kind.summary]
OF_RUNS = {f"{name}.{event}" for name in RUNS for event in ("requested", "made")}
# Where names of details are those of settings, columns or counts.
NAMED_ELSEWHERE = {*SETTINGS, *COLUMNS, *Scripted._fields}
OFF = {*settings.ALL_APPS} - {*settings.APPS}
CROWD = pytest.mark.needs("crowd")


def calls() -> Iterator[ast.Call]:
    """Yield the calls in the code of the core and its apps that add an entry to the log."""
    for path in sorted((ROOT / "surveys").rglob("*.py")):
        if OFF & {*path.parts}:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="record" | "_record_payment")):
                    yield node


def texts_in(node: ast.AST) -> set[str]:
    """Return the actions that an argument can be."""
    if isinstance(node, ast.IfExp):
        return texts_in(node.body) | texts_in(node.orelse)
    if isinstance(node, ast.Constant):
        return {str(node.value)}
    if isinstance(node, ast.JoinedStr):
        return OF_RUNS
    assert isinstance(node, ast.Name), ast.unparse(node)
    return {SHOWN} if node.id == "SHOWN" else set()


def test_every_action_has_words():
    recorded = {action for call in calls() for action in texts_in(call.args[0])}

    assert len(recorded) > 80
    assert recorded == set(ACTIONS)


def test_every_detail_has_words():
    recorded = {keyword.arg for call in calls() for keyword in call.keywords if keyword.arg}

    assert len(recorded) > 30
    assert (recorded | NAMED_ELSEWHERE) - set(FIELDS) - LEFT_OUT == set()


def test_every_filter_finds_an_action():
    assert all(any(action.startswith(area) for action in ACTIONS) for area in AREAS)


@pytest.mark.parametrize(
    ("action", "subject", "expected"),
    [
        ("study.opened", "", "Opened the study to annotators"),
        ("verdict.given", "answer 3 of annotator 0a", "Judged answer 3 of annotator 0a"),
        ("verdict.undone", "questionnaire of annotator 0a",
         "Took back the verdict on the questionnaire of annotator 0a"),
        ("annotators.paid", "", "Marked all annotators who have finished as paid"),
        ("invitations.made", "", "Made personal links"),
        ("mails.queued", "again", "Queued e-mails: those that failed, again"),
        ("study.tried_out", "", "Study tried out"),  # of an earlier version
    ],
)  # fmt: skip
def test_sentence_says_what_was_done(action, subject, expected):
    assert sentence(AuditEntry(action=action, subject=subject)) == expected


@pytest.mark.parametrize(
    ("action", "name", "value", "expected"),
    [
        ("study.configured", "publishes_words", "False → True", "no → yes"),
        ("study.configured", "contact", " → lab", "– → lab"),
        ("study.configured", "scale_labels", "{} → {'0': 'other'}", "– → 0 = other"),
        ("study.configured", "question_forms", "text → dictionary",
         "the forms used in the text → dictionary forms"),
        ("study.opened", "scale_minimum", "-3.00", "−3"),
        ("study.opened", "scale_maximum", "10.00", "10"),
        ("study.opened", "scale_step", "0.50", "0.5"),
        ("study.opened", "stimuli", "e6f05e9c46e9a072", "e6f05e9c46e9…"),
        pytest.param("payment.made", "kind", "bonus", "bonus", marks=CROWD),
        ("collection.imported", "kind", "model", "a language model"),
        ("verdict.given", "reason", "a → b", "a → b"),
        pytest.param("payment.made", "fee_cents", 25, "$0.25", marks=CROWD),
        pytest.param("batch.armed", "target", "sandbox", "MTurk sandbox", marks=CROWD),
        pytest.param(
            "batch.armed", "until", "2026-05-04T07:05:00+00:00", "4 May 2026, 07:05 UTC",
            marks=CROWD,
        ),
        ("member.granted", "role", "owner", "owner"),
        ("webhook.added", "events", ["run.finished"], "run.finished"),
        ("annotator.erased", "in_releases", [], "–"),
    ],
)  # fmt: skip
def test_describe_writes_values_in_words(action, name, value, expected):
    (detail,) = describe(AuditEntry(action=action, details={name: value}))

    assert (detail.label, detail.value.replace("\u00a0", " ")) == (FIELDS[name], expected)


def test_describe_names_a_verdict():
    found = describe(AuditEntry(action="verdict.given", details={"kind": "unused"}))

    assert found == [("Verdict", "pay, exclude from data")]


def test_describe_names_columns_before_and_after_and_leaves_out_ids():
    details = {"word1 before": "cat", "word1 after": "cats", "by": 3}

    found = describe(AuditEntry(action="stimuli.revised", details=details))

    assert found == [("Word 1, before", "cat"), ("Word 1, after", "cats")]
