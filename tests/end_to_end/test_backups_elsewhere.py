"""Backups in a bucket, encrypted; and who left after a backup is gone from the restored site."""

import pyrage
import pytest

from tests.end_to_end.annotators import begin, get, post
from tests.end_to_end.buckets import SECRET, list_keys
from tests.end_to_end.site import open_site
from tests.end_to_end.test_backups import empty_site, refused
from tests.end_to_end.workers import wait_until
from tests.factories.studies import numbered_stimuli

RATED = (
    "SELECT n.code, n.withdrawn_at IS NOT NULL, COUNT(r.rating) FROM surveys_annotator n "
    "LEFT JOIN surveys_response r ON r.annotator_id = n.id GROUP BY n.id ORDER BY n.id"
)


@pytest.mark.every_database
def test_who_left_after_a_backup_is_gone_from_the_site_restored_from_a_bucket(
    pristine, tmp_path, bucket
):
    url, client = bucket
    key = pyrage.x25519.Identity.generate()
    (tmp_path / "key").write_text(str(key))
    (tmp_path / "own").mkdir()
    chosen = f"{url}&recipient={key.to_public()}"
    with open_site(pristine, tmp_path / "own", BACKUP_URL=chosen) as site:
        (tmp_path / "data_en.tsv").write_bytes(numbered_stimuli(2))
        site.make_study(tmp_path / "data_en.tsv", "study", "--language", "en")
        stays, leaves = (begin(site, link) for link in site.invite("study", 2))
        for survey in (stays, leaves):
            post(f"{survey}1/words/", {"inspired_word1": "moon", "inspired_word2": "sea"})
            post(f"{survey}1/rating/", {"rating": "3"})
        said = site.manage("backup", "--check")
        post(f"{survey}withdraw/", {"confirmed": "yes"})
        wait_until(lambda: len(list_keys(client)) == 2)
        stored = site.query(RATED)

    with empty_site(tmp_path / "new") as restored:
        restored.environment["BACKUP_URL"] = chosen
        lost = refused(restored, "restore", "latest")
        output = restored.manage("restore", "latest", "--identity", tmp_path / "key")
        with restored.serving():
            answers = [
                get(restored.url + survey.removeprefix(site.url)) for survey in (stays, leaves)
            ]
        assert restored.query(RATED) == stored

    assert "restored and compared" in said
    assert [key.endswith(".tar.gz.age") for key in list_keys(client)] == [True, False]
    assert "--identity" in lost
    assert "Repeated from the journal: withdrawn 1." in output
    assert [n for _, _, n in stored] == [1, 0]
    assert [answer.headers["location"].rsplit("/", 2)[1] for answer in answers] == [
        "words",
        "ended",
    ]
    for text in (said, lost, output, site.log.read_text()):
        assert SECRET not in text
        assert "%2Fof" not in text


def test_a_bucket_that_is_away_is_named_without_its_secret(pristine, tmp_path):
    address = "s3+http://id:hidden@127.0.0.1:9/backups"
    with empty_site(tmp_path / "new") as site:
        site.environment["BACKUP_URL"] = address
        site.manage("migrate")

        said = refused(site, "backup")

    assert "The place of backups cannot be used" in said
    assert "hidden" not in said
