"""Any invalid request to a page of the console is answered with a message and stores nothing.

The pages are those of the URLconf, the fields those that a page looks for: neither can be left out.
"""

import re
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client, override_settings
from django.urls import NoReverseMatch, reverse

from surveys.access.api_tokens import make_token
from surveys.access.roles import grant_role
from surveys.access.sign_in_links import invite_account, make_sign_in_link
from surveys.access.webhooks import add_webhook
from surveys.crowd.ledger import intend_reward, refuse_payment
from surveys.models import Context, Invitation, Review, Role, Run, RunKind, Study, TextKind, Visit
from surveys.recruitment.links import invite_listed, open_entrance
from surveys.results.runs import request_results
from surveys.review.queue import file_answers
from surveys.review.verdicts import configure_review, give_verdict
from surveys.study.exercises import read_check
from surveys.study.stimuli.load import fingerprint_row, write_row
from surveys.study.texts import default_body
from surveys.tasks import perform_run
from surveys.web.console.urls import urlpatterns
from tests.factories.batch_states import make_crowd, visit_of
from tests.factories.batches import hand_in, plan
from tests.factories.checkpoints import file as checkpoint_file
from tests.factories.checkpoints import row as checkpoint_row
from tests.factories.reviews import submit
from tests.factories.studies import (
    QUICK,
    make_release_with_page,
    make_run,
    make_study,
    numbered_stimuli,
)
from tests.hostile import BODIES, NEVER, SHARP, Attacker, spoil, watch_fields
from tests.inline import find_inline
from tests.surveys.web.console.test_design import CHANGEABLE, LOCKED

pytestmark = pytest.mark.django_db

CHECK = read_check(default_body("en", TextKind.CHECK))
HASHER = "django.contrib.auth.hashers.MD5PasswordHasher"  # that of the tests
SECRET = "correct horse battery"
WORDS = {"inspired_word1": "sea", "inspired_word2": "salt"}
VISIT = {"shown": "1", "visible": "1", "pasted": ""}
VERDICT = {"kind": "good", "reason": "as agreed", "then": "queue"}
CHECKPOINTS = checkpoint_file(checkpoint_row())
EXPORT = (
    b"Submission id,Participant id,Status,Started at,Completed at,Completion code\ns,w,ACTIVE,,,\n"
)
STIMULI = numbered_stimuli(2)


def stimuli():
    return SimpleUploadedFile("data.tsv", STIMULI)


def shown(world, prefix=""):
    row = write_row(world.pair, list(world.pair.contexts.order_by("number")))
    return {**({} if prefix else row), f"{prefix}shown": fingerprint_row(row),
            f"{prefix}reason": "odd"}  # fmt: skip


PLAN = {
    "target": "simulator", "each": "1", "named": "1B", "reward_cents": "0.50", "title": "Words",
    "description": "Read.", "keywords": "", "assignment_minutes": "30", "lifetime_days": "7",
    "auto_approval_days": "3", "countries": "SI", "approval_percent": "", "n_approved": "",
    "private_task": "",
}  # fmt: skip

SETTINGS = {
    "name": "ours", "exclusion_most_failed_checkpoints": "1", "calibration_enabled": "on",
    "calibration_threshold": "1", "calibration_step": "0.5", "filtering_k": "1.5",
    "filtering_minimum_rho": "0.1", "filtering_gain_share": "0.1", "rescaling_minimum": "0",
    "rescaling_maximum": "10", "files_scientific_below": "1e-7", "files_trailing_zeros": "on",
    "report_n_resamples": "0", "report_resample": "items", "report_n_splits": "5",
    "report_seed": "0",
}  # fmt: skip

# Fields that one function of a form makes
KINDS = {
    "switch of a recipe": "exclusion_rejected_engagement report_pdf calibration_enabled "
    "filtering_enabled files_trailing_zeros",
    "whole number of a recipe": "exclusion_most_failed_checkpoints report_n_resamples "
    "report_n_splits report_seed",
    "number of a recipe": "calibration_threshold calibration_step filtering_k filtering_gain_share "
    "filtering_minimum_rho rescaling_minimum rescaling_maximum files_scientific_below",
    "switch of a design": "allows_unjudgeable erases_withdrawn allows_more_blocks sends_choice "
    "publishes_words",
    "whole number of a design": "ratings_per_context lease_hours n_check_tries n_checkpoints "
    "seconds_per_item block_size",
    "number of a design": "scale_minimum scale_maximum scale_step",
}

