"""Tracks: other data than pairs in contexts, from the choice of a metric to a board in per cent."""

import importlib
from datetime import timedelta

import pytest
from django.apps import apps
from django.urls import reverse

from postprocess.scoring.metrics import GWSC, Metric
from surveys.sharedtasks.boards.visible import ANYBODY, find_board
from surveys.sharedtasks.errors import SharedTaskRefused, UploadRefused
from surveys.sharedtasks.final_results.boards import make_final_board
from surveys.sharedtasks.final_results.entries import Results, predict_baselines
from surveys.sharedtasks.kits.codabench_bundle import make_bundle
from surveys.sharedtasks.kits.kit import pack_kit_for_organisers
from surveys.sharedtasks.models import SharedTask, Track
from surveys.sharedtasks.models.tasks import METRICS
from surveys.sharedtasks.opening import expect_figures
from surveys.sharedtasks.parts import PartFiles, add_part
from surveys.sharedtasks.phases import expect_probing
from surveys.sharedtasks.scoring.figures import Golds
from surveys.sharedtasks.scoring.score import find_scoring
from surveys.sharedtasks.scoring.tracks import add_track, find_tracks, remove_track
from surveys.study.languages import name_language
from tests.factories.clients import client_of
from tests.factories.sharedtasks import START, make_phase, make_team, score_all, send
from tests.surveys.sharedtasks.kits.test_kit import files_of

pytestmark = pytest.mark.django_db
TAGS = {"number": 1, "title": "same meaning", "metric": "accuracy", "column": "tag",
        "is_percent": True}  # fmt: skip
SCORE = {"number": 1, "title": "similarity", "metric": "spearman", "column": "score"}
IDS = [f"test.en-ar.{n}" for n in range(12)]


def table(column, values):
    return "".join(f"{a}\t{b}\n" for a, b in [("id", column), *zip(IDS, values, strict=False)])


def as_gold(tags):
    pairs = zip(IDS, tags, strict=False)
    return str([{"id": name, "tag": tag} for name, tag in pairs]).replace("'", '"').encode()


@pytest.fixture
def paired_task(draft_task):
    """Tags of pairs of texts in English and Arabic, with dense places."""
    return prepare(draft_task, TAGS, table("tag", "TF" * 6), places="dense")


def prepare(draft, fields, gold, **settings):
    for track in draft.tracks.all():
        remove_track(track)
    add_track(draft, fields)
    files = PartFiles(table("word1", range(100, 112)).encode(), gold.encode())
    add_part(SharedTask.objects.get(), "en-ar", files)
    SharedTask.objects.update(**{"state": "open", "opened_at": START, **settings})
    return SharedTask.objects.get()


def test_a_task_of_tags_is_scored_by_id_and_shown_in_per_cent(paired_task, ana):
    begin = START - timedelta(days=400)
    phase = make_phase(paired_task, subtasks=[1], visibility="board", opens_at=begin)
    sent = {"Otters": "TF" * 6, "Herons": "TF" * 6, "Voles": "FF" * 6, "Newts": "TF" * 5}
    for name, tags in sent.items():
        send(make_team(paired_task, name), phase, [("results_subtask1_en-ar.gold", as_gold(tags))])
    score_all()

    page = client_of("otters").get(reverse("sharedtasks:board", args=["gwsc", "evaluation", 1]))

    board = find_board(phase, 1, ANYBODY, now=START).board
    ranks = {row.name: row.places["en-ar"].rank for row in board.rows}
    assert ranks == {"Otters": 1, "Herons": 1, "Newts": 2, "Voles": 3}
    text = page.content.decode()
    assert "83.3" in text
    assert "English–Arabic" in text
    assert "Predicted: same meaning." in text
    golds = Golds(find_scoring(paired_task))
    final = make_final_board(Results(phase, golds, predict_baselines(golds)), 1)
    assert [row.cells["en-ar"].score for row in final.rows] == [1, 1, 10 / 12, 0.5]
    assert (expect_probing([phase]), expect_figures(paired_task)) == ([], [])
    kit = files_of(pack_kit_for_organisers(phase))
    assert sorted(kit) == ["README.md", "SHA256SUMS", "data/data_en-ar.tsv"]
    assert b"`results_subtask1_<lang>.gold`: MCL-WiC's JSON" in kit["README.md"]
    with pytest.raises(SharedTaskRefused, match=r"subtask 1 \(same meaning\) has no bundle"):
        make_bundle(paired_task, 1, ana)


def test_constant_predictions_have_a_reason_and_no_place(draft_task):
    shared_task = prepare(draft_task, SCORE, table("score", range(12)))
    phase, team = make_phase(shared_task, subtasks=[1], visibility="board"), make_team(shared_task)
    submission = send(team, phase, [("results_subtask1_en-ar.txt", b"1\n" * 12)])
    score_all()

    assert [*submission.scores.values_list("score", "error", "reason")] == [
        (None, None, "constant")
    ]
    assert find_board(phase, 1, ANYBODY, now=START).board.rows == ()
    name = "results_subtask1_en-ar.tsv"
    with pytest.raises(UploadRefused, match="11 of 12 ids have no prediction"):
        send(team, phase, [(name, table("score", [1]).encode())])


def test_subtasks_stay_once_there_are_data_and_while_phases_have_them(draft_task):
    with pytest.raises(SharedTaskRefused, match="cannot be mixed"):
        add_track(draft_task, {**SCORE, "number": 3})
    make_phase(draft_task, subtasks=[1])
    first = draft_task.tracks.get(number=1)
    with pytest.raises(SharedTaskRefused, match="The phase evaluation has this subtask"):
        remove_track(first)
    assert [*find_tracks(draft_task).values()] == [*GWSC]
    draft_task.phases.all().delete()
    prepare(draft_task, SCORE, table("score", range(12)), state="draft")
    with pytest.raises(SharedTaskRefused, match="once there are data"):
        add_track(draft_task, {**TAGS, "number": 2})


@pytest.mark.parametrize(
    ("language", "message"),
    [("pt-br-x", "unknown"), ("sr-latn", "sr-Latn"), ("en-en", "Write en alone"), ("en-qq", "qq")],
)
def test_a_part_is_a_language_or_a_pair_without_regions(draft_task, language, message):
    with pytest.raises(SharedTaskRefused, match=message):
        add_part(draft_task, language, PartFiles(b"", b""))

    assert name_language("pt-BR") == "Portuguese (Brazil)"


def test_the_site_offers_the_metrics_of_the_library_and_upgrades_tasks(draft_task):
    Track.objects.all().delete()
    module = importlib.import_module("surveys.sharedtasks.migrations.0003_tracks")

    module.add_tracks(apps, None)

    assert [name for name, _ in METRICS] == [*Metric]
    assert [*find_tracks(draft_task).values()] == [*GWSC]
