"""Searches as jobs: what is stored, refused, resumed and cancelled."""

import gzip
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest

from surveys.contexts.candidates import CandidatesKept
from surveys.contexts.choices import Chosen, record_choice
from surveys.contexts.models import Candidate, CandidatePair, CandidateSet
from surveys.contexts.search import searching
from surveys.contexts.search.requests import (
    MOST_CANDIDATES,
    cancel_search,
    find_windows,
    request_more,
    request_search,
)
from surveys.errors import RunRefused, StudyOpen
from surveys.jobs.perform import renew_lease
from surveys.models import AuditEntry, Job, Run, Study
from surveys.results.runs import retry_run
from tests.factories.corpora import PAIRS, tell, wish
from tests.factories.jobs import perform_run
from tests.preprocess.disk import full_disk

pytestmark = pytest.mark.django_db


def perform(run: Run) -> Run:
    perform_run(run.pk)
    run.refresh_from_db()
    return run


def search(draft, ana, *corpora, **changed) -> Run:
    return perform(request_search(draft, wish(*corpora, **changed), ana))


def count(draft: Study) -> dict[str, int]:
    return {str(pair): pair.candidates.count() for pair in draft.candidate_pairs.all()}


@pytest.fixture
def searched(corpora, blank, ana) -> Study:
    """A draft with the candidates of a search."""
    run = search(blank, ana)
    assert (run.state, run.error) == ("done", "")
    return blank


# A whole study


@pytest.mark.every_database
def test_a_search_stores_candidates_as_a_file_does(searched):
    run = Run.objects.get()

    assert count(searched) == {"ice – sun": 4, "sun – lake": 4}
    assert run.report == {
        "n_pairs": 3, "n_found": 2, "n_single": 0, "n_new": 8, "n_seen": 40, "n_kept": 40,
        "without": ["ice – fire"], "rejected": {}, "warnings": [],
    }  # fmt: skip
    stored = CandidateSet.objects.get(study=searched)
    assert (stored.file_name, stored.model_names, stored.n_wanted, str(stored.imported_by)) == (
        "search 1 (tales.conllu)", [], 4, "ana"
    )  # fmt: skip
    found, picked = stored.origin["windows"], stored.origin["candidates"]
    assert ([name for name, _ in found["corpus"]], found["seed"]) == (["tales.conllu"], 1)
    assert picked == {"number": 4, "seed": 1, "distance_within": None, "models": []}
    candidate = Candidate.objects.first()
    assert (candidate.picked, candidate.file, candidate.licence) == (
        "random", "tales.conllu", "CC0-1.0"
    )  # fmt: skip
    actions = set(AuditEntry.objects.filter(study=searched).values_list("action", flat=True))
    assert {"search.requested", "candidates.imported", "search.made"} <= actions


def test_the_windows_are_kept_and_nothing_else(searched, settings):
    with find_windows(searched).archive.open("rb") as file:
        windows = pd.read_parquet(file)

    assert len(windows) == 40
    assert set(Candidate.objects.values_list("window", flat=True)) <= set(windows["window"])
    assert list(Path(settings.VAR_DIR, "searches").iterdir()) == []


def test_a_search_reads_all_files_of_several_corpora(corpora, blank, ana):
    search(blank, ana, "news", "tales.conllu", number=30)

    assert set(count(blank).values()) == {30}
    assert set(Candidate.objects.values_list("file", flat=True)) == {
        "a.conllu", "b.conllu.gz", "tales.conllu"
    }  # fmt: skip


def test_filters_and_the_number_of_texts_are_as_asked_for(corpora, blank, ana):
    run = search(blank, ana, filters=["words=37.."], per_pair=3)

    assert run.state == "failed"
    assert "No text of these corpora contains both words of a pair" in run.error
    assert not CandidateSet.objects.exists()


def test_documents_without_a_licence_have_the_one_named(corpora, blank, ana):
    text = (corpora / "tales.conllu").read_text(encoding="utf-8")
    (corpora / "tales.conllu").write_text(text.replace("# licence = CC0-1.0\n", ""), "utf-8")

    search(blank, ana, source={"licence": "CC BY 4.0"})

    assert set(Candidate.objects.values_list("licence", flat=True)) == {"CC BY 4.0"}


def test_a_second_search_replaces_candidates_and_windows(searched, ana):
    again = search(searched, ana, "news")

    assert set(Candidate.objects.values_list("file", flat=True)) == {"a.conllu", "b.conllu.gz"}
    assert find_windows(searched) == again
    assert Run.objects.with_file().count() == 1