WRITTEN = {
    "dataset-title": "Words", "dataset-version": "1.0.0", "dataset-released_on": "2026-11-30",
    "dataset-licence": "CC-BY-4.0", "dataset-url": "https://example.org/words",
    "dataset-doi": "10.1234/words", "dataset-summary": "Pairs.", "dataset-uses": "Evaluation.",
    "dataset-limitations": "Few pairs.", "dataset-contact": "lab@example.org",
    "dataset-funding": "None.", "dataset-maintenance": "The lab.", "dataset-keywords": "words",
    "language-name": "English", "language-variety": "British.", "stimuli-pairs_from": "A list.",
    "stimuli-contexts_from": "A corpus.", "stimuli-rationale": "To be short.",
    "stimuli-writers": "Students.", "stimuli-situation": "At school.",
    "stimuli-characteristics": "Stories.", "stimuli-licence": "CC BY 4.0.",
    "stimuli-creators": "found", "annotators-recruited": "By e-mail.",
    "annotators-qualifications": "Native speakers.", "annotators-demographics": "Adults.",
    "annotators-creators": "crowdsourced", "pay-amount": "2 EUR", "pay-adequacy": "12 EUR an hour.",
    "consent-obtained": "On a page.", "ethics-review": "No. 12.", "ethics-risks": "None known.",
}  # fmt: skip


def name_rows(row, n):
    """Return what a form of n equal rows sends."""
    return {
        "rows-TOTAL_FORMS": str(n), "rows-INITIAL_FORMS": "0", "rows-MIN_NUM_FORMS": "0",
        "rows-MAX_NUM_FORMS": "20",
        **{f"rows-{k}-{name}": text for k in range(n) for name, text in row.items()},
    }  # fmt: skip


AUTHORS = {
    "authors-TOTAL_FORMS": "2", "authors-INITIAL_FORMS": "0", "authors-MIN_NUM_FORMS": "0",
    "authors-MAX_NUM_FORMS": "200",
    **{
        f"authors-{n}-{name}": text
        for n in range(2)
        for name, text in {
            "family_names": "Kos", "given_names": "Ana", "name": "", "affiliation": "Lab",
            "orcid": "0000-0002-1825-0097",
        }.items()
    },
}  # fmt: skip


