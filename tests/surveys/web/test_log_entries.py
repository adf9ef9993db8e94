"""The log on pages is in words: of every action that is recorded."""

import ast
from collections.abc import Iterator

import pytest

from surveys.models import AuditEntry, RunKind
from surveys.templatetags.log_entries import ACTIONS, AREAS, sentence
from tests.conftest import ROOT

SHOWN = "review.effect_shown"
OF_RUNS = {f"{kind}.{event}" for kind in RunKind.values for event in ("requested", "made")}


def calls() -> Iterator[ast.Call]:
    """Yield the calls in the site's code that add an entry to the log."""
    for path in sorted((ROOT / "surveys").rglob("*.py")):
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
