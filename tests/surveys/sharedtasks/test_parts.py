"""The data and gold of shared tasks: what is copied from releases, checked and refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.utils import timezone

from postprocess.statistics.agreement.by_group import agreement_table
from postprocess.statistics.agreement.reliability import change_reliability_from_scores
from postprocess.steps.stored_runs import write_ledger
from surveys.access.roles import grant_role
from surveys.models import Annotator, AuditEntry, Role
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import TaskPart
from surveys.sharedtasks.parts import (
    add_part,
    list_parts,
    list_usable_releases,
    load_data,
    read_data_file,
    read_release,
    remove_part,
)
from surveys.sharedtasks.scoring.gold import load_gold, read_gold_file
from tests.factories.repositories import make_complete_release
from tests.factories.sharedtasks import make_shared_task
from tests.factories.task_files import HEADER, data_file, gold_file, part_files
from tests.postprocess.release.releases import collect, numbered_row, rate, release

pytestmark = pytest.mark.django_db


def gold_with(row, text):
    lines = gold_file(12).decode().splitlines(keepends=True)
    return "".join((*lines[:row], f"{text}\n", *lines[row + 1 :])).encode()


def test_a_part_keeps_copies_of_its_files_that_only_the_site_can_read(draft_task):
    files = part_files()
    part = add_part(draft_task, "sl", files)

    part.refresh_from_db()
    assert (part.n_pairs, part.n_practice) == (12, 4)
    assert read_data_file(part, practice=True) == files.practice_data
    assert read_gold_file(part, practice=False) == files.gold
    for stored in (part.data, part.gold, part.practice_data, part.practice_gold):
        path = Path(stored.path)
        assert (path.stat().st_mode & 0o777, len(path.name)) == (0o600, 32)
    assert AuditEntry.objects.get().details == {"n_pairs": 12, "n_practice": 4}


def test_gold_is_loaded_with_the_words_of_its_pairs(draft_task):
    part = add_part(draft_task, "sl", part_files())

    test, practice = (load_gold(part, practice=one) for one in (False, True))

    assert (test.n_pairs, practice.n_pairs, test.sha256) == (12, 4, part.gold_sha256)
    assert test.words[1] == ("alpha2", "beta2")
    assert [test.columns[f"sim_context{k}"][3] for k in (1, 2)] == [3, 1]
    assert test.columns["change"][3] == -2


def test_data_is_loaded_without_gold(draft_task):
    part = add_part(draft_task, "sl", part_files())

    found = load_data(part, practice=False)

    assert (found.language, found.n_pairs, found.words[0]) == ("sl", 12, ("alpha1", "beta1"))
    assert np.isnan([*found.columns.values()]).all()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"gold": gold_file(11)}, "The test data has 12 pairs, and the gold has 11"),
        ({"gold": b""}, "gold of the test data is missing"),
        ({"practice_gold": b""}, "gold of the practice data is missing"),
        ({"data": data_file(*range(1, 10)), "gold": gold_file(9)}, "9 pairs; test data needs 10"),
        (
            {"practice_data": data_file(20, 21), "practice_gold": gold_file(2)},
            "2 pairs; practice data",
        ),
        ({"gold": HEADER.encode() + b"1\t1\t0\n" * 12}, "is constant"),
        ({"gold": gold_with(2, "1\t\t")}, "row 2: a score is missing"),
        ({"gold": gold_with(2, "1\tnan\t1")}, 'row 2.*“nan”|row 2.*"nan"'),
        ({"gold": gold_with(3, "1\t7\t-6")}, "row 3: .*; write sim_context2 − sim_context1"),
        ({"gold": b"change\n"}, "The gold of the test data"),
        ({"data": b"no table"}, "The test data, "),
        ({"practice_data": data_file(1, 30, 31, 32)}, "The practice data shares .* the test data:"),
        ({"data": b"x" * 20_000_001}, "more than 20 MB"),
    ],
)
def test_files_that_cannot_be_scored_are_refused_with_the_reason(draft_task, changes, reason):
    with pytest.raises(SharedTaskRefused, match=reason):
        add_part(draft_task, "sl", replace(part_files(), **changes))

    assert not TaskPart.objects.exists()


def test_practice_pairs_of_one_language_may_not_be_test_data_of_another(draft_task):
    add_part(draft_task, "sl", part_files())

    with pytest.raises(SharedTaskRefused, match=r"practice data shares .* the test data of sl"):
        add_part(draft_task, "fi", part_files(first=100, practice_data=data_file(1, 2, 3, 4)))
    with pytest.raises(SharedTaskRefused, match=r"practice data of sl shares .* the test data:"):
        add_part(draft_task, "fi", part_files(first=16, n_practice=0))

    assert draft_task.parts.count() == 1


@pytest.mark.parametrize("language", ["sl", "Slovene", "../x", ""])
def test_a_language_has_one_part_and_a_code(draft_task, language):
    add_part(draft_task, "sl", part_files())

    with pytest.raises(SharedTaskRefused):
        add_part(draft_task, language, part_files(first=100))


def test_data_of_an_open_shared_task_stays():
    shared_task = make_shared_task(state="draft", opened_at=None)
    part = add_part(shared_task, "sl", part_files())
    shared_task.state, shared_task.opened_at = "open", timezone.now()
    shared_task.save()

    with pytest.raises(SharedTaskRefused, match="stays as it is"):
        remove_part(part)
    with pytest.raises(SharedTaskRefused, match="stays as it is"):
        add_part(shared_task, "fi", part_files(first=100))


def test_removing_a_part_removes_its_files(draft_task, django_capture_on_commit_callbacks):
    part = add_part(draft_task, "sl", part_files())
    paths = [Path(stored.path) for stored in (part.data, part.gold, part.practice_gold)]

    with django_capture_on_commit_callbacks(execute=True):
        remove_part(part)

    assert not TaskPart.objects.exists()
    assert [path for path in paths if path.exists()] == []


def test_a_part_comes_from_the_archive_of_a_release(draft_task):
    made = make_complete_release(made=release(collect(16), n_practice=4))

    files = read_release(made)
    part = add_part(draft_task, "sl", files, release=made)

    assert (part.n_pairs, part.n_practice, part.release) == (12, 4, made)
    assert part.instructions.startswith("# Read")
    assert part.human is None  # its ratings are not kept with it
    assert AuditEntry.objects.get().details["release"] == f"release 1 of {made.study.slug}"


def test_the_reliability_is_that_of_the_test_pairs_alone():
    ratings = rate(40)
    is_high = (ratings["pair"] + ratings["context"]) % 2 == 0
    clear = ratings.assign(rating=ratings["rating"] // 3 + 4 * is_high)  # the changes are real
    built = release(collect(40, ratings=clear), n_practice=10)
    scores = built.dataset.outcome.scores

    found = read_release(make_complete_release(made=built)).reliability

    assert found == pytest.approx(change_reliability_from_scores(scores.iloc[:30]), abs=1e-9)
    assert found != pytest.approx(change_reliability_from_scores(scores), abs=1e-9)


def test_the_human_figure_is_that_of_the_test_pairs_alone():
    built = release(collect(40), n_practice=10)
    outcome = built.dataset.outcome
    made = make_complete_release(made=built)
    made.run.ledger.save("ledger.parquet", ContentFile(write_ledger(outcome)))
    used = outcome.used

    found = read_release(made).human

    def agree(ratings):
        table = agreement_table(ratings, by=(), figures=["human"], n_resamples=0)
        return float(table["human"].iloc[-1])

    assert found == pytest.approx(agree(used[used["pair"] <= 30]), abs=1e-12)
    assert found != pytest.approx(agree(used), abs=1e-6)


def test_masked_texts_are_refused(draft_task, monkeypatch):
    made = make_complete_release()
    monkeypatch.setattr("surveys.sharedtasks.parts.MASKED", "README.md")

    with pytest.raises(SharedTaskRefused, match="masks texts"):
        read_release(made)


def test_people_who_withdrew_since_are_counted(draft_task):
    made = make_complete_release(made=release(collect(16), n_practice=4))
    add_part(draft_task, "sl", read_release(made), release=made)
    add_part(draft_task, "fi", part_files(first=100))
    Annotator.objects.create(
        study=made.study,
        first_rated_at=made.collected_at - timezone.timedelta(days=1),
        withdrawn_at=timezone.now(),
    )

    assert {part.language: part.n_withdrawn_since for part in list_parts(draft_task)} == {
        "fi": 0, "sl": 1,
    }  # fmt: skip


def test_releases_are_offered_to_those_who_may_download_them():
    made = make_complete_release()
    users = {role: User.objects.create_user(str(role)) for role in Role}
    for role, user in users.items():
        grant_role(made.study, user, role)
    operator = User.objects.create_superuser("op")

    offered = {str(role): list(list_usable_releases(user)) for role, user in users.items()}

    assert offered == {"owner": [made], "researcher": [made], "reviewer": []}
    assert list(list_usable_releases(operator)) == [made]
    assert list(list_usable_releases(User.objects.create_user("mate"))) == []


def test_numbered_rows_share_nothing():
    assert not set(numbered_row(1)) & set(numbered_row(2))
