"""A backup of a site that people use at the time, and the site that is restored from it."""

import gzip
import json
import stat
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from django.conf import settings

from surveys.operations.server_checks import MARK_NAME
from tests.end_to_end.annotators import PATIENCE_SECONDS, begin, get, post
from tests.end_to_end.commands import run_commands
from tests.end_to_end.databases import fresh_database
from tests.end_to_end.site import Site, open_site
from tests.factories.studies import numbered_stimuli

N_PROCESSES = 2
N_PAIRS = 12
N_ANNOTATORS = 6
INVITATIONS = "SELECT id FROM surveys_invitation ORDER BY id"


@pytest.fixture(scope="module")
def study_site(pristine, tmp_path_factory) -> Iterator[Site]:
    """A site that serves, with an open study."""
    folder = tmp_path_factory.mktemp("site")
    with open_site(pristine, folder, N_PROCESSES) as site:
        stimuli = folder / "data_en.tsv"
        stimuli.write_bytes(numbered_stimuli(N_PAIRS))
        site.make_study(stimuli, "study", "--language", "en", "--block-size", str(N_PAIRS))
        yield site


@contextmanager
def empty_site(folder: Path) -> Iterator[Site]:
    """Another machine's: its own VAR_DIR and an empty database."""
    folder.mkdir()
    with fresh_database(settings.DATABASES["default"], folder) as url:
        yield Site(folder, url)


def refused(site: Site, *arguments: object) -> str:
    """Return what a command says that fails."""
    done = run_commands([[str(argument) for argument in arguments]], site.environment)
    assert done.returncode == 1, done.stderr
    return done.stderr


class Load:
    """Annotators who answer at the same time, with what the site has acknowledged to them."""

    def __init__(self, site: Site, links: list[str]) -> None:
        self.acknowledged: list[tuple[str, int]] = []
        self.is_half_done = threading.Event()
        self.people = [threading.Thread(target=self._answer, args=(site, one)) for one in links]

    def __enter__(self) -> "Load":
        for person in self.people:
            person.start()
        assert self.is_half_done.wait(timeout=10 * PATIENCE_SECONDS)
        return self

    def __exit__(self, *reason: object) -> None:
        for person in self.people:
            person.join()

    def _answer(self, site: Site, link: str) -> None:
        survey = begin(site, link)
        token = survey.rstrip("/").rpartition("/")[2]
        for position in range(1, N_PAIRS + 1):
            post(f"{survey}{position}/words/", {"inspired_word1": "moon", "inspired_word2": "sea"})
            done = post(f"{survey}{position}/rating/", {"rating": "3"})
            if done.status_code == httpx.codes.FOUND:
                self.acknowledged.append((token, position))
            if len(self.acknowledged) >= N_ANNOTATORS * N_PAIRS // 3:
                self.is_half_done.set()


def stored_ratings(site: Site) -> set[tuple[str, int]]:
    return set(site.query(
        "SELECT a.token, r.position FROM surveys_response r "
        "JOIN surveys_assignment a ON a.id = r.assignment_id WHERE r.rating IS NOT NULL"
    ))  # fmt: skip


@pytest.mark.every_database
def test_what_was_acknowledged_before_a_backup_is_in_the_site_restored_from_it(
    study_site: Site, tmp_path
):
    links = study_site.invite("study", N_ANNOTATORS)
    backup = tmp_path / "backup.tar.gz"
    own_var, var = Path(study_site.environment["VAR_DIR"]), tmp_path / "restored"
    files = own_var / "files/runs/1"
    files.mkdir(parents=True)
    (files / "kept.zip").write_bytes(b"made by a run")
    with Load(study_site, links) as load:
        before = set(load.acknowledged)
        study_site.manage("backup", backup)

    assert len(before) < len(load.acknowledged)  # they went on meanwhile
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with empty_site(var) as restored:
        (var / "files").mkdir()
        (var / "files" / MARK_NAME).write_text("of a start without studies")
        assert "files 1" in restored.manage("restore", backup)

        assert (var / "secret_key").read_text() == (own_var / "secret_key").read_text()
        assert (var / "files/runs/1/kept.zip").read_bytes() == b"made by a run"
        found = stored_ratings(restored)
        assert before <= found <= set(load.acknowledged)
        restored.manage("migrate", "--check")
        with restored.serving():
            path = httpx.URL(links[0]).path
            assert get(f"{restored.url}{path}").status_code in (200, 302)


