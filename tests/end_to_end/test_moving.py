"""A study that people answer moves from site to site, also from one database system to another."""

import pytest

from tests.end_to_end.site import Site, open_site
from tests.end_to_end.test_backups import (
    N_ANNOTATORS,
    N_PAIRS,
    Load,
    empty_site,
    refused,
    stored_ratings,
)
from tests.factories.studies import numbered_stimuli


@pytest.mark.every_database
def test_what_was_answered_before_an_export_moves_to_sqlite_and_back(pristine, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "data_en.tsv").write_bytes(numbered_stimuli(N_PAIRS))
    with open_site(pristine, tmp_path / "own") as site:
        design = ("--language", "en", "--block-size", str(N_PAIRS))
        site.make_study(tmp_path / "data_en.tsv", "study", *design)
        with Load(site, site.invite("study", N_ANNOTATORS)) as load:
            before = set(load.acknowledged)
            site.manage("export_study", "study", tmp_path / "first", "--plain")

    sqlite = tmp_path / "sqlite"
    sqlite.mkdir()
    middle = Site(sqlite, f"sqlite:///{sqlite / 'site.sqlite3'}")
    middle.manage_all(
        ["migrate"],
        ["import_study", tmp_path / "first"],
        ["export_study", "study", tmp_path / "second", "--plain"],
    )
    found = stored_ratings(middle)
    with empty_site(tmp_path / "last") as last:
        last.manage_all(["migrate"], ["import_study", tmp_path / "second"])
        again = refused(last, "import_study", tmp_path / "first")
        assert stored_ratings(last) == found

    assert len(before) < len(load.acknowledged)  # they went on meanwhile
    assert before <= found <= set(load.acknowledged)
    assert "The name study is taken here" in again
