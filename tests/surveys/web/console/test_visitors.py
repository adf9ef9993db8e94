"""Visitors look at the finished demo study without a sign-in, and change nothing."""

import re
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse

from surveys.access.roles import DEMONSTRATED, DEMONSTRATION, find_demonstrations
from surveys.models import Context, Review, Role, Run, RunKind, Study
from surveys.recruitment.links import invite_scripted_annotators
from surveys.results.runs import request_export, request_results
from surveys.review.queue import file_answers
from surveys.review.verdicts import configure_review, give_verdict
from surveys.study.blocks.allocation import repeat_block
from surveys.web.console.urls import OF_A_STUDY, urlpatterns
from tests.factories.jobs import perform_run
from tests.factories.studies import QUICK, finish, make_study, start

pytestmark = pytest.mark.django_db

SHOWN = {
    "overview", "stimuli", "design", "second_look", "text", "preview", "preview_instructions",
    "preview_practice", "preview_practice_rating", "preview_practice_answer", "preview_check",
    "preview_words", "preview_rating", "preview_thanks", "collection", "block", "annotators",
    "annotator", "context", "review", "review_one", "review_effect", "review_questionnaires",
    "review_disputes", "review_agreement", "results", "run", "report", "ledger", "download",
    "release", "pairs", "pair", "plots", "plot",
}  # fmt: skip
PREVIEW = {name for name in SHOWN if name.startswith("preview")}
PAGES = {page.name: page for page in urlpatterns if "slug" in page.pattern.converters}
WORDS = {"inspired_word1": "sea", "inspired_word2": "salt", "rating": "3", "answer": "agree"}


@pytest.fixture
def demonstration(settings, monkeypatch) -> Study:
    """A study that counts as the demo study, with answers by scripts."""
    settings.SHOW_DEMO = True
    return make_demonstration(monkeypatch)


def make_demonstration(monkeypatch) -> Study:
    study = make_study(2, slug=DEMONSTRATION, block_size=1)
    monkeypatch.setitem(DEMONSTRATED, DEMONSTRATION, study.stimuli_sha256)
    for number, invitation in enumerate(invite_scripted_annotators(study, 7)):
        finish(start(study, invitation), rating=number % 7)
    return study


def fill(study: Study) -> Study:
    """Add reviews, a dispute, results and a repeated block, by two named accounts."""
    olga, otto = (User.objects.create_user(name) for name in ("olga", "otto"))
    configure_review(study, sample_percent=100, double_percent=100)
    file_answers(study)
    for number, review in enumerate(Review.objects.answers(study)):
        give_verdict(review, olga, "good")
        give_verdict(review, otto, "good" if number else "unused")
    run = request_results(study, QUICK, olga)
    perform_run(run.pk)
    repeat_block(study.blocks.get(number=1), reason="to be sure", author="olga")
    return study


@pytest.fixture(scope="module")
def visited(django_db_setup, django_db_blocker, tmp_path_factory) -> SimpleNamespace:
    """What a visitor of a filled study sees on all its pages, and what sending to them does.

    The pages are rendered once; the study is gone before the first test.
    """
    files, visitor = tmp_path_factory.getbasetemp() / "files", Client()
    with (
        django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch, transaction.atomic(),
        override_settings(SHOW_DEMO=True, MEDIA_ROOT=files),
    ):  # fmt: skip
        study = fill(make_demonstration(patch))
        answers = {name: visitor.get(address_of(name, study)) for name in PAGES}
        texts = {
            name: answers[name].content.decode()
            for name in sorted(SHOWN - PREVIEW - {"report", "download", "plot"})
        }
        found = re.findall('<a [^>]*href="(/console/[^"#]+)', "".join(texts.values()))
        links = {*found} - {reverse("console:studies"), reverse("console:sign_in")}
        opened = {link: visitor.get(link).status_code for link in links}
        before = count_rows()
        sent = {name: visitor.post(address_of(name, study), WORDS) for name in PAGES}
        seen = SimpleNamespace(
            answers=answers, texts=texts, links=opened, sent=sent, before=before,
            after=count_rows(), cookies=visitor.cookies,
        )  # fmt: skip
        transaction.set_rollback(True)
    return seen


@pytest.fixture
def visitor() -> Client:
    return Client()


def address_of(name: str, study: Study) -> str:
    """Return the address of a page with what it names, if there is one in the study."""
    first = {
        "kind": "consent",
        "code": study.annotators.earliest("pk").code,
        "context_id": _first(Context.objects.filter(pair__study=study)),
        "pair_id": _first(study.pairs),
        "invitation_id": _first(study.invitations),
        "run_id": _first(study.runs),
        "plot": "change-against-p",
        "form": "svg",
        "number": _first(study.reviews) if name.startswith("review") else 1,
    }
    found = {part: first.get(part, 1) for part in PAGES[name].pattern.converters}
    return reverse(f"console:{name}", kwargs={**found, "slug": study.slug})


