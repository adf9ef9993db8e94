"""Migration of databases of earlier versions, with invented data, to this one."""

import gzip
import hashlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings

from tests.end_to_end.commands import run_commands

EARLIER = Path(__file__).parent / "upgrades"
RAW = ["report.n_resamples=0", "report.n_splits=5", "report.pdf=false"]  # as it was released


def is_data(name: str) -> bool:
    """Return whether a file depends on data only, not on day, version or wording."""
    return name.endswith((".tsv", ".csv")) or name.startswith("texts/")


def digest_without_new_columns(path: Path) -> str:
    """Return the digest of ratings as they were before releases gave block and part of speech."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")]
    new = {place for place, name in enumerate(rows[0]) if name in {"block", "pos"}}
    kept = ["\t".join(cell for n, cell in enumerate(row) if n not in new) for row in rows]
    return hashlib.sha256("\n".join(kept).encode()).hexdigest()


def digests_of(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


@pytest.mark.parametrize("version", ["a89e9652"])
def test_a_database_of_an_earlier_version_gives_the_same_release(version, tmp_path):
    """Its study has finished, begun and withdrawn questionnaires, results and a release."""
    with closing(sqlite3.connect(tmp_path / "cosima.sqlite3")) as database:
        database.executescript(
            gzip.decompress((EARLIER / f"{version}.sql.gz").read_bytes()).decode()
        )
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{tmp_path / 'cosima.sqlite3'}",
        "VAR_DIR": str(tmp_path),
        "STATIC_ROOT": str(settings.STATIC_ROOT),
    }
    folder = str(tmp_path / "release")
    release = ["release_dataset", "study", folder, "--ids-of", "1", "--name", "cosimlex"]
    settled = [argument for one in RAW for argument in ("--set", one)]

    done = run_commands(
        [
            ["migrate", "--verbosity", "0"],
            ["migrate", "--check"],
            [*release, "--no-report", "--recipe", "raw", *settled],
        ],
        environment,
    )

    assert done.returncode == 0, done.stderr
    lines = (EARLIER / f"{version}.SHA256SUMS").read_text().splitlines()
    before = {name: digest for digest, name in (line.split("  ") for line in lines)}
    now = digests_of(tmp_path / "release")
    assert before.keys() <= now.keys()
    data = [name for name in before if is_data(name)]
    assert len(data) == 12
    now["ratings_en.tsv"] = digest_without_new_columns(tmp_path / "release/ratings_en.tsv")
    assert {name: now[name] for name in data} == {name: before[name] for name in data}
