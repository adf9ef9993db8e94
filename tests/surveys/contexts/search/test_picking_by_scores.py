"""Candidates picked by scores of the windows that a search found."""

import pandas as pd
import pytest

from surveys.contexts.candidates import CandidatesKept
from surveys.contexts.choices import Chosen, record_choice
from surveys.contexts.models import Candidate, CandidateSet
from surveys.contexts.picking import Picking
from surveys.contexts.search.requests import find_windows, request_search
from surveys.contexts.search.searching import pick_by_scores
from surveys.errors import ImportRefused
from tests.factories.corpora import wish
from tests.factories.jobs import perform_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def windows(corpora, blank, ana) -> pd.DataFrame:
    """The windows that a search found for a draft."""
    perform_run(request_search(blank, wish(), ana).pk)
    with find_windows(blank).archive.open("rb") as file:
        return pd.read_parquet(file)


def pick(draft, ana, scores: pd.DataFrame, **changed) -> CandidateSet:
    data = scores.to_csv(sep="\t", index=False).encode()
    picking = Picking(4, scores=data, scores_name="elmo.tsv")
    return pick_by_scores(find_windows(draft), picking, ana, **changed)


def score(windows: pd.DataFrame) -> pd.DataFrame:
    return windows.assign(score=[n / 100 for n in range(len(windows))])[["window", "score"]]


def test_the_extremes_of_a_model_become_candidates(blank, ana, windows):
    stored = pick(blank, ana, score(windows))

    assert (stored.file_name, stored.model_names) == ("search 1, elmo.tsv", ["elmo"])
    of_pair = Candidate.objects.filter(pair__number=1)
    scores = {one.picked: one.scores["elmo"] for one in of_pair if one.picked != "random"}
    assert scores == {"elmo: most similar": 0.19, "elmo: least similar": 0.0}
    assert of_pair.count() == 4


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda scores: scores.iloc[1:], "1 of 40 windows have no score of the model"),
        (lambda scores: scores.rename(columns={"score": "value"}), "score"),
        (lambda scores: scores.assign(score="high"), '"high" is not a number'),
    ],
)
def test_scores_that_cannot_be_used_are_refused_and_nothing_changes(
    blank, ana, windows, change, said
):
    before = CandidateSet.objects.get().sha256

    with pytest.raises(ImportRefused) as raised:
        pick(blank, ana, change(score(windows)))

    assert said in str(raised.value)
    assert "/" not in str(raised.value)
    assert CandidateSet.objects.get().sha256 == before


def test_more_models_than_candidates_are_refused(blank, ana, windows):
    scores = pd.concat([score(windows).assign(model=f"m{n}") for n in range(3)])

    with pytest.raises(ImportRefused, match="3 models contribute 6 candidates"):
        pick(blank, ana, scores)


def test_choices_are_kept_unless_they_are_discarded(blank, ana, windows):
    record_choice(blank.candidate_pairs.first(), ana, Chosen(1, 2))

    with pytest.raises(CandidatesKept):
        pick(blank, ana, score(windows))

    assert pick(blank, ana, score(windows), discards_choices=True).model_names == ["elmo"]
