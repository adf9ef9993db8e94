import pytest

from postprocess.auditing import AuditError
from postprocess.auditing.folder import find_kits
from postprocess.formats.files import DATASET_COLUMNS
from postprocess.formats.writing import write_files


def make(folder, *names):
    write_files(dict.fromkeys(names, b""), folder)
    return folder


def sources_by_kit(folder):
    return {
        (kit.language, kit.is_practice): [
            source.name
            for source in (kit.dataset, *kit.data, *kit.gold, *kit.ratings)
            if source is not None
        ]
        for kit in folder.kits
    }


def test_a_folder_may_have_several_languages_and_practice_kits(tmp_path):
    make(
        tmp_path, "cosimlex_fi.csv", "data_fi.tsv", "cosimlex_sl.csv", "ratings_sl.csv",
        "practice_kit/data_sl.tsv", "practice_kit/gold_sl.tsv", "README.md", ".hidden/data_sl.tsv",
    )  # fmt: skip

    folder = find_kits(tmp_path)

    assert sources_by_kit(folder) == {
        ("fi", False): ["cosimlex_fi.csv", "data_fi.tsv"],
        ("sl", False): ["cosimlex_sl.csv", "ratings_sl.csv"],
        ("sl", True): ["practice_kit/data_sl.tsv", "practice_kit/gold_sl.tsv"],
    }
    assert folder.unknown == ("README.md",)


def test_a_release_has_two_kits(tmp_path):
    make(
        tmp_path, "cosimlex_xx.csv", "data/data_xx.tsv", "gold/gold_xx.tsv", "ratings_xx.tsv",
        "practice_kit/cosimlex_xx.csv", "practice_kit/data_xx.tsv", "results/results_xx.tsv",
    )  # fmt: skip

    folder = find_kits(tmp_path)

    assert sources_by_kit(folder)["xx", False] == [
        "cosimlex_xx.csv", "data/data_xx.tsv", "gold/gold_xx.tsv", "ratings_xx.tsv",
    ]  # fmt: skip
    assert sources_by_kit(folder)["xx", True] == [
        "practice_kit/cosimlex_xx.csv", "practice_kit/data_xx.tsv",
    ]  # fmt: skip


def test_an_evaluation_kit_needs_no_dataset(tmp_path):
    make(tmp_path, "kit/data/data_en.tsv", "kit/gold/gold_en.tsv")

    assert sources_by_kit(find_kits(tmp_path)) == {
        ("en", False): ["kit/data/data_en.tsv", "kit/gold/gold_en.tsv"]
    }


def test_two_releases_of_a_language_are_two_kits(tmp_path):
    make(tmp_path, *(f"{v}/{name}" for v in ("v1", "v2") for name in
         ("cosimlex_xx.csv", "data/data_xx.tsv")))  # fmt: skip

    kits = find_kits(tmp_path).kits

    assert [[kit.dataset.name, kit.data[0].name] for kit in kits] == [
        ["v1/cosimlex_xx.csv", "v1/data/data_xx.tsv"],
        ["v2/cosimlex_xx.csv", "v2/data/data_xx.tsv"],
    ]


def test_a_practice_kit_may_be_in_another_folder(tmp_path):
    test = make(tmp_path / "test", "cosimlex_xx.csv", "warm_up/data_xx.tsv")
    other = make(tmp_path / "other", "data_xx.tsv", "notes.txt")

    assert sources_by_kit(find_kits(test, other))["xx", True] == ["other/data_xx.tsv"]
    assert "other/notes.txt" in find_kits(test, other).unknown
    inside = find_kits(test, test / "warm_up")
    assert sources_by_kit(inside) == {
        ("xx", False): ["cosimlex_xx.csv"],
        ("xx", True): ["warm_up/data_xx.tsv"],
    }


@pytest.mark.parametrize("name", ["cosimlex_sl.csv", "scores.txt"])
def test_a_single_file_is_a_dataset_with_any_name(tmp_path, name):
    make(tmp_path, name, "data_sl.tsv")

    (kit,) = find_kits(tmp_path / name).kits

    assert (kit.dataset.name, kit.data) == (name, ())


@pytest.mark.parametrize("place", ["empty", "ratings", "ratings/ratings_sl.csv"])
def test_a_place_without_a_dataset_is_refused(tmp_path, place):
    make(tmp_path, "empty/notes.txt", "ratings/ratings_sl.csv")

    with pytest.raises(AuditError, match="give the folder of a dataset"):
        find_kits(tmp_path / place)


def test_a_missing_path_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        find_kits(tmp_path / "nothing")


def test_a_dataset_with_its_own_name_is_found_by_its_columns(tmp_path):
    make(tmp_path, "words_en.csv", "data/data_sl.tsv")
    (tmp_path / "usim-2_sl.csv").write_text("\ufeff" + "\t".join(DATASET_COLUMNS) + "\r\n")

    kits, unknown = find_kits(tmp_path)

    assert [(kit.language, kit.dataset.name, kit.data[0].name) for kit in kits] == [
        ("sl", "usim-2_sl.csv", "data/data_sl.tsv")
    ]
    assert unknown == ("words_en.csv",)


def test_two_datasets_of_a_language_in_one_folder_are_refused(tmp_path):
    make(tmp_path, "cosimlex_sl.csv")
    (tmp_path / "usim-2_sl.csv").write_text("\t".join(DATASET_COLUMNS) + "\n")

    with pytest.raises(AuditError, match="move them to separate folders"):
        find_kits(tmp_path)
