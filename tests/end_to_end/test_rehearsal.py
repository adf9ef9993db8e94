"""A rehearsal with every character, on the real server."""

import csv

import pytest

from tests.end_to_end.site import Site
from tests.machine import ROOT

pytestmark = pytest.mark.every_database  # every page

N_PROCESSES = 2  # which run concurrently
CHARACTERS = ("careful", "hasty", "quitting", "reloading", "two-tabs")
CHECKPOINT = (
    "tea", "sofa", "The <strong>tea</strong> got cold on the <strong>sofa</strong>.",
    "tea", "sofa", "0", "1",
)  # fmt: skip
COLUMNS = ("word1", "word2", "context", "word1_context", "word2_context", "lowest", "highest")


def test_every_character_goes_through_every_page(site: Site, tmp_path):
    rows = ["\t".join(row) for row in (COLUMNS, CHECKPOINT)]
    (tmp_path / "checkpoints.tsv").write_text("\n".join(rows), encoding="utf-8")
    site.make_study(
        ROOT / "demo/data_en.tsv", "demo", "--language", "en",
        "--ratings-per-context", "10", "--block-size", "7",
    )  # fmt: skip
    site.manage("import_checkpoints", "demo", tmp_path / "checkpoints.tsv", "--per-assignment", "1")
    site.manage("configure_study", "demo", "--check-tries", "3")

    output = site.manage(
        "rehearse_study", "demo", "--base-url", site.url, "--characters", *CHARACTERS,
        "--annotators", "10", "--at-once", "5",
    )  # fmt: skip

    # two of each: hasty ones fail the check, quitting ones stop half way
    assert output.splitlines()[-2:] == [
        "Finished: 6 of 10.", f"Annotators: 10, judgements: {6 * 8 + 2 * 4}.",
    ]  # fmt: skip
    states = dict(site.query("SELECT state, count(*) FROM surveys_assignment GROUP BY state"))
    assert states == {"submitted": 6, "started": 2, "returned": 2}
    rows = list(csv.DictReader(site.manage("export", "responses", "demo").splitlines()))
    assert sum(bool(row["rating"]) for row in rows) == 6 * 8 + 2 * 4
    assert {row["is_scripted"] for row in rows} == {"true"}
    checkpoints = [row["rating"] for row in rows if row["checkpoint"] == "true" and row["rating"]]
    assert set(checkpoints) == {"0"}
