"""The finished demo study: its figures, its marks, and that it is the same each time."""

import io
import zipfile
from collections import Counter

import pytest
from django.core.cache import cache
from django.db import transaction

from postprocess.__main__ import main
from surveys.access.roles import DEMONSTRATED, is_demonstration
from surveys.models import Annotator, Assignment, Response, Run, RunKind, RunState
from surveys.rehearsal.finished.study import make_study, prepare_finished_study

pytestmark = pytest.mark.django_db
COUNTS = {
    "annotators": 48,
    "ratings": 480,
    "annotators_scripted": 48,
    "ratings_scripted": 480,
}
LEFT_OUT = {"round replaced": 16, "engagement rejected": 3, "below the correlation bound": 4}
RATINGS_LEFT_OUT = {
    "round replaced": 160,
    "engagement rejected": 33,
    "below the correlation bound": 40,
}


def read_answers() -> list[tuple[object, ...]]:
    """Return everything about the answers and verdicts that the site does not draw by chance."""
    rows = Response.objects.order_by("annotator__code", "position").values_list(
        "annotator__code", "position", "context__pair__position", "context__number",
        "inspired_word1", "inspired_word2", "rating", "words_visible_seconds",
        "rating_visible_seconds", "rated_at", "review__outcome",
        "assignment__round__number",
    )  # fmt: skip
    return list(rows)


@pytest.mark.every_database  # answers are stored by upserts
def test_the_answers_are_the_same_each_time():
    with transaction.atomic():
        make_study()
        answers = read_answers()
        transaction.set_rollback(True)
    cache.clear()

    make_study()

    assert len(answers) == 480
    assert read_answers() == answers


def test_the_study_is_finished_marked_and_released(tmp_path, capsys):
    study = prepare_finished_study()

    assert is_demonstration(study)
    assert study.stimuli_sha256 == DEMONSTRATED
    assert Counter(Assignment.objects.values_list("state", flat=True)) == {"submitted": 48}
    assert Counter(Annotator.objects.values_list("invitation__is_rehearsal", flat=True)) == {
        True: 48
    }
    results, release = Run.objects.order_by("pk")
    assert (results.kind, release.kind) == (RunKind.RESULTS, RunKind.RELEASE)
    assert {results.state, release.state} == {RunState.DONE}
    for run in (results, release):
        assert run.is_rehearsal
        counts = run.report["counts"]
        assert {name: counts[name] for name in COUNTS} == COUNTS
        assert counts["annotators_left_out"] == LEFT_OUT
        assert counts["ratings_left_out"] == RATINGS_LEFT_OUT
    assert release.report["to_be_written"] == []
    with release.archive.open("rb") as file:
        zipfile.ZipFile(io.BytesIO(file.read())).extractall(tmp_path)
    (folder,) = tmp_path.iterdir()
    assert "REHEARSAL" in release.archive.name
    assert main(["audit", str(folder)]) == 0, capsys.readouterr().out