def test_choices_are_discarded_only_if_asked_for(searched, ana):
    record_choice(searched.candidate_pairs.first(), ana, Chosen(1, 2))

    with pytest.raises(CandidatesKept, match="1 choice was made"):
        request_search(searched, wish("news"), ana)

    assert Run.objects.count() == 1
    search(searched, ana, "news", discards_choices=True)
    assert not CandidatePair.objects.exclude(state="open").exists()


@pytest.mark.every_database
def test_a_choice_made_during_a_search_is_kept(searched, ana):
    run = request_search(searched, wish("news"), ana)
    record_choice(searched.candidate_pairs.first(), ana, Chosen(1, 2))

    perform(run)

    assert run.state == "failed"
    assert "1 choice was made" in run.error
    assert CandidatePair.objects.filter(state="chosen").exists()


@pytest.mark.every_database
def test_only_one_search_of_a_study_is_in_progress(searched, ana):
    request_search(searched, wish(), ana)

    with pytest.raises(RunRefused, match="already in progress"):
        request_search(searched, wish(), ana)
    with pytest.raises(RunRefused, match="already in progress"):
        request_more(searched.candidate_pairs.first(), ["news"], 2, [], ana)


def test_an_open_study_is_not_searched_for(searched, ana):
    pair = searched.candidate_pairs.first()
    Study.objects.update(opened_at="2026-01-01T00:00:00Z")

    with pytest.raises(StudyOpen):
        request_search(searched, wish(), ana)
    with pytest.raises(StudyOpen):
        request_more(pair, ["news"], 2, [], ana)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "tales.conllu: the file is empty"),
        ("1\tfoo\n", "tales.conllu, line 1: "),
        ("# text = To je rečenica o vremenu.\n" + "".join(
            f"{n}\t{word}\t{word}\tX\t_\t_\t_\t_\t_\t_\n"
            for n, word in enumerate(["To", "je", "rečenica", "o", "vremenu"], 1)
        ) + "\n", "tales.conllu: 1 of the first 1 sentences do not look like the language"),
    ],
)  # fmt: skip
def test_a_corpus_that_cannot_be_read_is_named_without_its_folder(
    corpora, blank, ana, content, said
):
    (corpora / "tales.conllu").write_text(content, encoding="utf-8")

    run = search(blank, ana)

    assert run.state == "failed"
    assert run.error.startswith(said)
    assert run.error.endswith(
        ". An operator of this site can correct the corpus; until then, search others."
    )
    assert str(corpora) not in run.error


def test_a_corpus_that_has_gone_is_reported(corpora, blank, ana):
    run = request_search(blank, wish(), ana)
    (corpora / "tales.conllu").unlink()

    assert "no corpus “tales.conllu” now" in perform(run).error


def test_a_full_disk_is_reported_and_the_search_can_be_tried_again(corpora, blank, ana):
    with full_disk(1_000):
        run = search(blank, ana)
    assert run.state == "failed"
    assert run.error.startswith("The disk of the server is full. Ask an operator to make room")

    retry_run(run)
    assert perform(run).state == "done"
    assert count(blank) == {"ice – sun": 4, "sun – lake": 4}


def test_a_search_goes_on_with_the_parts_that_were_read(corpora, blank, ana, monkeypatch):
    def fail(*given: object) -> None:
        raise PermissionError(13, "Permission denied", "/var/x/windows.parquet")

    def scan_again(*given: object, **more: object) -> None:
        raise AssertionError("a part was scanned again")

    with monkeypatch.context() as patch:
        patch.setattr("preprocess.windows.searching.write_windows", fail)
        run = search(blank, ana)
    assert run.error == "windows.parquet: Permission denied. Ask an operator for the log."
    monkeypatch.setattr("preprocess.windows.finding.scan_part", scan_again)

    retry_run(run)

    assert perform(run).state == "done"


# Cancelling


def test_a_waiting_search_is_cancelled_and_can_be_tried_again(corpora, blank, ana):
    run = request_search(blank, wish(), ana)

    cancel_search(run)

    perform(run)
    assert (run.state, run.error) == ("failed", "It was cancelled.")
    assert not CandidateSet.objects.exists()
    assert AuditEntry.objects.filter(action="search.cancelled").exists()
    retry_run(run)
    assert perform(run).state == "done"


@pytest.mark.every_database
def test_a_search_in_progress_is_cancelled_and_stores_nothing(corpora, blank, ana, monkeypatch):
    run = request_search(blank, wish(), ana)
    pick = searching.pick

    def cancel_and_pick(*given: object) -> object:
        cancel_search(run)
        return pick(*given)

    monkeypatch.setattr(searching, "pick", cancel_and_pick)
    perform(run)

    assert (run.state, run.error) == ("failed", "It was cancelled.")
    assert not CandidateSet.objects.exists()


