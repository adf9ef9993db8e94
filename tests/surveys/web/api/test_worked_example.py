"""The program of docs/api.md, run unchanged on a real site."""

import io
import zipfile

from pyarrow import parquet

from tests.documents.reading import read_blocks
from tests.factories.studies import numbered_stimuli
from tests.fixtures.sites import pristine, site  # noqa: F401

BLOCKS = [block.text for block in read_blocks("docs/api.md") if block.language == "python"]
WITH_LINKS = 3  # so many blocks until annotators can answer
SCOPES = ("studies:write", "invitations:write", "responses:read", "runs:write", "releases:write")


def test_the_program_runs_from_stimuli_to_release(site, tmp_path):  # noqa: F811
    stimuli = tmp_path / "data_en.tsv"
    stimuli.write_bytes(numbered_stimuli(3))
    site.manage("add_researcher", "ana")
    scopes = [part for scope in SCOPES for part in ("--scope", scope)]
    token = site.manage("make_token", "ana", "example", *scopes).strip()
    known = {"SITE": site.url, "TOKEN": token, "STIMULI": str(stimuli)}

    for block in BLOCKS[:WITH_LINKS]:
        exec(block, known)  # noqa: S102  (our own page)
    site.manage("rehearse_study", "walk", "--base-url", site.url)
    for block in BLOCKS[WITH_LINKS:]:
        exec(block, known)  # noqa: S102

    assert len(known["links"]) == 4
    assert (known["progress"]["finished"], known["progress"]["wanted"]) == (4, 4)
    assert len(known["responses"]) == 12
    assert parquet.read_table(io.BytesIO(known["parquet"])).num_rows == 12
    assert known["report"]["counts"]["pairs"] == 3
    assert zipfile.ZipFile(io.BytesIO(known["archive"])).testzip() is None
