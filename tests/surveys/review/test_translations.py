"""From a study of translations to the stimuli of a study in the other language."""

from decimal import Decimal

import pytest
from django.core.management.base import CommandError
from django.db.models import F
from django.urls import reverse

from surveys.errors import AdjudicationRefused, ReleaseRefused
from surveys.models import Context, Pair, Role, Study
from surveys.privacy.erasure import withdraw_annotator
from surveys.results.release import release_dataset
from surveys.results.runs import request_release, request_results
from surveys.review.adjudication import decide
from surveys.review.translations import write_translations
from surveys.study.create import create_study
from surveys.study.stimuli.load import read_stimuli
from tests.factories.answers import answer_due
from tests.factories.reviews import reviewer
from tests.factories.studies import QUICK, due_response, make_study, make_study_of, start, study_of
from tests.surveys.management.running import run

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
FILE = (
    "id\tword1\tword2\tscore\tpos\n"
    "q7\tmeri\tjoki\t2.5\tN\n\tOulu\tkoski\t0.75\tNE\nx\tsuo\tjärvi\t3\tN\n"
).encode()
WORDS = {"meri": "sea", "joki": "river", "Oulu": "Oulu", "koski": "rapids", "suo": "bog"}


@pytest.fixture
def translated():
    """A study of Finnish words whose two translators differ on one."""
    design = study_of("semeval2017-translation", language="fi", language2="en")
    create_study(read_stimuli(FILE, design))
    Study.objects.update(opened_at=F("created_at"))
    study = Study.objects.get()
    for lake in ("lake", "mere"):
        assignment = start(study)
        for _ in range(3):
            pair = due_response(assignment).pair
            words = [{**WORDS, "järvi": lake}[word] for word in (pair.word1, pair.word2)]
            answer_due(assignment, Decimal(0), (words[0].upper(), words[1]))
    return study


def settle(study: Study) -> None:
    """Let a third person translate what the two disagree on."""
    context = Context.objects.get(pair__study=study, pair__position=3)
    decide(context, reviewer(study), ("bog", "lake"), "usual", replaces=None)


def test_translations_become_the_stimuli_of_a_next_study(translated, tmp_path):
    with pytest.raises(CommandError, match="No translation is decided yet for: x"):
        run("export_translations", "study", "--out", tmp_path)
    assert list(tmp_path.iterdir()) == []
    settle(translated)

    out, _ = run("export_translations", "study", "--out", tmp_path)

    exported = tmp_path / "items_en.tsv"
    assert out == f"Written: {exported}\n"
    assert exported.read_text().splitlines() == [
        "id\tword1\tword2\tpos", "q7\tSEA\triver\tN", "2\tOULU\trapids\tNE", "x\tbog\tlake\tN",
    ]  # fmt: skip
    for name in ("semeval2017", "simlex"):
        create_study(read_stimuli(exported.read_bytes(), study_of(name, slug=name)))
        pairs = Pair.objects.filter(study__slug=name)
        assert [pair.details["id"] for pair in pairs] == ["q7", "2", "x"]
        assert [pair.word2 for pair in pairs] == ["river", "rapids", "lake"]


def test_what_a_translator_erased_is_not_exported(translated):
    settle(translated)
    assert "lake" in write_translations(translated)[1]
    for assignment in translated.assignments.all():
        withdraw_annotator(assignment.annotator)
    with pytest.raises(ReleaseRefused, match="Unfinished places: 2"):
        write_translations(translated)


def test_two_equal_translations_are_no_decision(translated):
    context = Context.objects.get(pair__study=translated, pair__position=3)
    with pytest.raises(AdjudicationRefused, match="no answer to the item"):
        decide(context, reviewer(translated), ("bog", " Bog"), "the only word", replaces=None)


def test_ratings_and_unfinished_translations_are_not_exported():
    with pytest.raises(ReleaseRefused, match="collects ratings"):
        write_translations(make_study(2))
    unfinished = make_study_of("semeval2017-translation", 2, slug="t")
    with pytest.raises(ReleaseRefused, match="Unfinished places: 2"):
        write_translations(unfinished)


def test_a_study_of_translations_has_no_runs_and_releases(translated, tmp_path):
    for make in (
        lambda: request_results(translated, QUICK, None),
        lambda: request_release(translated, QUICK, {}, None),
        lambda: release_dataset(translated, tmp_path / "release", None),
    ):
        with pytest.raises(ReleaseRefused, match="has no scores, runs or releases"):
            make()
    with pytest.raises(CommandError, match="has no scores, runs or releases"):
        run("describe_study", "study")


def test_the_console_says_so_and_sends_the_file(client, translated):
    client.force_login(reviewer(translated, "ana", Role.OWNER))
    pages = {page: reverse(f"console:{page}", args=["study"]) for page in (
        "overview", "results", "release", "translations",
    )}  # fmt: skip
    for page in ("results", "release"):
        shown = client.get(pages[page]).content.decode()
        assert "Download the" in shown
        assert "Create release" not in shown
        assert "Run a recipe" not in shown
    refused = client.get(pages["translations"])
    assert refused.status_code == 409
    assert "No translation is decided yet for: x." in refused.content.decode()
    settle(translated)

    answer = client.get(pages["translations"])

    assert answer.headers["Content-Disposition"] == 'attachment; filename="items_en.tsv"'
    assert answer.content.decode() == write_translations(translated)[1]
    assert client.get(pages["overview"]).status_code == 200