def test_a_search_is_cancelled_in_the_middle_of_a_compressed_file(corpora, blank, ana, monkeypatch):
    noise = Random(1)
    lines = [f"# n = {noise.randbytes(5000).hex()}\n{line}" for n in range(50) for line in tell(n)]
    (corpora / "tales.conllu").unlink()
    (corpora / "tales.conllu.gz").write_bytes(gzip.compress("".join(lines).encode()))
    run = request_search(blank, wish("tales.conllu.gz"), ana)
    shares = []

    def renew_or_cancel(job: Job, **changes: Any) -> None:
        if changes.get("stage") == "scanning" and (share := changes["share_done"]):
            shares.append(share)
            cancel_search(run)
        renew_lease(job, **changes)

    monkeypatch.setattr("surveys.jobs.perform.PROGRESS_INTERVAL", timedelta(0))
    monkeypatch.setattr("surveys.jobs.perform.renew_lease", renew_or_cancel)
    perform(run)

    assert (run.state, run.error) == ("failed", "It was cancelled.")
    assert [0 < share < 50 for share in shares] == [True]


def test_a_search_that_is_done_cannot_be_cancelled(searched):
    with pytest.raises(RunRefused, match="over already"):
        cancel_search(Run.objects.get())


# More texts of one pair


@pytest.mark.every_database
def test_more_texts_are_added_and_choices_stay(searched, ana):
    pair = searched.candidate_pairs.first()
    before = list(pair.candidates.values_list("number", "window"))
    record_choice(pair, ana, Chosen(1, 2))

    run = perform(request_more(pair, ["tales.conllu", "news"], 5, [], ana))

    pair.refresh_from_db()
    after = list(pair.candidates.values_list("number", "window"))
    assert run.report == {"n_new": 5, "warnings": []}
    assert after[:4] == before
    assert [number for number, _ in after] == [*range(1, 10)]
    assert len({window for _, window in after}) == 9
    assert len(set(pair.candidates.values_list("text", flat=True))) == 9
    assert (pair.n_candidates, pair.state) == (9, "chosen")
    assert count(searched)["sun – lake"] == 4
    assert AuditEntry.objects.filter(action="candidates.added", subject="ice – sun").exists()
    (more,) = CandidateSet.objects.get(study=searched).origin["more"]
    assert more["pair"] == ["ice", "sun"]
    assert [name for name, _ in more["windows"]["corpus"]] == [
        "a.conllu",
        "b.conllu.gz",
        "tales.conllu",
    ]


def test_no_window_is_added_twice_until_there_are_none(searched, ana):
    pair = searched.candidate_pairs.first()

    found = []
    for _ in range(3):
        pair.refresh_from_db()
        found.append(perform(request_more(pair, ["tales.conllu"], 9, [], ana)).report["n_new"])

    assert found == [9, 7, 0]
    texts = list(pair.candidates.values_list("text", flat=True))
    assert len(texts) == len(set(texts)) == 20


def test_a_text_that_shares_a_sentence_with_a_candidate_is_not_added(searched, ana):
    pair = searched.candidate_pairs.first()
    for candidate in pair.candidates.all():  # as found with another seed
        candidate.window, candidate.text = f"other{candidate.number}", f"{candidate.number}"
        candidate.save()

    perform(request_more(pair, ["tales.conllu"], 20, [], ana))

    assert pair.candidates.count() == 20


@pytest.mark.every_database
def test_a_retry_adds_nothing_twice(searched, ana):
    pair = searched.candidate_pairs.first()
    run = perform(request_more(pair, ["tales.conllu"], 2, [], ana))
    Job.objects.filter(run=run).update(state="waiting")  # as if killed when all was stored

    assert perform(run).state == "done"
    assert pair.candidates.count() == 6


def test_a_pair_has_no_more_candidates_than_keys(searched, ana):
    pair = searched.candidate_pairs.first()

    with pytest.raises(RunRefused, match=f"at most {MOST_CANDIDATES} candidates, so 28 more"):
        request_more(pair, ["tales.conllu"], 29, [], ana)


@pytest.mark.every_database
def test_a_pair_that_was_replaced_meanwhile_gets_nothing(searched, ana):
    run = request_more(searched.candidate_pairs.first(), ["tales.conllu"], 2, [], ana)
    CandidatePair.objects.filter(number=1).update(word1="fire")

    assert perform(run).error == "The pair was replaced in the meantime."
    assert count(searched) == {"fire – sun": 4, "sun – lake": 4}


def test_pairs_are_those_of_the_search(searched):
    assert Run.objects.get().request["pairs"] == PAIRS
