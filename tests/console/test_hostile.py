"""Whatever is sent to a page of the console is answered with a message, and stores nothing.

The pages are those of the URLconf, the fields those that a page looks for: neither can be left out.
"""

from collections import defaultdict
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse

from surveys.accessing import grant_role
from surveys.checking import fingerprint_row, write_row
from surveys.console.urls import urlpatterns
from surveys.filing import file_answers
from surveys.inspecting import write_presets
from surveys.models import Context, Invitation, Review, Role, Run, Study, TextKind
from surveys.recruiting import invite_listed, open_entrance
from surveys.reviewing import configure_review, give_verdict
from surveys.running import perform_run, request_results
from surveys.tokening import make_token
from surveys.wording import default_body, read_check
from tests.console.test_design import CHANGEABLE, LOCKED
from tests.factories import make_study, numbered_stimuli
from tests.hostile import BODIES, NEVER, Attacker, spoil, watch_fields
from tests.inline import find_inline
from tests.surveys.checkpoint_rows import file as checkpoint_file
from tests.surveys.checkpoint_rows import row as checkpoint_row
from tests.surveys.reviewed import submit

pytestmark = pytest.mark.django_db

CHECK = read_check(default_body("en", TextKind.CHECK))
RAW = write_presets()["raw"].replace("n_resamples = 300", "n_resamples = 0")
WORDS = {"inspired_word1": "sea", "inspired_word2": "salt"}
VISIT = {"shown": "1", "visible": "1", "pasted": ""}
VERDICT = {"kind": "good", "reason": "as told", "then": "queue"}
CHECKPOINTS = checkpoint_file(checkpoint_row())
STIMULI = numbered_stimuli(2)


def stimuli():
    return SimpleUploadedFile("data.tsv", STIMULI)


def shown(world, prefix=""):
    row = write_row(world.pair, list(world.pair.contexts.order_by("number")))
    return {**({} if prefix else row), f"{prefix}shown": fingerprint_row(row),
            f"{prefix}reason": "odd"}  # fmt: skip


# What each page takes, as it is right. {} is a button; a page that is not here takes nothing.
FORMS = {
    "sign_in": lambda world: {"username": "ana", "password": "right", "next": ""},
    "sign_out": lambda world: {"next": ""},
    "new_study": lambda world: {"title": "New", "slug": "new", "language": "en", "kept": "",
                                "confirmed": "", "file": stimuli()},
    "tokens": lambda world: {"name": "lab", "scopes": ["runs:read"], "last_day": "2099-12-31"},
    "revoke_token": lambda world: {},
    "replace_file": lambda world: {"kept": "", "confirmed": "", "file": stimuli()},
    "checkpoints": lambda world: {"file": SimpleUploadedFile("c.tsv", CHECKPOINTS),
                                  "per_assignment": "1"},
    "row": lambda world: {**shown(world), "word1": "other"},
    "remove_row": lambda world: shown(world, "drop-"),
    "design": lambda world: {**CHANGEABLE, **LOCKED, "allows_more_blocks": "on",
                             "publishes_words": "on"},
    "text": lambda world: {"body": "You may stop at any time."},
    "opening": lambda world: {},
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
    "gauge": lambda world: {},
    "gauge_block": lambda world: {},
    "repeat": lambda world: {"reason": "low agreement", "round_number": "1"},
    "review_one": lambda world: VERDICT,
    "review_undo": lambda world: {},
    "review_settle": lambda world: VERDICT,
    "review_settings": lambda world: {"sample_percent": "50", "double_percent": "0"},
    "results": lambda world: {"recipe": RAW},
    "retry": lambda world: {},
    "release": lambda world: {"recipe": RAW, "description": "", "n_practice": "0", "seed": "0",
                              "ids_of": "", "complete": "on"},
    "people": lambda world: {"username": "mate", "role": "reviewer"},
    "leave": lambda world: {},
    "errands": lambda world: {"form": "csv"},
    "forget": lambda world: {"because": "asked for it"},
    "privacy": lambda world: {"days": "30"},
    "find_person": lambda world: {"text": "a"},
    "pay": lambda world: {},
    "settle": lambda world: {"is_settled": "yes"},
    "drop": lambda world: {},
    "export_person": lambda world: {},
    "pay_person": lambda world: {"is_paid": "yes"},
    "erase": lambda world: {"because": "asked for it"},
}  # fmt: skip
FILES = {"file"}
OF_A_DRAFT = {"checkpoints", "replace_file", "row", "remove_row", "design", "text", "opening"}
# What is looked for, but holds nothing of a form: which button was pressed, Django's own fields,
BESIDES = {"reckon", "look", "csrfmiddlewaretoken", "file-clear"}
ASKED = {"page", "version", "preset"}  # and what stands in the address
PAGES = {pattern.name: pattern for pattern in urlpatterns}


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker, tmp_path_factory):
    """A study with something on every page, made once; what a test stores in it is undone."""
    files = tmp_path_factory.getbasetemp() / "files"
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(MEDIA_ROOT=files):
            made = build_world()
        yield made
        transaction.set_rollback(True)