UNCONFIRMED = dict.fromkeys(("confirmed", "name", "separator", "encoding", "read"), "")
# Valid data for each page; {} is a button without fields. Other pages accept no data.
FORMS = {
    "sign_in": lambda world: {"username": "ana", "password": "right", "next": ""},
    "sign_in_link": lambda world: {},
    "choose_password": lambda world: dict.fromkeys(("new_password1", "new_password2"), SECRET),
    "change_password": lambda world: {"old_password": "right", "new_password1": SECRET,
                                      "new_password2": SECRET},
    "sign_out": lambda world: {"next": ""},
    "new_study": lambda world: {"title": "New", "slug": "new", "language": "en", "kept": "",
                                "preset": "usim", "file": stimuli(), **UNCONFIRMED},
    **{name: lambda world: {} for name in ("close", "reopen", "archive", "restore")},
    "duplicate": lambda world: {"title": "Copy", "slug": "copy"},
    "rehearsal": lambda world: {"count": "1"},
    "delete_rehearsal": lambda world: {},
    "tokens": lambda world: {"name": "lab", "scopes": ["runs:read"], "last_day": "2099-12-31"},
    "revoke_token": lambda world: {},
    "replace_file": lambda world: {"file": stimuli(), **UNCONFIRMED, "kept": ""},
    "checkpoints": lambda world: {"file": SimpleUploadedFile("c.tsv", CHECKPOINTS),
                                  "per_assignment": "1", **UNCONFIRMED, "kept": ""},
    "row": lambda world: {**shown(world), "word1": "other"},
    "remove_row": lambda world: shown(world, "drop-"),
    "design": lambda world: {**CHANGEABLE, **LOCKED, "allows_more_blocks": "on",
                             "sends_choice": "on",
                             "publishes_words": "on"},
    "text": lambda world: {"body": "You may stop at any time."},
    "practice_rows": lambda world: name_rows({
        "text": "A <strong>cat</strong> and a <strong>dog</strong>.", "word1": "cat",
        "word2": "dog", "good1": "pets", "good2": "noise", "lowest": "", "highest": "",
        "explanation": "They are pets.",
    }, 1),
    "check_rows": lambda world: name_rows({
        "question": "Which?", "answer1": "a", "answer2": "b", "answer3": "c", "answer4": "d",
        "answer5": "e", "answer6": "f", "right": "2", "why": "The rule.",
    }, 2),
    "opening": lambda world: {"version": "1", "has_reviewed": "on", "opens_link": "yes"},
    "preview": lambda world: {"answer": "agree"},
    "preview_instructions": lambda world: {},
    "preview_practice": lambda world: WORDS,
    "preview_practice_rating": lambda world: {"rating": "3", "comment": ""},
    "preview_practice_answer": lambda world: {},
    "preview_check": lambda world: {f"question{n}": q.right for n, q in enumerate(CHECK)},
    "preview_words": lambda world: WORDS,
    "preview_rating": lambda world: {"rating": "3", "comment": ""},
    "preview_thanks": lambda world: {},
    "invite": lambda world: {"count": "1", "listed": "", "n_before": world.n_links, "file": ""},
    "invitation": lambda world: {"because": "lost"},
    "open_link": lambda world: {"cap": "7", "completion_code": "C1", "no_place_code": "C2"},
    "prolific": lambda world: {"cap": "7", "completion_code": "C1", "no_place_code": "C2"},
    "close_entrance": lambda world: {},
    "prolific_export": lambda world: {"file": SimpleUploadedFile("e.csv", EXPORT), "kept": ""},
    "send_invitations": lambda world: {"version": "1"},
    "send_reminders": lambda world: {"version": "1"},
    "cancel_mails": lambda world: {},
    "retry_mails": lambda world: {},
    "no_mail": lambda world: {},
    "plan_batch": lambda world: PLAN,
    "arm_batch": lambda world: {"typed_cents": "1.20", "ceiling_cents": "100",
                                "last_day": "2099-12-31"},
    "disarm_batch": lambda world: {},
    "drop_batch": lambda world: {},
    "work_batch": lambda world: {"what": "fetch"},
    "batch_bonus": lambda world: {"chosen": [str(world.payable.pk)], "amount_cents": "1",
                                  "reason": "careful", "key": "0" * 32},
    "batch_choose": lambda world: {"chosen": [str(world.payable.pk)], "reason": "careful"},
    "pay_visit": lambda world: {"reason": "they wrote"},
    "reject_visit": lambda world: {"feedback": "not done"},
    "retry_visit": lambda world: {"reason": "there is money"},
    "override_visit": lambda world: {"reason": "a mistake"},
    "compensate_visit": lambda world: {"reason": "the frame was closed"},
    "note_visit": lambda world: {"reason": "by bank", "amount_cents": "0.50"},
    "gauge": lambda world: {},
    "gauge_block": lambda world: {},
    "gauge_annotators": lambda world: {},
    "repeat": lambda world: {"reason": "low agreement", "round_number": "1"},
    "undo_repeat": lambda world: {},
    "replace": lambda world: {},
    "review": lambda world: {},
    "review_more": lambda world: {"exclude": "1"},
    "review_file": lambda world: {"then": "queue"},
    "review_one": lambda world: VERDICT,
    "review_undo": lambda world: {},
    "review_settle": lambda world: VERDICT,
    "review_settings": lambda world: {"sample_percent": "50", "double_percent": "0"},
    "results": lambda world: {**SETTINGS, "exclusion_rejected_engagement": "on",
                              "filtering_enabled": "on", "report_pdf": "on"},
    "recipe_text": lambda world: {"recipe": QUICK},
    "retry": lambda world: {},
    "release": lambda world: {"recipe": "raw", "n_practice": "0", "seed": "0",
                              "ids_of": "", "complete": "on", "has_log": "on"},
    "release_page": lambda world: {"is_open": "yes"},
    "verify_release": lambda world: {},
    "description": lambda world: {**WRITTEN, **AUTHORS},
    "description_text": lambda world: {"body": "[dataset]\nfunding = 'None.'"},
    "people": lambda world: {"username": "mate", "role": "reviewer"},
    "invite_person": lambda world: {"username": "zoe", "role": "reviewer"},
    "leave": lambda world: {},
    "jobs": lambda world: {"form": "csv"},
    "webhooks": lambda world: {"url": "https://lab.example.org/x", "events": ["run.finished"]},
    "webhook": lambda world: {"what": "test"},
    "remove_webhook": lambda world: {},
    "forget": lambda world: {"because": "asked for it"},
    "privacy": lambda world: {"days": "30"},
    "find_person": lambda world: {"text": "a"},
    "pay": lambda world: {"n_unpaid": "1"},
    "settle": lambda world: {"is_settled": "no"},
    "drop": lambda world: {},
    "export_person": lambda world: {},
    "pay_person": lambda world: {"is_paid": "yes"},
    "erase": lambda world: {"because": "asked for it"},
}  # fmt: skip
FILES = {"file"}
OF_A_PLAN = {"arm_batch", "drop_batch"}
# Pages that call a provider. None answers here: the page reports it, and payments stay unknown.
ASKING = {"reject_visit", "override_visit", "batch_choose"}
OF_A_DRAFT = {
    "checkpoints", "replace_file", "row", "remove_row", "design", "text", "opening",
    "practice_rows", "check_rows",
}  # fmt: skip
# Names that a view reads although they are not form fields: buttons, Django's own fields,
# ticks that remove a row, whose other fields then do not count
NOT_FIELDS = {
    "calculate", "estimate", "look", "then", "csrfmiddlewaretoken", "file-clear",
    *(f"{rows}-{n}-DELETE" for rows in ("authors", "rows") for n in range(2)),
}  # fmt: skip
QUERY_PARAMETERS = {
    "page",
    "order",
    "look",
    "version",
    "preset",
    "standing",
    "item",
    "chosen",
    "run",
}
PAGES = {pattern.name: pattern for pattern in urlpatterns}


