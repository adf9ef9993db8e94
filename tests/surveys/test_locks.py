"""Each action outside of the apps locks its rows; the apps' tests have tables of their own."""

from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User

from surveys.access.second_factor import make_key
from surveys.access.sign_in_limits import budgets_of
from surveys.models import (
    Assignment,
    Entrance,
    Job,
    Pair,
    Release,
    Review,
    Role,
    TextKind,
    VerdictKind,
)
from surveys.participation.due_item import RATING_OPEN
from surveys.privacy.journal import Deed
from surveys.recruitment.links import invite_annotators
from surveys.webhooks.messages import add_webhook
from tests.factories import checkpoints
from tests.factories.answers import hours_ago
from tests.factories.reviews import reviewed_study, whole
from tests.factories.second_looks import list_annotators, look_of, looking_study
from tests.factories.studies import make_study, start
from tests.surveys import locking
from tests.test_size import APPS

LOCKS = locking.read_table(
    ("surveys.access.api_tokens", "User", "make_token"),
    ("surveys.access.roles", "Study Membership", "grant_role"),
    ("surveys.access.roles", "Study", "revoke_role"),
    ("surveys.access.second_factor", "User", "add_second_factor renew_recovery_codes"),
    ("surveys.access.sign_in_limits", "SignInBudget", "_take"),
    ("surveys.access.sign_in_links", "User", "use_sign_in_link"),
    ("surveys.jobs.perform", "Job", "_claim"),
    ("surveys.participation.answers", "Assignment", "_finish"),
    ("surveys.participation.arrivals", "Study", "start_through"),
    ("surveys.participation.assignments", "Study", "start_assignment start_another_assignment"),
    (
        "surveys.participation.assignments",
        "Study Assignment",
        "start_assignment/silence resume_assignment",
    ),
    ("surveys.participation.assignments", "Assignment", "submit_assignment"),
    ("surveys.participation.second_look", "SecondLook", "answer_again"),
    ("surveys.participation.introduction", "Study", "complete_step check_comprehension"),
    ("surveys.participation.withdrawal", "Study", "return_assignment"),
    ("surveys.participation.withdrawal", "Study Invitation", "revoke_invitation"),
    ("surveys.privacy.erasure", "Study Annotator", "withdraw_annotator erase_annotator"),
    ("surveys.privacy.erasure", "Study", "forget_invitation"),
    ("surveys.privacy.erasure", "Review", "_end_reviews"),
    ("surveys.privacy.replay", "Study", "_repeat"),
    ("surveys.privacy.retention", "Study", "set_retention settle_study drop_due"),
    ("surveys.recruitment.links", "Study", "refuse_others_meanwhile invite_listed"),
    ("surveys.recruitment.links", "Study Entrance", "open_entrance"),
    ("surveys.recruitment.mails", "Study", "queue_mails retry_failed"),
    ("surveys.rehearsal.deletion", "Study", "delete_scripted"),
    ("surveys.rehearsal.direct", "Study", "draw_answers"),
    ("surveys.results.entries.description", "Study", "store_written"),
    ("surveys.results.numbering", "Study", "number_release number_next"),
    ("surveys.results.ratings_table", "Study", "withdrawal_cutoff"),
    ("surveys.results.run_files", "Job", "drop_lists"),
    ("surveys.review.adjudication", "Context", "decide"),
    ("surveys.review.queue", "Review", "_renew"),
    ("surveys.review.replacements", "Study", "request_replacements"),
    ("surveys.review.second_look", "Study", "open_second_look"),
    ("surveys.review.second_look", "Study SecondLook", "close_second_look"),
    ("surveys.review.verdicts", "ReviewSettings", "claim_answers configure_review"),
    ("surveys.review.verdicts", "Review Review", "give_verdict settle_dispute undo_verdict"),
    ("surveys.study.design", "Study Study", "configure_study"),
    ("surveys.study.blocks.allocation", "Study", "repeat_block undo_repeat"),
    ("surveys.study.lifecycle", "Study", "review_consent open_study close_study"),
    ("surveys.study.lifecycle", "Study", "reopen_study archive_study"),
    ("surveys.study.stimuli.checkpoints", "Study", "_add_items replace_checkpoints"),
    ("surveys.study.stimuli.edit", "Study", "replace_stimuli revise_row drop_row"),
    ("surveys.study.texts", "Study", "set_text"),
    ("surveys.webhooks.messages", "Study", "add_webhook"),
    ("surveys.webhooks.messages", "Webhook", "change_webhook send_test"),
    ("surveys.webhooks.messages", "Round", "store_assignment_messages"),
)


