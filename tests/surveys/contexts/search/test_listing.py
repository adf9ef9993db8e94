"""The corpora of a site: names, and never paths."""

import pytest

from surveys.contexts.search.listing import find_corpora, has_corpora_dir, list_corpora
from surveys.errors import RunRefused


def test_files_and_folders_are_listed_by_name(corpora):
    (corpora / ".hidden.conllu").write_text("x", encoding="utf-8")
    (corpora / "empty").mkdir()
    (corpora / "readme.md").write_text("x", encoding="utf-8")

    found = list_corpora()

    assert [(one.name, [path.name for path in one.paths]) for one in found] == [
        ("news", ["a.conllu", "b.conllu.gz"]), ("tales.conllu", ["tales.conllu"])
    ]  # fmt: skip
    assert found[1].n_bytes == (corpora / "tales.conllu").stat().st_size


@pytest.mark.parametrize("name", ["../secret.conllu", "/etc/passwd", "news/a.conllu", "", "."])
def test_nothing_else_can_be_named(corpora, name):
    (corpora.parent / "secret.conllu").write_text("x", encoding="utf-8")

    with pytest.raises(RunRefused, match="This site has no corpus"):
        find_corpora(["news", name])


def test_a_site_without_the_setting_has_none(settings):
    settings.CORPORA_DIR = None

    assert not has_corpora_dir()
    assert list_corpora() == []


def test_a_folder_that_has_gone_is_empty_and_logged(corpora, settings, caplog):
    settings.CORPORA_DIR = corpora / "gone"

    assert has_corpora_dir()
    assert list_corpora() == []
    assert "gone cannot be read: No such file or directory" in caplog.text
