"""Every page of studies whose items have one page."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from lxml import html

from surveys.models import Assignment, Review, Run, RunKind, Study
from surveys.results.inspection.public_page import open_page
from surveys.results.run_inspection import write_recipe
from surveys.results.runs import request_release, request_results
from surveys.review.queue import file_answers
from surveys.study.design import published_designs
from surveys.web.console.urls import urlpatterns
from tests.factories.answers import answer, finished_study_of, take_seconds
from tests.factories.checkpoints import file_of
from tests.factories.clients import client_of
from tests.factories.designed import QUICKLY
from tests.factories.jobs import perform_run
from tests.factories.studies import make_study_of, start

DESIGNS = ("simlex", "mclwic")


@pytest.fixture
def operator(db):
    return client_of(User.objects.create_superuser("op"))


def list_pages(study: Study, **more: int) -> dict[str, str]:
    """Return the addresses of a study's pages by name, but for rows of tables that it lacks."""
    pair = study.pairs.first()
    ids = {
        "slug": study.slug, "pair_id": pair.pk, "context_id": pair.contexts.first().pk,
        "kind": "consent", "number": 1, "position": 1, "row": 1, "plot": "agreement", "form": "csv",
        "invitation_id": study.invitations.first().pk, "code": study.annotators.first().code,
        "user_id": 1, **more,
    }  # fmt: skip
    reviews = {**ids, "number": Review.objects.answers(study).first().pk}
    pages = {}
    for pattern in urlpatterns:
        names = pattern.pattern.converters
        known = reviews if pattern.name.startswith("review") else ids
        if "slug" in names and not names.keys() - known.keys():
            kwargs = {name: known[name] for name in names}
            pages[pattern.name] = reverse(f"console:{pattern.name}", kwargs=kwargs)
    return pages


@pytest.fixture(params=DESIGNS)
def collecting(request, db):
    """A study with three finished assignments, under review, and one that is under way."""
    study = finished_study_of(request.param, 3)
    for assignment in Assignment.objects.for_study(study):
        take_seconds(assignment, 20)
    answer(start(study), [1, 0])
    file_answers(study)
    return study


def open_pages(client: Client, pages: dict[str, str]) -> dict[str, Any]:
    """Return the answers of pages, all of which are shown."""
    client.raise_request_exception = False
    answers = {name: client.get(page) for name, page in pages.items()}
    assert {name for name, answer in answers.items() if answer.status_code >= 500} == set()
    return answers


def test_pages_of_a_collecting_study_are_shown(collecting, operator):
    operator.post(reverse("console:gauge", args=[collecting.slug]))

    answers = open_pages(operator, list_pages(collecting))

    pages = {name: found.content.decode() for name, found in answers.items() if not found.streaming}
    for name in ("context", "review_one", "block", "annotator"):
        assert "alpha" in pages[name], name
        assert "context 1" not in pages[name], name
    design = pages["design"]
    assert ("Words written by" in design) == (collecting.writes != "nothing")
    assert not any(odd in design for odd in ("a change of", "both pages"))


@pytest.fixture(params=DESIGNS)
def published_study(request, db, figures_rendered_once):
    """A closed study with two runs and a release, whose page is open."""
    study = finished_study_of(request.param, 3)
    settings = {"design": request.param, "closed_at": timezone.now()}
    Study.objects.filter(pk=study.pk).update(**settings)
    study.refresh_from_db()
    file_answers(study)
    recipes = [write_recipe("raw", *QUICKLY), write_recipe("simlex", *QUICKLY)]
    for recipe in recipes if study.centre == "mean" else recipes[:1] * 2:
        perform_run(request_results(study, recipe, None).pk)
    run = request_release(study, recipes[0], {"has_report": True}, None)
    perform_run(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == ("done", "")
    open_page(run.release)
    return study


def test_pages_of_a_finished_study_are_shown(published_study, operator):
    first, second = Run.objects.filter(study=published_study, kind=RunKind.RESULTS).order_by("pk")
    release = published_study.releases.get()

    of_run = open_pages(operator, list_pages(published_study, run_id=first.pk))
    of_release = open_pages(operator, list_pages(published_study, run_id=release.run.pk))
    addresses = {
        name: reverse(f"console:{name}", args=[published_study.slug]) + query
        for name, query in {
            "compare": f"?first={first.pk}&second={second.pk}",
            "results": "?look=text&recipe=raw",
        }.items()
    }
    others = open_pages(operator, addresses)

    for pages in (of_run, of_release):
        for name in ("run", "pairs", "pair", "ledger", "report", "plots"):
            text = b"".join(pages[name]).decode()
            assert pages[name].status_code == 200, name
            odd = "hange</|Context 2|[0-9] word pairs|[{]{"
            assert re.findall(odd, text.partition("<script")[0]) == [], name
    assert "Score" in others["compare"].content.decode()
    public = operator.get(reverse("public:release", args=[published_study.slug, release.number]))
    assert public.status_code == 200


def read(client: Client, address: str) -> str:
    """Return the text of a page, without its tags."""
    content = client.get(address).content
    return " ".join(html.fromstring(content).text_content().split())


ASKED = {
    "similarity_in_text": "within this text?", "similarity": "How similar in meaning are",
    "relatedness": "How related in meaning are", "same_meaning": "mean the same in both texts?",
    "translation": "How do you say",
}  # fmt: skip


@pytest.mark.parametrize("name", published_designs())
def test_a_new_study_shows_an_item_of_its_design_and_what_it_costs(operator, name):
    shown = read(operator, f"{reverse('console:new_study')}?design={name}")

    assert ASKED[published_designs()[name].question.question] in shown
    assert shown.count("with pay of 10 an hour") == len(published_designs())


@pytest.mark.parametrize(
    ("name", "item"), [("simlex", "alpha1 beta1"), ("mclwic", "Text 1"), ("durel", "Text 2")]
)
def test_an_open_row_is_shown_as_its_annotators_see_it(operator, name, item):
    study = finished_study_of(name, 1)
    address = reverse("console:stimuli", args=[study.slug])

    opened = read(operator, f"{address}?open={study.pairs.first().pk}")

    assert opened.count(item) > read(operator, address).count(item)
    assert ASKED[study.question] in opened
    assert "Page 1" not in opened
    assert "Context 1" not in opened


def test_checkpoint_items_are_uploaded_and_shown_in_both_languages(operator):
    study = make_study_of("mclwic", language2="fi")
    Study.objects.update(opened_at=None)
    address = reverse("console:checkpoints", args=[study.slug])
    offered = operator.get(address).content.decode()
    assert "word1, word2, text1, text2, form1, form2, lowest, highest" in offered
    assert "1 is the same meaning" in offered
    assert "Download an example file" not in offered

    sent = {"file": SimpleUploadedFile("c.tsv", file_of(study, ("1", "1")))}
    answer = operator.post(address, {**sent, "per_assignment": 1}, follow=True)

    shown = html.fromstring(answer.content)
    assert [(p.get("lang"), p.text_content()) for p in shown.xpath("//td[@class='long']/p")] == [
        ("en", "Text 1 of alpha7."), ("fi", "Text 2 of alpha7."),
    ]  # fmt: skip