def on_every_database(chosen, names):
    """Mark the chosen names; with the others, SQLite refuses what PostgreSQL would refuse."""
    assert chosen <= {*names}
    mark = pytest.mark.every_database
    return [pytest.param(name, marks=mark) if name in chosen else name for name in names]


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker, tmp_path_factory):
    """A study with content on every page, created once; changes by a test are rolled back."""
    files = tmp_path_factory.getbasetemp() / "files"
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(MEDIA_ROOT=files, PASSWORD_HASHERS=[HASHER]):
            made = build_world()
        yield made
        transaction.set_rollback(True)


def build_world():
    study = make_study(4, ratings_per_context=12, block_size=4)
    draft = make_study(2, slug="draft")
    shown = {"organisation": "University of Examples", "contact": "lab@example.org"}
    Study.objects.filter(pk=draft.pk).update(opened_at=None, **shown)
    ana, rea, rob, _ = (
        User.objects.create_user(name, password="right") for name in ("ana", "rea", "rob", "mate")
    )
    for user, role in ((ana, Role.OWNER), (rea, Role.REVIEWER), (rob, Role.REVIEWER)):
        grant_role(study, user, role)
        grant_role(draft, user, role)
    configure_review(study, sample_percent=100, double_percent=100)
    submit(study), submit(study)
    batch = make_crowd(study)
    file_answers(study)
    opened, disputed, mine, *_ = Review.objects.answers(study).order_by("pk")
    give_verdict(disputed, rea, "good", "")
    give_verdict(disputed, rob, "rejected", "copied")
    give_verdict(mine, ana, "good", "")
    done = request_results(study, QUICK, ana)
    perform_run(done.pk)
    assert Run.objects.done().get().report
    make_release_with_page(study)
    failed = make_run(study, RunKind.RESULTS, recipe=QUICK, state="failed")
    invite_listed(study, ["ana@example.org"])
    open_entrance(study, "prolific", completion_code="C0")
    token, _ = make_token(ana, "old", ["runs:read"])
    client = Client()
    client.force_login(ana, backend="django.contrib.auth.backends.ModelBackend")
    refused = refuse_payment(intend_reward(visit_of(batch, "payable")), "no money left").visit
    return SimpleNamespace(
        study=study, draft=draft, session=client.session.session_key, mate=rob,
        done=done, failed=failed,
        batch=batch, refused=refused, planned=plan(study),
        rejected=hand_in(Visit.objects.get(submission="3SUBMISSION1"), state="rejected"),
        held=visit_of(batch, "held"), unpaid=visit_of(batch, "unpaid"),
        payable=visit_of(batch, "payable"),
        invited=invite_account(study, "eva", Role.REVIEWER).split("/")[-2],
        webhook=add_webhook(study, "https://lab.example.org/", ["run.finished"]),
        token=token, opened=opened, disputed=disputed, mine=mine, pair=draft.pairs.get(position=1),
        entrance=open_entrance(study, "link", cap=5, completion_code="", no_place_code=""),
        invitation=Invitation.objects.get(note="ana@example.org"),
        n_links=Invitation.objects.personal(study).count(),
        context=Context.objects.stimuli(study).first(),
        annotator=study.annotators.first(),
    )  # fmt: skip


