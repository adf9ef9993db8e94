"""Bundles for Codabench: what its unpacker wants, and scores of submissions by their program."""

import io
import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pytest
import yaml

from postprocess.baselines.results import render_results
from postprocess.bundles.codabench_bundle import (
    COMMAND,
    COMPETITION,
    check_bundle,
    draw_logo,
    render_bundle,
    write_bundle,
)
from postprocess.bundles.competition import Competition
from postprocess.bundles.task import BundleError, BundlePart, BundleTask
from postprocess.kits.rules import Visibility
from postprocess.release import ReleaseError
from postprocess.release.checksums import write_archive
from postprocess.scoring.figures import score_once
from postprocess.scoring.gold import GoldError, load_parts
from postprocess.scoring.metrics import CHANGES, GWSC, SIMILARITIES, Metric
from postprocess.scoring.ranking import round_score
from tests.postprocess.kits.tasks import PRACTICE, RULES, TEST, make_data, make_gold
from tests.postprocess.scoring.published import COSIMLEX, needs_shared, write_gold

CLOSED = replace(PRACTICE, closes_at=datetime(2027, 1, 15, 11, 59, tzinfo=UTC))
PART = BundlePart("sl", make_data(12), make_gold(12), make_data(4, 100), make_gold(4))
TASK = BundleTask(RULES, (PART, replace(PART, language="fi")), (CLOSED, TEST))
TITLES = ["average", "sl", "fi"]


def read(files) -> Competition:
    return check_bundle(files)


def changed(files, **entries):
    """Return the files of a bundle with other entries of competition.yaml."""
    found = yaml.safe_load(files[COMPETITION])
    return {**files, COMPETITION: yaml.safe_dump({**found, **entries}).encode()}


def test_a_bundle_has_the_files_that_it_names():
    files = render_bundle(TASK, CHANGES)

    found = read(files)
    folders = {name.partition("/")[0] for name in files}
    assert folders == {
        COMPETITION, "logo.png", "terms.md", "README.md", "pages", "scoring_program", "solution",
        "reference_practice", "reference_test", "kit_practice", "kit_test",
    }  # fmt: skip
    assert yaml.safe_load(files["scoring_program/metadata.yaml"]) == {"command": COMMAND}
    assert files["reference_test/gold_sl.tsv"] == make_gold(12)
    assert files["kit_practice/gold/gold_sl.tsv"] == make_gold(4)
    assert not [name for name in files if name.startswith("kit_test/gold")]
    assert files["solution/results_subtask1_sl.tsv"].startswith(b"change\n")
    assert [column.key for column in found.leaderboards[0].columns] == TITLES
    assert [phase.tasks for phase in found.phases] == [[0], [1]]
    assert [phase.starting_kit for phase in found.phases] == ["kit_practice/", "kit_test/"]
    assert found.solutions[0].tasks == [1]


def test_times_are_quoted_texts_in_utc():
    text = render_bundle(TASK, SIMILARITIES)[COMPETITION].decode()

    assert "start: '2027-01-15 12:00:00'" in text
    assert "end: '2027-02-01 11:59:59'" in text
    assert isinstance(yaml.safe_load(text)["phases"][0]["start"], str)


def test_limits_are_always_given():
    practice, test = read(render_bundle(TASK, SIMILARITIES)).phases

    assert (practice.max_submissions, practice.max_submissions_per_day) == (10_000, 10_000)
    assert (test.max_submissions, test.max_submissions_per_day) == (9, 3)


@pytest.mark.parametrize(
    ("visibility", "hidden", "hides_score", "said"),
    [
        (Visibility.BOARD, False, False, "The leaderboard is public."),
        (Visibility.OWN, True, False, "Teams see the scores of their own submissions."),
        (Visibility.HIDDEN, True, True, "Also clear *hide score output* of these phases."),
    ],
)
def test_hidden_scores_hide_the_leaderboard(visibility, hidden, hides_score, said):
    files = render_bundle(
        replace(TASK, phases=(CLOSED, replace(TEST, visibility=visibility))), SIMILARITIES
    )

    found = read(files)
    assert found.leaderboards[0].hidden is hidden
    assert [phase.hide_score_output for phase in found.phases] == [False, hides_score]
    assert said in files["README.md"].decode()
    is_public = "Everybody sees all scores at once." in files["pages/overview.md"].decode()
    assert is_public is not hidden
    assert files["pages/overview.md"].decode().count("Contact: ") == 1


def test_a_contact_without_an_address_is_on_the_pages_alone():
    task = replace(TASK, rules=replace(RULES, contact="Room 5"))

    files = render_bundle(task, SIMILARITIES)

    assert "contact_email" not in yaml.safe_load(files[COMPETITION])
    assert "Contact: Room 5" in files["pages/overview.md"].decode()
    assert "Add your address as contact." in files["README.md"].decode()
    found = yaml.safe_load(render_bundle(TASK, SIMILARITIES)[COMPETITION])
    assert found["contact_email"] == "organisers@example.org"


