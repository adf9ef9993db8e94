import hashlib
import io
import json
import re

import pytest
from pyarrow import parquet

from postprocess.__main__ import main
from postprocess.release import ReleaseError
from postprocess.release.assembling import Choices, build_release, write_release
from postprocess.release.verification.verifying import render_verification, verify_release
from tests.postprocess.release.releases import (
    KEY,
    RECIPE,
    collect,
    full_description,
    full_entries,
    rate,
    release,
    release_with_practice,
    words_of,
)


@pytest.fixture
def released_in(tmp_path):
    """A release of four pairs, whose files a test may change."""
    write_release(release(), tmp_path / "out")
    return tmp_path / "out"


def change(folder, name, old, new):
    """Replace a text in a file once, and its digest in SHA256SUMS, as a careful forger would."""
    path = folder / name
    before = path.read_bytes()
    assert old in before
    path.write_bytes(before.replace(old, new, 1))
    sums = folder / "SHA256SUMS"
    digests = [hashlib.sha256(content).hexdigest() for content in (before, path.read_bytes())]
    sums.write_text(sums.read_text().replace(*digests))


def test_all_figures_of_a_release_follow_from_its_ratings(released_in):
    found = verify_release(released_in)

    assert found.is_confirmed, found.differences
    assert (found.reservations, found.n_rounded, found.n_ratings) == ((), 0, 44)
    assert found.summary == f"All {found.n_figures:,} different figures follow from the ratings."
    assert found.unchecked == ()


def test_a_figure_in_several_files_is_counted_once(released_in):
    def numbers(text):
        return {float(f"{float(n):.9g}") for n in re.findall(rb"-?\d+(?:\.\d+)?(?:e-\d+)?", text)}

    found = verify_release(released_in)

    names = ("report.json", "scores.tsv", "intervals.tsv", "annotators.tsv", "ledger.tsv",
             "cosimlex_sl.csv", "gold/gold_sl.tsv", "distributions_sl.json")  # fmt: skip
    distinct = set().union(*(numbers((released_in / name).read_bytes()) for name in names))
    columns = len((released_in / "scores.tsv").read_text().split())
    assert columns < found.n_figures <= len(distinct)


def test_a_release_with_practice_words_scripts_and_checks_is_verified(tmp_path):
    write_release(release_with_practice(), tmp_path / "practice")
    collected = collect(
        words=words_of(rate(4), "more"), scripted={"worker-1-1"}, details=timed(rate(4))
    )
    consent = {"obtained": "Yes.", "publishes_words": True}
    write_release(release(collected, full_description(consent=consent)), tmp_path / "words")

    assert verify_release(tmp_path / "practice").is_confirmed
    found = verify_release(tmp_path / "words")
    assert found.is_confirmed, (found.differences, found.reservations)


def timed(ratings):
    places = ratings[["pair", "context", "annotator"]].astype(str)
    return places.assign(block="1", seconds=[float(n % 7) for n in range(len(ratings))])


def test_notes_on_figures_and_notes_of_the_study_are_told_apart(tmp_path):
    without_groups = rate(4, n_annotators=2).drop(columns=["group", "mark"])
    made = build_release(
        collect(ratings=without_groups), full_description(), RECIPE, Choices(KEY),
        language="sl", notes=["Two assignments were repeated."],
    )  # fmt: skip
    write_release(made, tmp_path / "out")

    assert len(made.dataset.report["notes"]) > 1
    assert verify_release(tmp_path / "out").is_confirmed