def kind_of(name):
    """Return the kind of a field; the same for fields that one piece of code makes and checks."""
    if WRITTEN.get(name, "").endswith("."):
        return "prose"
    kinds = [kind for kind, names in KINDS.items() if name in names.split()]
    if kinds:
        return kinds[0]
    return re.sub(r"\d+", "#", name) if name.startswith(("authors-", "rows-")) else name


def is_unreachable(answer):
    return answer.status_code == 422 and b"cannot be reached" in answer.content


@pytest.fixture(autouse=True)
def can_queue_mails(settings):
    """Let the site queue e-mails; in these tests nothing is committed, so none is sent."""
    settings.EMAIL_HOST, settings.SITE_URL = "127.0.0.1", "https://survey.example.org"


@pytest.fixture
def attacker(world, name):
    """Return a client that is signed in, except for the sign-in pages."""
    is_guest = name in ("sign_in", "choose_password")
    return Attacker(**({} if is_guest else {"sessionid": world.session}))


def address_of(name, world, **changed):
    review = {"review_settle": world.disputed, "review_undo": world.mine}.get(name, world.opened)
    unpaid = dict.fromkeys(("note_visit", "compensate_visit"), world.unpaid)
    visits = {**unpaid, "retry_visit": world.refused, "override_visit": world.rejected}
    found = {
        "slug": (world.draft if name in OF_A_DRAFT else world.study).slug,
        "token_id": world.token.pk,
        "webhook_id": world.webhook.pk,
        "batch_id": (world.planned if name in OF_A_PLAN else world.batch).pk,
        "visit_id": visits.get(name, world.held).pk,
        "pair_id": world.pair.pk,
        "kind": "consent",
        "context_id": world.context.pk,
        "invitation_id": world.invitation.pk,
        "entrance_id": world.entrance.pk,
        "number": review.pk if name.startswith("review_") else 1,
        "code": world.annotator.code,
        "position": 1,
        "row": 1,
        "plot": "calibration",
        "form": "csv",
        "run_id": (world.failed if name == "retry" else world.done).pk,
        "user_id": world.mate.pk,
        "token": make_sign_in_link("rob").split("/")[-2],
        **({"token": world.invited} if name == "choose_password" else {}),
    }
    names = PAGES[name].pattern.converters
    return reverse(f"console:{name}", kwargs={key: {**found, **changed}[key] for key in names})


