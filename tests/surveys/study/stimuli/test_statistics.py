import pytest

from surveys.models import Study
from surveys.study.stimuli.edit import read_upload, replace_stimuli
from surveys.study.stimuli.statistics import Overlap, list_overlaps, measure_study
from tests.factories.studies import make_study, stimuli_file, stimuli_row

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]  # aggregated


def test_overlaps_count_pairs_in_either_order_and_texts():
    swapped = stimuli_row(
        word1="dog", word2="cat", word1_context1="dog", word2_context1="cats",
        word1_context2="dogs", word2_context2="cat",
        context1="Two <strong>cats</strong> sat. It rained. A <strong>dog</strong> ran.",
    )  # fmt: skip
    one = make_study(stimuli=stimuli_file(stimuli_row()), slug="one")
    other = make_study(stimuli=stimuli_file(swapped), slug="other")
    make_study(2, slug="apart")

    assert list_overlaps(one, Study.objects.all()) == [Overlap(other, n_pairs=1, n_texts=1)]
    assert list_overlaps(one, Study.objects.none()) == []


def test_overlaps_follow_the_stimuli_of_another_study():
    one, other = make_study(1, slug="one"), make_study(2, slug="other")
    Study.objects.filter(pk=other.pk).update(opened_at=None)
    assert [found.n_pairs for found in list_overlaps(one, Study.objects.all())] == [1]

    replace_stimuli(other, read_upload(stimuli_file(stimuli_row()), other))

    assert list_overlaps(one, Study.objects.all()) == []


def test_measure_study_measures_the_texts():
    study = make_study(stimuli=stimuli_file(stimuli_row()))

    sizes = measure_study(study.pk, study.stimuli_sha256)

    assert sizes is not None
    assert (sizes.n_pairs, sizes.words, sizes.distance) == (1, (8, 8, 8), (5, 5, 5))