@pytest.mark.parametrize(
    ("name", "pattern", "place"),
    [
        ("cosimlex_sl.csv", rb"\t(\d\.\d+)\t", "row 1, sim1"),
        ("gold/gold_sl.tsv", rb"\n(-?\d[.\d]*)\t", "row 1, sim_context1"),
        ("ledger.tsv", rb"\t(yes)\t", "row 1, used"),
        ("report.json", rb'"human": (0\.\d+)', "agreement.by.group[1].human"),
        ("distributions_sl.json", rb'"n": (\d+)', "contexts[1].given.n"),
        ("distributions_sl.json", rb'("points")', ""),
        ("README.md", rb"(ratings)", ""),
        ("ratings_sl.parquet", rb"(PAR1)", ""),
    ],
)
def test_a_changed_figure_is_found_though_its_checksum_was_changed(
    released_in, name, pattern, place
):
    content = (released_in / name).read_bytes()
    old = re.search(pattern, content)[0]
    new = old.replace(re.search(pattern, content)[1], b"7.5")
    change(released_in, name, old, new)

    found = verify_release(released_in)

    assert not found.is_confirmed
    assert (name, place) in {(one.file, one.place) for one in found.differences}


OTHER_CODE = "0" * 64


def claim(folder, **changes):
    """Change a report as a careful forger would; a value may be made from the report."""
    report = json.loads((folder / "report.json").read_text())
    for name, make in changes.items():
        report[name] = make(report) if callable(make) else make
    old = (folder / "report.json").read_bytes()
    change(folder, "report.json", old, json.dumps(report, indent=2, ensure_ascii=False).encode())


def claim_other_code(folder, version="0.1.0"):
    claim(folder, code={"version": version, "sha256": OTHER_CODE})


def forge_slice(report):
    """Return agreement with a row by block that nothing gives."""
    agreement = report["agreement"]
    row = {**agreement["by"]["group"][0], "name": "7", "human": 0.99}
    return {**agreement, "by": {**agreement["by"], "block": [row]}, "not_known": ["pos"]}


def forge_confounds(report):
    table = report["confounds"]["table"]
    row = {**table[0], "outcome": "rating", "confound": "seconds", "estimate": 0.0}
    return {**report["confounds"], "table": [table[0], row, *table[1:]]}


def invent_details(report):
    return {**report["inputs"], "details": OTHER_CODE}


FORGED = {"inputs": invent_details, "agreement": forge_slice, "confounds": forge_confounds}


@pytest.mark.parametrize("version", ["0.1.0", "9.9.9"])
def test_other_code_does_not_switch_the_comparison_of_documents_off(released_in, version):
    claim_other_code(released_in, version)
    claim(released_in, notes=["All annotators were trained linguists."])
    change(released_in, "README.md", b"ratings", b"opinions of linguists")

    found = verify_release(released_in)

    assert not found.is_confirmed
    assert found.differences == ()
    assert found.summary.startswith("Confirmed with reservations: ")
    assert f"the release says that {version} (00000000) made it" in found.summary
    assert "README.md" in found.summary


def test_other_code_alone_is_a_reservation_that_names_it_and_nothing_else(released_in):
    claim_other_code(released_in)

    found = verify_release(released_in)

    assert len(found.reservations) == 1
    assert found.reservations[0].startswith("the release says that 0.1.0 (00000000) made it")
    assert "made with 0.1.0 (00000000), computed again with 0.1.0 (" in render_verification(found)


def test_other_code_excuses_no_figure(released_in):
    claim_other_code(released_in)
    claim(released_in, change=lambda report: {**report["change"], "by_formula": 0.999})

    found = [(one.file, one.place) for one in verify_release(released_in).differences]

    assert ("report.json", "change.by_formula") in found


def test_invented_details_are_differences_of_this_code(released_in):
    claim(released_in, **FORGED)

    places = {one.place for one in verify_release(released_in).differences}

    assert {"inputs.details", "agreement.by.block[1].human"} <= places
    assert 'confounds.table["rating and seconds"].estimate' in places


def test_details_of_other_code_are_reservations_that_name_their_rows(released_in):
    claim_other_code(released_in)
    claim(released_in, **FORGED)

    found = verify_release(released_in)

    assert found.differences == ()
    for name in ("agreement.by.block", "inputs.details", 'table["rating and seconds"]'):
        assert name in found.reservations[1], name


