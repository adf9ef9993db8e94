import pytest

from postprocess.naming import LONGEST, check_name, find_datasets, propose_name, read_name


@pytest.mark.parametrize("name", ["usim-2", "cosimlex", "Lex2020", "a_b-c", "x" * LONGEST])
def test_a_name_of_letters_and_digits_is_kept(name):
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name", ["", "a b", "a/b", "../a", "a.b", "-a", "a_", "a--b", "čaj", "x" * (LONGEST + 1)]
)
def test_a_name_with_other_characters_is_refused(name):
    with pytest.raises(ValueError, match="letters a to z and digits"):
        check_name(name)


@pytest.mark.parametrize("name", ["ratings", "Checkpoints", "results_mine", "data", "gold"])
def test_a_name_of_other_files_is_refused(name):
    with pytest.raises(ValueError, match="name of other files"):
        check_name(name)


@pytest.mark.parametrize(
    ("slug", "language", "name"),
    [
        ("words-in-context", "sl", "words-in-context"), ("words-sl", "sl", "words"),
        ("words_sr-Latn", "sr-Latn", "words"), ("sl", "sl", "sl"), ("ratings", "sl", "dataset"),
        ("a--b", "sl", "dataset"), ("x" * 49 + "-yz", "sl", "x" * 49),
    ],
)  # fmt: skip
def test_a_study_gives_its_dataset_a_name(slug, language, name):
    assert propose_name(slug, language) == name


def test_a_file_name_is_read_from_its_end():
    read = {path: tuple(found)[1:] for path in (
        "cosimlex_sl.csv", "a_b_sr-Latn.csv", "words_hr_sl.csv", "words_sl_REHEARSAL.csv",
    ) if (found := read_name(path))}  # fmt: skip

    assert read == {
        "cosimlex_sl.csv": ("cosimlex", "sl"),
        "a_b_sr-Latn.csv": ("a_b", "sr-Latn"),
        "words_hr_sl.csv": ("words_hr", "sl"),
        "words_sl_REHEARSAL.csv": ("words", "sl_REHEARSAL"),
    }


def test_other_files_of_a_release_are_no_datasets():
    others = ["ratings_sl.csv", "checkpoints_sl.csv", "scores.tsv", "words.csv", "words_SL.csv"]

    assert find_datasets([*others, "practice_kit/words_sl.csv"]) == []
