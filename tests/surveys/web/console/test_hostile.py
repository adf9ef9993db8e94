"""Any invalid request to a page of the console is answered with a message and stores nothing.

The pages are those of the URLconf, the fields those that a page looks for: neither can be left out.
"""

from urllib.parse import quote

import pytest
from django.db import transaction
from django.test import override_settings
from django.urls import NoReverseMatch, reverse

from surveys.access.sign_in_links import make_sign_in_link
from surveys.web.console.urls import urlpatterns
from tests.factories.corpora import write_corpora
from tests.hostile import BODIES, NEVER, SHARP, Attacker, spoil, watch_fields
from tests.inline import find_inline
from tests.surveys.web.console.valid_forms import FORMS, kind_of
from tests.surveys.web.console.world import build_world

pytestmark = [pytest.mark.django_db, pytest.mark.needs("contexts", "crowd")]

HASHER = "django.contrib.auth.hashers.MD5PasswordHasher"  # that of the tests
FILES = {"file", "dataset", "practice"}
OF_A_PLAN = {"arm_batch", "drop_batch"}
# Pages that call a provider. None answers here: the page reports it, and payments stay unknown.
ASKING = {"reject_visit", "override_visit", "batch_choose"}
OF_A_DRAFT = {
    "checkpoints", "replace_file", "row", "remove_row", "design", "text", "opening",
    "practice_rows", "check_rows",
}  # fmt: skip
OF_CONTEXTS = {
    "contexts", "candidates", "candidates_file", "contexts_settings", "undo_choice", "use_stimuli",
}  # fmt: skip
OF_SEARCHES = {"search_contexts", "pick_by_scores", "search_pair"}
OF_A_COMPARISON = {
    "comparison", "comparison_report", "comparison_files", "comparison_plot",
}  # fmt: skip
# Names that a view reads although they are not form fields: buttons, Django's own fields,
# ticks that remove a row, whose other fields then do not count
NOT_FIELDS = {
    "calculate", "estimate", "look", "then", "csrfmiddlewaretoken", "file-clear",
    "scores-clear",
    *(f"{rows}-{n}-DELETE" for rows in ("authors", "rows") for n in range(2)),
}  # fmt: skip
QUERY_PARAMETERS = {
    "page",
    "order",
    "look",
    "version",
    "design",
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
    corpora = write_corpora(tmp_path_factory.mktemp("world") / "corpora")
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(MEDIA_ROOT=files, PASSWORD_HASHERS=[HASHER], CORPORA_DIR=corpora):
            made = build_world()
        made.corpora, made.looks = corpora, {}
        yield made
        transaction.set_rollback(True)


def is_unreachable(answer):
    return answer.status_code == 422 and b"cannot be reached" in answer.content


@pytest.fixture(autouse=True)
def can_queue_mails(settings):
    """Let the site queue e-mails; in these tests nothing is committed, so none is sent."""
    settings.EMAIL_HOST, settings.SITE_URL = "127.0.0.1", "https://survey.example.org"


@pytest.fixture(autouse=True)
def has_repository(settings):
    """Let drafts be created at a repository; in these tests nothing is committed or sent."""
    settings.ZENODO_URL, settings.ZENODO_TOKEN = "http://127.0.0.1:9", "a-token-for-tests"


@pytest.fixture(autouse=True)
def has_corpora(settings, world):
    """Offer corpora on the site."""
    settings.CORPORA_DIR = world.corpora


@pytest.fixture
def attacker(world, name):
    """Return a client that is signed in, except for the sign-in pages."""
    is_guest = name in ("sign_in", "choose_password")
    return Attacker(**({} if is_guest else {"sessionid": world.session}))


def address_of(name, world, **changed):
    review = {"review_settle": world.disputed, "review_undo": world.mine}.get(name, world.opened)
    unpaid = dict.fromkeys(("note_visit", "compensate_visit"), world.unpaid)
    visits = {**unpaid, "retry_visit": world.refused, "override_visit": world.rejected}
    runs = {
        "retry": world.failed,
        "retry_comparison": world.failed_comparison,
        "cancel_search": world.search,
        "retry_search": world.failed_search,
        **dict.fromkeys(OF_A_COMPARISON, world.compared),
        **dict.fromkeys(("family_report", "family_files", "family_figure"), world.put_together),
    }
    studies = {
        **dict.fromkeys(OF_A_DRAFT, world.draft),
        **dict.fromkeys(OF_CONTEXTS, world.corpus),
        **dict.fromkeys(OF_SEARCHES, world.searched),
        "cancel_search": world.sought,
        "retry_search": world.corpus,
        "adjudicate": world.tied,
    }
    numbers = {"deposit": 2, "undo_choice": 2}
    found = {
        "slug": studies.get(name, world.study).slug,
        "token_id": world.token.pk,
        "webhook_id": world.webhook.pk,
        "batch_id": (world.planned if name in OF_A_PLAN else world.batch).pk,
        "visit_id": visits.get(name, world.held).pk,
        "pair_id": world.pair.pk,
        "kind": "consent",
        "context_id": world.context.pk,
        "invitation_id": world.invitation.pk,
        "entrance_id": world.entrance.pk,
        "number": review.pk if name.startswith("review_") else numbers.get(name, 1),
        "repository": "zenodo",
        "code": world.annotator.code,
        "position": 2 if name == "adjudicate" else 1,
        "row": 1,
        "plot": "calibration",
        "family": world.family.slug,
        "figure": "changes",
        "form": "csv",
        "run_id": runs.get(name, world.done).pk,
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
        shown = world.family.slug if key == "family" else world.annotator.code
        return address_of(name, world).replace(f"/{shown}/", f"/{quote(value)}/")


def look_at(name, world, attacker):
    """Return a page as it answers an unknown parameter, and those that it knows; asked for once."""
    if name not in world.looks:
        with watch_fields() as names:
            found = attacker.get(address_of(name, world), {"unknown": "a\0b"})
        world.looks[name] = found, frozenset(names)
    return world.looks[name]


@pytest.mark.parametrize("name", on_every_database({"recruitment"}, PAGES))
def test_pages_answer_any_query_string(name, world, attacker):
    address = address_of(name, world)
    found, names = look_at(name, world, attacker)
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
    found, _ = look_at(name, world, attacker)
    with watch_fields() as names:
        empty = attacker.post(address, {})

    if name not in {
        "report",
        "download",
        "comparison_report",
        "comparison_files",
        "family_report",
        "family_files",
    }:
        assert find_inline(found) == find_inline(empty) == []
    if name not in FORMS:
        refusals = {"site": 403, "second_factor_code": 302}  # for operators; after a password
        assert empty.status_code == refusals.get(name, 405)
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
        is_free = is_free or name == "family"  # whose key may be missing
        attacker.judge(what, answer, may_store=is_free or not what.endswith(NEVER))
    answer = attacker.send(address, *BODIES["no UTF-8"])
    attacker.judge("no UTF-8", answer, may_store=not sent or name == "family")

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