def test_a_further_file_is_a_reservation_though_it_is_listed(released_in):
    (released_in / "figures").mkdir()
    (released_in / "evil.txt").write_text("listed")
    (released_in / "figures/evil.png").write_text("listed, too")
    digests = [(name, hashlib.sha256((released_in / name).read_bytes()).hexdigest())
               for name in ("evil.txt", "figures/evil.png")]  # fmt: skip
    lines = [*(released_in / "SHA256SUMS").read_text().splitlines(),
             *(f"{digest}  {name}" for name, digest in digests)]  # fmt: skip
    lines.sort(key=lambda line: line.partition("  ")[2])
    (released_in / "SHA256SUMS").write_text("\n".join(lines) + "\n")

    found = verify_release(released_in)

    assert found.differences == ()
    assert found.reservations == (
        "2 files that no release has, known only by checksum: evil.txt, figures/evil.png",
    )
    assert "checksum  only: evil.txt, figures/evil.png\n" in render_verification(found)


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        (b'"notes": [', b'"trained linguists": {},\n  "notes": [', "trained linguists"),
        (b'"notes": [', b'"counts.pairs": 4,\n  "notes": [', '"counts.pairs"'),
        (b'"notes": [', b'"more": null,\n  "notes": [', "more"),
    ],
)
def test_further_entries_of_a_report_are_found(released_in, old, new, place):
    change(released_in, "report.json", old, new)

    assert place in {one.place for one in verify_release(released_in).differences}


def test_a_report_with_a_name_twice_is_refused(released_in):
    change(released_in, "report.json", b'"notes": [', b'"language": "fi",\n  "notes": [')

    with pytest.raises(ReleaseError, match="an object has a name twice"):
        verify_release(released_in)


def test_further_columns_of_a_parquet_file_are_found(released_in):
    path = released_in / "cosimlex_sl.parquet"
    table = parquet.read_table(path)
    out = io.BytesIO()
    parquet.write_table(table.append_column("human", [[0.99] * len(table)]), out)
    change(released_in, path.name, path.read_bytes(), out.getvalue())

    found = {(one.file, one.place) for one in verify_release(released_in).differences}

    assert ("cosimlex_sl.parquet", "columns") in found


def test_a_line_of_the_checksums_that_is_covered_by_another_is_found(released_in):
    sums = released_in / "SHA256SUMS"
    sums.write_text(f"{OTHER_CODE}  scores.tsv\n" + sums.read_text())

    (found,) = verify_release(released_in).differences

    assert (found.file, found.published) == ("SHA256SUMS", "other lines")


def test_further_columns_of_other_code_are_reservations_and_the_others_are_compared(released_in):
    claim_other_code(released_in)
    rows = (released_in / "scores.tsv").read_bytes().split(b"\n")
    wider = [rows[0] + b"\tmore", *(row + b"\t1" for row in rows[1:-1]), b""]
    change(released_in, "scores.tsv", b"\n".join(rows), b"\n".join(wider))

    found = verify_release(released_in)
    assert found.differences == ()
    assert "scores.tsv (column more)" in found.summary

    change(released_in, "scores.tsv", b"\t1\n", b"\t1\t0.99\n")
    places = {(one.file, one.place) for one in verify_release(released_in).differences}
    assert ("scores.tsv", "row 1, column 17") in places


def test_names_of_a_release_cannot_break_the_sentence(released_in):
    claim_other_code(released_in)
    claim(released_in, **{"\x1b[2J\nAll figures follow": 1, "long" * 1000: 2})

    summary = verify_release(released_in).summary

    assert summary.isprintable()
    assert len(summary) < 2000


def test_files_that_the_code_of_a_release_did_not_write_are_reservations(released_in):
    claim_other_code(released_in, "0.0.1")
    sums = released_in / "SHA256SUMS"
    lines = sums.read_text().splitlines(keepends=True)
    new = ("intervals.tsv", "distributions_sl.json", "distributions_sl.parquet")
    sums.write_text("".join(line for line in lines if not line.rstrip().endswith(new)))
    for name in new:
        (released_in / name).unlink()

    found = verify_release(released_in)

    assert found.differences == ()
    assert all(name in found.reservations[1] for name in new)