def test_the_same_input_gives_the_same_bytes():
    assert write_bundle(TASK, SIMILARITIES) == write_bundle(TASK, SIMILARITIES)
    assert draw_logo() == draw_logo()


def test_the_logo_is_a_picture():
    from matplotlib import image

    picture = image.imread(io.BytesIO(draw_logo()), format="png")

    assert picture.shape == (128, 128, 3)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) == 2


@pytest.mark.parametrize(
    ("task", "error", "message"),
    [
        (replace(TASK, rules=replace(RULES, terms=" ")), BundleError, "the terms are empty"),
        (replace(TASK, rules=replace(RULES, required=("en",))), BundleError, "en is required, but"),
        (replace(TASK, rules=replace(RULES, best_of=3)), BundleError, "there are not 3 languages"),
        (replace(TASK, rules=replace(RULES, title="x" * 300)), BundleError, "title: "),
        (replace(TASK, parts=()), BundleError, "one or more languages"),
        (replace(TASK, parts=(PART, PART)), BundleError, "each once"),
        (replace(TASK, phases=()), BundleError, "one or more phases"),
        (replace(TASK, phases=(PRACTICE, TEST)), BundleError, "the phase practice needs an end"),
        (replace(TASK, phases=(replace(CLOSED, closes_at=TEST.opens_at), TEST)), BundleError,
         "practice must end before evaluation begins: Codabench has one phase at a time"),
        (replace(TASK, phases=(replace(TEST, closes_at=TEST.opens_at),)), BundleError,
         "evaluation ends before it begins"),
        (replace(TASK, parts=(replace(PART, practice_data=None, practice_gold=None),)), BundleError,
         "no language has any; add practice_data"),
        (replace(TASK, parts=(replace(PART, practice_gold=None),)), BundleError,
         "the practice data of sl has no gold"),
        (replace(TASK, parts=(replace(PART, gold=make_gold(9), data=make_data(9)),)), GoldError,
         "has 9 pairs; test data needs 10 or more"),
        (replace(TASK, parts=(replace(PART, practice_data=make_data(4)),)), ReleaseError,
         "not disjoint"),
    ],
)  # fmt: skip
def test_tasks_that_codabench_or_the_scorer_refuses_are_refused(task, error, message):
    with pytest.raises(error, match=message):
        render_bundle(task, CHANGES)


def test_a_file_that_is_missing_or_empty_is_found():
    files = render_bundle(TASK, CHANGES)

    without = {name: files[name] for name in files if name != "pages/data.md"}
    with pytest.raises(BundleError, match=r"names pages/data\.md, which the bundle does not have"):
        check_bundle(without)
    without = {name: files[name] for name in files if not name.startswith("reference_test")}
    with pytest.raises(BundleError, match="names reference_test/, which"):
        check_bundle(without)
    with pytest.raises(BundleError, match=r"terms\.md is empty"):
        check_bundle({**files, "terms.md": b"\n"})
    with pytest.raises(BundleError, match=r"competition\.yaml is missing"):
        check_bundle({})


def test_gold_of_the_test_data_elsewhere_is_found():
    files = render_bundle(TASK, CHANGES)

    with pytest.raises(BundleError, match=r"kit_test/x\.tsv has the gold of the test data"):
        check_bundle({**files, "kit_test/x.tsv": b"copy\n" + make_gold(12)})


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"version": 1}, "version: "),
        ({"leaderboard": []}, "leaderboard: unknown key"),
        ({"make_programs_available": True}, "make_programs_available: "),
        ({"pages": []}, "pages: "),
        ({"fact_sheet": {"a": {"key": "b", "type": "text", "title": "x", "selection": "",
                               "is_required": "true", "is_on_leaderboard": "false"}}},
         "the question a has the key b"),
        ({"fact_sheet": {"a": {"key": "a", "type": "text", "title": "x", "selection": ""}}},
         "fact_sheet.a.is_required"),
        ({"solutions": [{"index": 0, "name": "x", "path": "solution/", "tasks": [7]}]},
         "x names a task that does not exist"),
    ],
)  # fmt: skip
def test_entries_that_codabench_refuses_are_refused(entries, message):
    files = render_bundle(TASK, CHANGES)

    with pytest.raises(BundleError, match=message):
        check_bundle(changed(files, **entries))


def test_boards_and_phases_are_checked():
    files = render_bundle(TASK, CHANGES)
    found = yaml.safe_load(files[COMPETITION])
    board, phases, tasks = found["leaderboards"][0], found["phases"], found["tasks"]
    columns = board["columns"]

    for entries, message in [
        ({"leaderboards": [{**board, "columns": columns[1:]}]}, "index 0 must be average"),
        ({"leaderboards": [{**board, "columns": [*columns, columns[1]]}]}, "keys of columns"),
        ({"leaderboards": [{**board, "submission_rule": "Best"}]}, "submission_rule"),
        ({"phases": [{**phases[0], "start": "2027-01-01T00:00:00+02:00"}]}, "start: "),
        ({"phases": [{**phases[0], "hide_output": True}]}, "hide_output: "),
        ({"tasks": [tasks[0], tasks[0]]}, "indexes of tasks must differ"),
    ]:
        with pytest.raises(BundleError, match=message):
            check_bundle(changed(files, **entries))


