"""A site whose files are in a bucket: runs, two servers, backups, and what is left over."""

import pytest

from tests.end_to_end.buckets import list_keys
from tests.end_to_end.site import open_site
from tests.end_to_end.test_background import ASKED, run_code
from tests.end_to_end.test_backups import empty_site
from tests.end_to_end.workers import wait_until

STATES = "SELECT state FROM surveys_job"
ARCHIVE = "SELECT archive FROM surveys_run"
READ = """
from surveys.models import Run
from zipfile import ZipFile
with Run.objects.get().archive.open("rb") as file:
    print(sorted(ZipFile(file).namelist())[:1])
"""


@pytest.mark.every_database
def test_files_in_a_bucket_are_made_read_backed_up_and_restored(pristine, tmp_path, bucket):
    url, client = bucket
    (tmp_path / "own").mkdir()
    with open_site(pristine, tmp_path / "own", FILES_URL=url) as site:
        run_code(site, ASKED)
        wait_until(lambda: site.query(STATES) == [("done",)])
        ((archive,),) = site.query(ARCHIVE)
        made = [key for key in list_keys(client) if key.endswith(archive)]
        client.put_object(Bucket="backups", Key="lab/cosima/runs/999/left.csv", Body=b"of nobody")
        site.manage("drop_personal_data")
        kept = list_keys(client)
        site.manage("backup", tmp_path / "backup.tar.gz", "--check")
        own = site.manage("shell", "-c", READ)

    with empty_site(tmp_path / "new") as restored:  # whose files are in a folder
        said = restored.manage("restore", tmp_path / "backup.tar.gz")

        assert restored.manage("shell", "-c", READ) == own

    assert len(made) == 1
    assert not any("999" in key for key in kept)
    assert made[0] in kept
    assert "files 2" in said  # archive and ledger
    assert not (tmp_path / "own/files").exists()