@pytest.mark.every_database
def test_a_backup_is_tried_and_nothing_is_left_of_the_trial(study_site: Site, tmp_path):
    output = study_site.manage("backup", tmp_path / "backup.tar.gz", "--check")

    assert "restored and compared" in output
    assert "could be restored" in study_site.manage(
        "restore", tmp_path / "backup.tar.gz", "--check"
    )
    assert list(tmp_path.glob(".cosima-backup-*")) == []


def test_no_file_is_overwritten_and_no_partial_one_left(study_site: Site, tmp_path):
    taken = tmp_path / "taken.tar.gz"
    taken.write_text("mine")

    assert "already" in refused(study_site, "backup", taken)
    assert "does not exist" in refused(study_site, "backup", tmp_path / "none" / "backup.tar.gz")
    assert taken.read_text() == "mine"
    assert list(tmp_path.glob(".cosima-backup-*")) == []


def change(backup: Path, changed: Path, **manifest: object) -> Path:
    """Copy a backup with other lines in its manifest."""
    with tarfile.open(backup) as old, tarfile.open(changed, "w:gz") as new:
        for entry in old:
            content = old.extractfile(entry).read()
            if entry.name == "manifest.json":
                content = json.dumps(json.loads(content) | manifest).encode()
                entry.size = len(content)
            place = changed.with_name("part")
            place.write_bytes(content)
            with place.open("rb") as part:
                new.addfile(entry, part)
    return changed


def test_what_is_no_sound_backup_of_this_code_is_refused_and_changes_nothing(
    study_site: Site, tmp_path
):
    backup = tmp_path / "backup.tar.gz"
    study_site.manage("backup", backup)
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(backup.read_bytes()[:-2000])
    flipped = tmp_path / "flipped.tar.gz"
    content = bytearray(gzip.decompress(backup.read_bytes()))
    content[len(content) // 2] ^= 1
    flipped.write_bytes(gzip.compress(content))
    text = tmp_path / "text.tar.gz"
    text.write_text("nothing")
    foreign = change(backup, tmp_path / "foreign", migrations=["surveys.9999_of_the_future"])
    empty = change(backup, tmp_path / "empty", migrations=[])
    other = change(backup, tmp_path / "other", vendor="oracle")
    with empty_site(tmp_path / "restored") as restored:
        for file, said in (
            (cut, "damaged"), (flipped, "damaged"), (text, "damaged"),
            (tmp_path / "x", "does not exist"), (foreign, "another version of Cosima"),
            (other, "DATABASE_URL refers to"),
        ):  # fmt: skip
            assert said in refused(restored, "restore", file, "--overwrite")
        assert "another version" in refused(restored, "restore", foreign, "--check")
        assert "the backup's manifest" in refused(restored, "restore", empty, "--check")

        assert restored.query("SELECT 1") == [(1,)]
        assert not (tmp_path / "restored/files").exists()
        tables = "information_schema.tables WHERE table_schema = 'public'"
        if restored.environment["DATABASE_URL"].startswith("sqlite"):
            tables = "sqlite_master"
        assert restored.query(f"SELECT COUNT(*) FROM {tables}") == [(0,)]  # noqa: S608


def test_a_site_that_holds_something_is_overwritten_only_if_told(study_site: Site, tmp_path):
    backup = tmp_path / "backup.tar.gz"
    (link,) = study_site.invite("study")
    before = study_site.query(INVITATIONS)
    study_site.manage("backup", backup)
    study_site.invite("study", 5)
    after = study_site.query(INVITATIONS)

    assert "--overwrite" in refused(study_site, "restore", backup)
    assert study_site.query(INVITATIONS) == after != before
    study_site.manage("restore", backup, "--overwrite")

    assert study_site.query(INVITATIONS) == before
    assert get(link).status_code == httpx.codes.OK  # the server goes on with what was restored