# The scoring program, as a worker of Codabench calls it


def run_program(folder, task, subtask, submission, data="reference_test"):
    """Unpack bundle and submission, run the program; return its scores, or its errors."""
    with zipfile.ZipFile(io.BytesIO(write_bundle(task, subtask))) as archive:
        archive.extractall(folder / "bundle")
    (folder / "input").mkdir()
    (folder / "output").mkdir()
    (folder / "bundle" / data).rename(folder / "input" / "ref")
    with zipfile.ZipFile(io.BytesIO(submission)) as archive:
        archive.extractall(folder / "input" / "res")
    program = folder / "bundle" / "scoring_program" / "scoring.py"
    done = subprocess.run(
        [sys.executable, "-I", str(program), str(folder / "input"), str(folder / "output")],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    written = sorted(path.name for path in (folder / "output").iterdir())
    if done.returncode:
        assert (done.returncode, written) == (1, [])
        return done.stderr
    assert written == ["scores.json"]
    return json.loads((folder / "output" / "scores.json").read_text())


@pytest.fixture(scope="module")
def published_task(tmp_path_factory):
    """The task of Finnish and Slovene, and the result files of *wave*."""
    folder = tmp_path_factory.mktemp("gold")
    write_gold(folder, "fi", "sl")
    parts, results, expected = [], {}, {}
    for language, part in load_parts(folder).items():
        data = (COSIMLEX / f"data_{language}.tsv").read_bytes()
        parts.append(BundlePart(language, data, (folder / f"gold_{language}.tsv").read_bytes()))
        number = np.arange(1, 2 * part.n_pairs + 1).reshape(-1, 2)
        wave = part.find_gold(SIMILARITIES) + 3 * np.sin(number)
        results |= render_results(wave, language)
        expected[language] = [
            score_once(Metric.CHANGE, np.diff(wave)[:, 0], part.columns["change"]).score,
            score_once(Metric.HARMONIC, wave, part.find_gold(SIMILARITIES)).score,
        ]
    return BundleTask(RULES, tuple(parts), (TEST,)), results, expected


@needs_shared
@pytest.mark.parametrize("folder", ["", "results"])
@pytest.mark.parametrize("subtask", GWSC)
def test_wave_has_its_scores(published_task, tmp_path, folder, subtask):
    task, results, expected = published_task
    files = {
        name: content for name, content in results.items() if f"subtask{subtask.number}" in name
    }

    found = run_program(tmp_path, task, subtask, write_archive(files, folder))

    column = subtask.number - 1
    scores = {language: one[column] for language, one in expected.items()}
    assert found == {
        "average": float(round_score(float(np.mean([*scores.values()])))),
        **{language: float(round_score(score)) for language, score in scores.items()},
    }
    if subtask is CHANGES:
        assert found == {"average": 0.771, "fi": 0.724, "sl": 0.819}
    assert all(Decimal(repr(score)).as_tuple().exponent >= -3 for score in found.values())


@needs_shared
def test_a_missing_language_has_no_score_and_the_average_is_below_all(published_task, tmp_path):
    task, results, _ = published_task
    files = {name: content for name, content in results.items() if name.endswith("_sl.tsv")}

    found = run_program(tmp_path, task, CHANGES, write_archive(files))

    assert found == {"average": -1, "sl": 0.819}


@needs_shared
def test_a_submission_that_is_refused_says_why_and_nothing_of_the_gold(published_task, tmp_path):
    task, results, _ = published_task
    files = {
        "results_subtask1_sl.tsv": b"change\n0,5\n" + b"1\n" * 110,
        "results_subtask2_fi.tsv": results["results_subtask2_fi.tsv"],
        "results_subtask1_fi.tsv": b"word1\tchange\n" + b"x\t1\n" * 24,
    }

    said = run_program(tmp_path, task, CHANGES, write_archive(files))

    assert 'error: results_subtask1_sl.tsv: line 2, change: "0,5" is not a finite number' in said
    assert 'error: results_subtask1_fi.tsv: line 2, word1: "x", wanted' in said


def test_practice_data_are_scored_with_their_own_gold(tmp_path):
    rules = replace(RULES, required=("sl",), best_of=2)
    results = {
        name: content
        for language in ("sl", "fi")
        for name, content in render_results(
            np.array([[0, 0], [1, 1], [2, 4], [3, 2.0]]), language
        ).items()
        if "subtask1" in name
    }

    found = run_program(
        tmp_path, replace(TASK, rules=rules), CHANGES, write_archive(results),
        "reference_practice",
    )  # fmt: skip

    assert found == {"average": 1, "fi": 1, "sl": 1}


def test_a_required_language_must_be_there(tmp_path):
    task = replace(TASK, rules=replace(RULES, required=("sl",)))
    content = b"change\n" + b"1\n" * 12

    said = run_program(tmp_path, task, CHANGES, write_archive({"results_subtask1_fi.tsv": content}))

    assert "error: results_subtask1_sl.tsv is missing; this language is required" in said