def address_with(name, world, key, value):
    """Return the URL with this text in it, even if reverse() would refuse it."""
    try:
        return address_of(name, world, **{key: value})
    except NoReverseMatch:
        return address_of(name, world).replace(f"/{world.annotator.code}/", f"/{quote(value)}/")


@pytest.mark.parametrize("name", on_every_database({"recruitment"}, PAGES))
def test_pages_answer_any_query_string(name, world, attacker):
    address = address_of(name, world)
    with watch_fields() as names:
        found = attacker.get(address, {"unknown": "a\0b"})
    if found.status_code == 405:
        assert name in FORMS
        return
    attacker.judge("unknown", found)

    fields = dict.fromkeys(sorted(names - NOT_FIELDS - {"unknown"}), "")
    is_known = fields.keys() == {"page"}  # other pages, too, have one function read it
    for what, query in spoil(fields):
        short = {key: text[:5000] if isinstance(text, str) else text for key, text in query.items()}
        is_missing = what == "files" or what.endswith("missing")  # in the request above all are
        if not is_missing and (what.endswith(SHARP) or not is_known):
            attacker.judge(what, attacker.get(address, short))

    assert not attacker.complaints


@pytest.mark.every_database  # to send the statements of every page once
@pytest.mark.parametrize("name", PAGES)
def test_pages_hold_nothing_inline_and_forms_accept_valid_data(name, world, attacker):
    """Also check that FORMS lists every field that a page reads.

    The report is excluded: its policy lists the hash of each style of the library's page.
    """
    address = address_of(name, world)
    found = attacker.get(address, {})
    with watch_fields() as names:
        empty = attacker.post(address, {})

    if name not in {"report", "download"}:
        assert find_inline(found) == find_inline(empty) == []
    if name not in FORMS:
        assert empty.status_code == 405
        return
    sent = FORMS[name](world)
    right = attacker.post(address, sent)

    assert names - NOT_FIELDS - QUERY_PARAMETERS <= sent.keys()
    if name in ASKING:
        assert right.status_code == 422
        assert is_unreachable(right)
        return
    assert right.status_code in (200, 302), right.content.decode()
    assert name == "sign_out" or "sign-in" not in right.get("Location", "")


# These look a text up, search for one and store one.
@pytest.mark.parametrize("name", on_every_database({"sign_in", "find_person", "text"}, FORMS))
def test_forms_answer_any_data(name, world, attacker):
    address, sent = address_of(name, world), FORMS[name](world)

    for what, spoilt in spoil(sent, FILES, kind_of):
        answer = attacker.post(address, spoilt)
        if name in ASKING and is_unreachable(answer) and not what.endswith(NEVER):
            continue
        field = what.split()[0]
        is_free = sent.get(field) == "on" or field == "next"  # any other value is valid, too
        attacker.judge(what, answer, may_store=is_free or not what.endswith(NEVER))
    answer = attacker.send(address, *BODIES["no UTF-8"])
    attacker.judge("no UTF-8", answer, may_store=not sent)

    assert not attacker.complaints


@pytest.mark.parametrize("name", ["people", "new_study"])
def test_bodies_that_are_not_forms_are_answered(name, world, attacker):
    """The path is rejected before the view runs, so two pages are enough."""
    for kind, (body, content_type) in BODIES.items():
        answer = attacker.send(address_of(name, world), body, content_type)
        attacker.judge(kind, answer, may_store=False)

    assert not attacker.complaints


@pytest.mark.parametrize("name", on_every_database({"context", "text"}, PAGES))
def test_unknown_urls_are_answered(name, world, attacker):
    numbers, texts = [0, 2**31, 2**63, 10**30], ["a\0b", "x" * 5000, "\ufffd", "..%2f"]
    for key, converter in PAGES[name].pattern.converters.items():
        values = numbers if "Int" in type(converter).__name__ else texts
        for value in ["nobody"] if key == "slug" else values:
            address = address_with(name, world, key, value)
            what = f"{key} {value!s:.40}"
            attacker.judge(what, attacker.get(address, {}), may_store=False)
            if value == values[-1] or key == "slug":  # a page looks rows up before it acts
                attacker.judge(what, attacker.post(address, {}), may_store=False)

    assert not attacker.complaints
