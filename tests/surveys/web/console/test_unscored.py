"""Pages of runs and releases in which contexts have no score, or with a practice kit."""

import re

import pytest
from django.urls import reverse
from lxml import html

from surveys.models import JobState, Pair, Response, Run
from surveys.results.inspection.pairs import load_pairs
from surveys.results.run_inspection import write_recipe
from surveys.results.runs import request_release, request_results
from tests.factories.jobs import perform_run
from tests.factories.studies import QUICK, finish, make_study, start

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("figures_rendered_once"),
    pytest.mark.study(of="constant_questionnaire"),
]

CHANGES = ("report.n_resamples=0", "report.n_splits=5", "report.pdf=false")
COSIMLEX = write_recipe("cosimlex", *CHANGES)
SENTENCE = "Of 20 contexts, 5 have no score, because their annotators gave all texts one rating."


@pytest.fixture
def constant_questionnaire(db):
    """A study of two blocks; everybody gave the texts of questionnaire 1A the same rating."""
    study = make_study(10, block_size=5, ratings_per_context=3)
    for _ in range(12):
        finish(start(study))
    varied = Response.objects.exclude(
        assignment__questionnaire__block__number=1, assignment__questionnaire__letter="A"
    )
    for response in varied.select_related("pair", "context"):
        response.rating = (3 * response.pair.position + response.context.number) % 7
        response.save(update_fields=["rating"])
    return study


def perform(run):
    perform_run(run.pk)
    return Run.objects.get(pk=run.pk)


def lost_pairs():
    return Pair.objects.filter(contexts__item__questionnaire__block__number=1).distinct()


def read(client, name, study, *args):
    answer = client.get(reverse(f"console:{name}", args=[study.slug, *args]))
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", html.fromstring(answer.content).text_content())


def test_a_run_says_how_many_contexts_have_no_score(researcher, study):
    run = perform(request_results(study, COSIMLEX, None))

    text = read(researcher, "run", study, run.pk)

    assert text.index(SENTENCE) < text.index("Ratings used")
    assert "Pairs without two scores5" in text
    for page in ("pairs", "plots", "ledger"):
        assert SENTENCE in read(researcher, page, study, run.pk)
    assert "†" in read(researcher, "pairs", study, run.pk)
    lost = lost_pairs().first()
    page = read(researcher, "pair", study, run.pk, lost.position)
    assert re.search(r"This pair: no score in context [12]: constant ratings\.", page)
    assert page.index(SENTENCE) < page.index("Cliff’s δ")
    assert "nan" not in page.split()
    assert "– to –" not in page


def test_a_comparison_of_runs_says_which_of_them_has_no_score(researcher, study):
    runs = [perform(request_results(study, write_recipe(name, *CHANGES), None))
            for name in ("cosimlex", "raw")]  # fmt: skip
    wanted = "&".join(
        f"{side}={run.pk}" for side, run in zip(("first", "second"), runs, strict=True)
    )

    answer = researcher.get(f"{reverse('console:compare', args=[study.slug])}?{wanted}")

    page = answer.content.decode()
    assert f"The first run: {SENTENCE}" in page
    assert "The second run: Of" not in page


def test_a_release_needs_a_confirmation(researcher, study):
    made = perform(request_release(study, COSIMLEX, {"has_report": False}, None))

    assert made.state == JobState.FAILED
    assert made.error.startswith(SENTENCE)
    form = {"recipe": "cosimlex", "n_practice": 0, "seed": 0, "accepts_unscored": "on"}
    researcher.post(reverse("console:release", args=[study.slug]), form)
    assert Run.objects.latest("pk").request["accepts_unscored"]


def test_pages_of_a_release_name_the_pairs_of_its_own_order(researcher, study):
    wishes = {"has_report": False, "accepts_unscored": True, "n_practice": 1}
    run = perform(request_release(study, COSIMLEX, wishes, None))

    assert (run.state, run.release.is_confirmed, run.release.n_pairs) == ("done", True, 5)
    assert SENTENCE in read(researcher, "run", study, run.pk)
    listed = read(researcher, "release", study)
    assert listed.index(SENTENCE) < listed.index(run.report["table1"]["text"]["mean"])
    positions = {pair.position - 1 for pair in lost_pairs()}
    assert set(run.request["unscored"]) == positions
    for number in (1, 5, 10):
        page = html.fromstring(
            researcher.get(reverse("console:pair", args=[study.slug, run.pk, number])).content
        )
        words = page.xpath("//h1//bdi/text()")
        texts = [text.text_content() for text in page.xpath("//p[@lang]")][:2]
        assert all(word in text for text in texts for word in words)
    row = load_pairs(run).show([10])[0]
    assert f"{row.word1} · {row.word2}" in read(researcher, "ledger", study, f"{run.pk}")


def test_a_release_with_a_practice_kit_has_pages(researcher, study):
    run = perform(request_release(study, QUICK, {"has_report": False, "n_practice": 2}, None))

    assert "Pair 9 of 10" in read(researcher, "pair", study, run.pk, 9)