def make_rows() -> locking.Rows:
    """Make a study that has been reviewed, and what is in it, by the names of parameters."""
    study, user = reviewed_study(4), User.objects.create_user("ana")
    assignment = start(study)
    return {
        "study": study, "user": user, "reviewer": user, "by": user, "role": Role.REVIEWER,
        "assignment": assignment, "annotator": assignment.annotator,
        "assignment_id": assignment.pk, "response_id": 0, "answer": {"rating": 3}, "answers": [],
        "step": "", "invitation": invite_annotators(study, 1)[0], "because": "a wish",
        "ticket": "ticket", "numbered": (Release.objects.all(),), "token": "token",
        "entrance": Entrance.objects.create(study=study, provider="link"), "provider": "link",
        "job_id": Job.objects.create(kind="mails.delivery").pk, "user_id": user.pk,
        "assignments": Assignment.objects.all(), "filed": Review.objects.all(), "evidence": {},
        "budgets": budgets_of("127.0.0.1", ""), "name": "notebook", "scopes": ["studies:read"],
        "review": whole(study), "kind": VerdictKind.GOOD, "n": 1, "days": 30, "n_before": 0,
        "sample_percent": 50, "double_percent": 50, "is_settled": True, "notes": ["a note"],
        "person": SimpleNamespace(seed=1, answer=lambda *_: 0), "body": "", "version": None,
        "block": study.blocks.get(number=1), "reason": "a reason", "author": "ana",
        "read": SimpleNamespace(scale_points=0), "per_assignment": 1, "shown": "", "fields": {},
        "data": checkpoints.file(checkpoints.row()), "stimuli": None,
        "context": study.pairs.first().contexts.first(), "replaces": None,
        "pair": Pair.objects.stimuli(study)[0], "url": "https://example.org/",
        "still_open": RATING_OPEN, "events": ["assignment.finished"],
        "webhook": add_webhook(study, "https://example.org/", ["assignment.finished"]),
    }  # fmt: skip


@pytest.mark.every_database
@pytest.mark.django_db
@locking.needs_row_locks
def test_each_action_locks_its_rows():
    rows = make_rows()
    silent = start(make_study(2, slug="silent"))
    Assignment.objects.filter(pk=silent.pk).update(active_at=hours_ago(9999))
    own: dict[str, locking.Rows] = {
        "surveys.access.second_factor.add_second_factor": {"key": make_key(), "code": "0"},
        "surveys.privacy.replay._repeat": {"deed": Deed.FORGOTTEN},
        "surveys.review.adjudication.decide": {"answer": 0},
        "surveys.participation.assignments.start_assignment/silence": {
            "invitation": silent.annotator.invitation
        },
        "surveys.participation.second_look.answer_again": {
            "answer": look_of(list_annotators(looking_study(slug="looked"))[2], 1), "rating": 1,
        },
        "surveys.study.design.configure_study": {"settings": {"block_size": 1}},
        "surveys.study.texts.set_text": {"kind": TextKind.CONSENT, "body": "Welcome."},
    }  # fmt: skip

    assert {case: locking.list_locked(case, rows, **own.get(case, {})) for case in LOCKS} == LOCKS


def test_each_action_that_locks_is_in_the_table():
    assert locking.find_missing(LOCKS, lambda name: not APPS & {*name.split(".")}) == {}