def test_a_changed_rating_changes_the_figures_that_rest_on_it(released_in):
    path = released_in / "ratings_sl.tsv"
    line = path.read_text().splitlines()[1]
    fields = line.split("\t")
    fields[4] = "6" if fields[4] != "6" else "0"
    change(released_in, path.name, line.encode(), "\t".join(fields).encode())

    files = {one.file for one in verify_release(released_in).differences}

    assert {"scores.tsv", "ledger.tsv", "report.json", "ratings_sl.parquet"} <= files


def test_files_are_compared_with_the_checksums(released_in):
    (released_in / "scores.tsv").write_bytes((released_in / "scores.tsv").read_bytes() + b"\n")
    (released_in / "texts/consent_2.md").unlink()
    (released_in / "more.txt").write_text("not listed")

    found = {(one.file, one.place) for one in verify_release(released_in).differences}

    assert {
        ("SHA256SUMS", name) for name in ("scores.tsv", "texts/consent_2.md", "more.txt")
    } <= found
    assert ("texts/consent_2.md", "") in found


@pytest.mark.parametrize(
    "name", ["report.json", "recipe.toml", "ratings_sl.tsv", "cosimlex_sl.csv"]
)
def test_a_folder_without_a_file_is_refused(released_in, name):
    (released_in / name).unlink()

    with pytest.raises(ReleaseError, match=f"{name} is missing|has one file <name>"):
        verify_release(released_in)


def test_the_command_ends_with_one_sentence_and_its_status(released_in, capsys, tmp_path):
    assert main(["verify", str(released_in)]) == 0
    sentence = r"\nAll [\d,]+ different figures follow from the ratings\.\n$"
    assert re.search(sentence, capsys.readouterr().out)

    claim_other_code(released_in)
    assert main(["verify", str(released_in)]) == 3
    assert "\nConfirmed with reservations: " in capsys.readouterr().out

    (released_in / "scores.tsv").write_bytes(b"pair\n")
    assert main(["verify", str(released_in)]) == 1
    assert main(["verify", str(tmp_path / "nowhere")]) == 2
    assert "unpack the archive" in capsys.readouterr().err


def test_a_release_with_its_own_name_and_one_in_the_published_layout_are_verified(tmp_path):
    named = full_description(dataset={**full_entries()["dataset"], "name": "usim-2"})
    own = release(collect(6), named, n_practice=2)
    as_published = release(collect(6), named, n_practice=2, name="cosimlex")

    assert {"usim-2_sl.csv", "usim-2_sl.parquet", "practice_kit/usim-2_sl.csv"} <= own.files.keys()
    assert "usim-2_sl.parquet" in own.files["README.md"].decode()
    assert "cosimlex_sl.csv" in as_published.files
    figures = set()
    for folder, made in (("own", own), ("published", as_published)):
        write_release(made, tmp_path / folder)
        found = verify_release(tmp_path / folder)
        assert found.is_confirmed
        figures.add(found.n_figures)
    assert len(figures) == 1


def test_two_datasets_in_one_folder_are_refused(released_in):
    (released_in / "other_sl.csv").write_bytes((released_in / "cosimlex_sl.csv").read_bytes())

    with pytest.raises(ReleaseError, match=r"has one file .*, but this has 2"):
        verify_release(released_in)


def test_copied_annotators_are_published_and_verified(tmp_path):
    ratings = rate(24)
    values = ratings.set_index(["annotator", "pair", "context"])["rating"]
    values.loc["worker-1-2"] = values.loc["worker-1-3"].to_numpy()
    made = release(collect(24, ratings=ratings.assign(rating=values.to_numpy())))
    write_release(made, tmp_path / "out")
    (copy,) = made.dataset.report["copies"]

    assert verify_release(tmp_path / "out").is_confirmed
    assert copy["annotator1"] in made.dataset.report["notes"][-1]
    assert "worker" not in copy["annotator1"]

    change(tmp_path / "out", "report.json", b'"n_equal": 24', b'"n_equal": 23')
    places = {found.place for found in verify_release(tmp_path / "out").differences}
    assert "copies[1].n_equal" in places