def build_world():
    study = make_study(4, ratings_per_context=6, block_size=4)
    draft = make_study(2, slug="draft")
    Study.objects.filter(pk=draft.pk).update(opened_at=None)
    ana, rea, rob, _ = (
        User.objects.create_user(name, password="right") for name in ("ana", "rea", "rob", "mate")
    )
    for user, role in ((ana, Role.OWNER), (rea, Role.REVIEWER), (rob, Role.REVIEWER)):
        grant_role(study, user, role)
        grant_role(draft, user, role)
    configure_review(study, sample_percent=100, double_percent=100)
    submit(study), submit(study)
    file_answers(study)
    opened, disputed, mine, *_ = Review.objects.answers(study).order_by("pk")
    give_verdict(disputed, rea, "good", "")
    give_verdict(disputed, rob, "rejected", "copied")
    give_verdict(mine, ana, "good", "")
    done = request_results(study, RAW, ana)
    with patch("postprocess.reporting.bundle.render_reports", lambda _: {"report.html": b"<p>"}):
        perform_run(done.pk)
    failed = Run.objects.create(study=study, kind="results", recipe=RAW, state="failed")
    invite_listed(study, ["ana@example.org"])
    open_entrance(study, "prolific", completion_code="C0")
    token, _ = make_token(ana, "old", ["runs:read"])
    client = Client()
    client.force_login(ana, backend="django.contrib.auth.backends.ModelBackend")
    return SimpleNamespace(
        study=study, draft=draft, session=client.session.session_key, mate=rob,
        done=done, failed=failed,
        token=token, opened=opened, disputed=disputed, mine=mine, pair=draft.pairs.get(position=1),
        entrance=open_entrance(study, "link", cap=5, completion_code="", no_place_code=""),
        invitation=Invitation.objects.get(note="ana@example.org"),
        n_links=Invitation.objects.personal(study).count(),
        context=Context.objects.stimuli(study).first(),
        annotator=study.annotators.first(),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def quick_cards(monkeypatch):
    """What would change without an answer takes long, and has nothing to do with what is sent."""
    monkeypatch.setattr(
        "surveys.console.review_cards.preview_effects", lambda reviews: defaultdict(str)
    )


@pytest.fixture
def attacker(world, name):
    """Signed in but where one signs in."""
    return Attacker(**({} if name == "sign_in" else {"sessionid": world.session}))


def address_of(name, world, **changed):
    review = {"review_settle": world.disputed, "review_undo": world.mine}.get(name, world.opened)
    found = {
        "slug": (world.draft if name in OF_A_DRAFT else world.study).slug,
        "token_id": world.token.pk,
        "pair_id": world.pair.pk,
        "kind": "consent",
        "context_id": world.context.pk,
        "invitation_id": world.invitation.pk,
        "entrance_id": world.entrance.pk,
        "number": review.pk if name.startswith("review_") else 1,
        "code": world.annotator.code,
        "position": 1,
        "run_id": (world.failed if name == "retry" else world.done).pk,
        "user_id": world.mate.pk,
    }
    names = PAGES[name].pattern.converters
    return reverse(f"console:{name}", kwargs={key: {**found, **changed}[key] for key in names})


@pytest.mark.parametrize("name", PAGES)
def test_pages_answer_whatever_is_asked_for(name, world, attacker):
    with watch_fields() as names:
        found = attacker.get(address_of(name, world), {})
    if found.status_code == 405:
        assert name in FORMS
        return
    attacker.judge("as it is", found)

    fields = dict.fromkeys((*names - BESIDES, "unknown"), "")
    for what, query in spoil(fields) if len(fields) > 1 else [("unknown", {"unknown": "a\0b"})]:
        short = {key: text[:5000] if isinstance(text, str) else text for key, text in query.items()}
        if what != "files":
            attacker.judge(what, attacker.get(address_of(name, world), short))

    assert not attacker.complaints


@pytest.mark.parametrize("name", PAGES)
def test_forms_take_what_is_right(name, world, attacker):
    """And no page takes anything that is not looked at here."""
    if name not in FORMS:
        assert attacker.post(address_of(name, world), {}).status_code == 405
        return
    sent = FORMS[name](world)

    with watch_fields() as names:
        attacker.post(address_of(name, world), {})
    right = attacker.post(address_of(name, world), sent)

    assert names - BESIDES - ASKED <= sent.keys()
    assert right.status_code in (200, 302), right.content.decode()
    assert name == "sign_out" or "sign-in" not in right.get("Location", "")


@pytest.mark.parametrize("name", [name for name in PAGES if name not in {"report", "download"}])
def test_pages_hold_nothing_inline(name, world, attacker):
    """The report is a page of the library's, whose styles its policy names one by one."""
    found = attacker.get(address_of(name, world), {})
    refused = attacker.post(address_of(name, world), {})

    assert find_inline(found) == find_inline(refused) == []


@pytest.mark.parametrize("name", FORMS)
def test_forms_answer_whatever_is_sent(name, world, attacker):
    address, sent = address_of(name, world), FORMS[name](world)

    for what, spoilt in spoil(sent, FILES):
        answer = attacker.post(address, spoilt)
        is_switch = sent.get(what.split()[0]) == "on"  # and so it is with whatever it holds
        attacker.judge(what, answer, may_store=is_switch or not what.endswith(NEVER))
    answer = attacker.send(address, *BODIES["no UTF-8"])
    attacker.judge("no UTF-8", answer, may_store=not sent)

    assert not attacker.complaints


@pytest.mark.parametrize("name", ["people", "new_study"])
def test_what_is_no_form_is_answered(name, world, attacker):
    """Before any page looks at it, so two stand for all."""
    for kind, (body, content_type) in BODIES.items():
        answer = attacker.send(address_of(name, world), body, content_type)
        attacker.judge(kind, answer, may_store=False)

    assert not attacker.complaints


@pytest.mark.parametrize("name", PAGES)
def test_addresses_that_lead_nowhere_are_answered(name, world, attacker):
    for key, converter in PAGES[name].pattern.converters.items():
        numbers = [0, 2**31, 2**63, 10**30]
        texts = ["a\0b", "x" * 5000, "\ufffd", "..%2f"]
        for value in numbers if "Int" in type(converter).__name__ else texts:
            if key == "slug":
                value = "nobody"
            address = address_of(name, world, **{key: value})
            for answer in (attacker.get(address, {}), attacker.post(address, {})):
                attacker.judge(f"{key} {value!s:.40}", answer, may_store=False)

    assert not attacker.complaints
