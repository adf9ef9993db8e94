import pytest

from postprocess.formats.writing import write_files

FILES = {"dataset.csv": b"a\tb\n", "data/data.tsv": "č\n".encode(), "report.json": b"{}\n"}


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_write_files_writes_exactly_the_files(tmp_path):
    paths = write_files(FILES, tmp_path / "new" / "release")

    written = tree(tmp_path / "new" / "release")
    assert written == FILES
    assert paths == [tmp_path / "new" / "release" / name for name in FILES]


def test_write_files_replaces_an_earlier_release(tmp_path):
    write_files(dict.fromkeys(FILES, b"old"), tmp_path)

    write_files(FILES, tmp_path)

    assert tree(tmp_path) == FILES


def test_write_files_leaves_everything_as_it_was_when_a_folder_is_in_the_way(tmp_path):
    (tmp_path / "report.json").mkdir()
    (tmp_path / "dataset.csv").write_text("earlier")

    with pytest.raises(IsADirectoryError, match="this is a folder, not a file"):
        write_files(FILES, tmp_path)

    assert tree(tmp_path) == {"dataset.csv": b"earlier"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dataset.csv", "report.json"]


def test_write_files_leaves_nothing_when_the_disk_is_full(tmp_path, monkeypatch):
    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("postprocess.formats.writing.os.fsync", fail)

    with pytest.raises(OSError, match="No space left"):
        write_files(FILES, tmp_path / "release")

    assert list(tmp_path.iterdir()) == []


def test_write_files_refuses_a_file_as_folder(tmp_path):
    file = tmp_path / "file"
    file.write_text("kept")

    with pytest.raises(NotADirectoryError, match="this is a file, not a folder"):
        write_files(FILES, file)

    assert file.read_text() == "kept"