def _first(rows) -> int:
    row = rows.order_by("pk").first()
    return row.pk if row else 1


def is_sign_in(answer) -> bool:
    return answer.status_code == 302 and answer.url.startswith(reverse("console:sign_in"))


def count_rows() -> dict[str, int]:
    return {model._meta.label: model.objects.count() for model in apps.get_models()}


def test_visitors_look_at_these_pages_and_at_no_others(visited):
    shown = {name for name, answer in visited.answers.items() if answer.status_code == 200}
    refused = {
        name
        for name, one in visited.answers.items()
        if is_sign_in(one) or one.status_code in {403, 404, 405}
    }
    assert SHOWN - shown <= {"preview_check"}  # the study has none
    assert shown <= SHOWN
    assert refused | shown == PAGES.keys()
    assert not visited.cookies


def test_visitors_send_nothing(visited):
    refused = {
        name for name, one in visited.sent.items() if is_sign_in(one) or one.status_code == 405
    }
    assert visited.sent.keys() - refused == PREVIEW
    assert visited.before == visited.after


def test_visitors_fill_in_the_preview_which_stores_nothing(demonstration, visitor):
    before = count_rows()
    words = address_of("preview_words", demonstration)

    refused, accepted = visitor.post(words, {}), visitor.post(words, WORDS)

    assert (refused.status_code, accepted.status_code) == (422, 302)
    assert accepted.url == address_of("preview_rating", demonstration)
    assert count_rows() == before


def test_pages_for_visitors_have_no_form_to_send_and_name_no_account(visited):
    for name, text in visited.texts.items():
        assert (name, re.findall('method="post"|olga|otto|csrf', text)) == (name, [])
        assert "Demonstration: invented answers" in text


def test_every_link_of_a_page_for_visitors_opens(visited):
    assert len(visited.links) > len(SHOWN)
    assert {link for link, status in visited.links.items() if status != 200} == set()


def test_disputes_and_agreement_number_the_reviewers(visited):
    disputes, agreement = (visited.texts[f"review_{page}"] for page in ("disputes", "agreement"))

    assert ("Reviewer 1" in disputes, "Reviewer 2" in disputes) == (True, True)
    assert "Reviewer 1 and Reviewer 2" in agreement


def test_exported_answers_are_not_for_visitors(demonstration, figures_rendered_once, visitor):
    filled = fill(demonstration)
    export = request_export(filled, "csv", None)
    perform_run(export.pk)
    results = Run.objects.get(kind=RunKind.RESULTS)

    assert [
        visitor.get(reverse("console:download", args=[filled.slug, run.pk])).status_code
        for run in (export, results)
    ] == [404, 200]


def test_nothing_is_shown_when_the_setting_is_off(demonstration, visitor, settings):
    settings.SHOW_DEMO = False

    answers = [visitor.get(address_of(name, demonstration)) for name in PAGES]

    assert all(is_sign_in(one) or one.status_code == 405 for one in answers)
    assert find_demonstrations() == []
    assert "finished study" not in visitor.get("/").content.decode()


def test_the_study_is_not_shown_once_a_person_has_begun_it(demonstration, visitor):
    start(demonstration)

    assert is_sign_in(visitor.get(address_of("overview", demonstration)))
    assert find_demonstrations() == []


def test_a_study_of_the_same_name_with_other_stimuli_is_not_shown(settings, visitor):
    settings.SHOW_DEMO = True
    study = make_study(2, slug=DEMONSTRATION)

    assert is_sign_in(visitor.get(reverse("console:overview", args=[study.slug])))


def test_other_studies_stay_closed(demonstration, visitor, study):
    assert is_sign_in(visitor.get(reverse("console:overview", args=[study.slug])))


def test_researchers_without_a_role_are_visitors_too(demonstration, sign_in):
    client = sign_in(None)

    opened = client.get(address_of("results", demonstration))
    sent = client.post(address_of("results", demonstration), {"recipe": QUICK})
    closed = client.get(address_of("people", demonstration))

    assert (opened.status_code, sent.status_code, closed.status_code) == (200, 403, 403)
    assert 'method="post" action="' in opened.content.decode()  # to sign out
    assert not Run.objects.exists()


def test_members_keep_their_rights(demonstration, client):
    client.force_login(User.objects.create_superuser("op"))

    page = client.get(address_of("results", demonstration)).content.decode()

    assert "Run a recipe" in page
    assert "You can look at everything" not in page


@pytest.mark.parametrize("where", ["/", "/console/sign-in/", "/console/"])
def test_the_study_is_offered_where_people_arrive(where, demonstration, sign_in):
    client = sign_in(Role.OWNER) if where == "/console/" else Client()

    page = client.get(where).content.decode()

    assert "Look at a finished study" in page
    assert reverse("console:overview", args=[DEMONSTRATION]) in page


def test_every_page_of_a_study_is_walked():
    assert OF_A_STUDY.keys() <= PAGES.keys()
