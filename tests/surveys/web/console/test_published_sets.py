"""Published data sets beside studies of one context, and comparisons with them."""

import io
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from surveys.access.roles import grant_role
from surveys.errors import ImportRefused
from surveys.models import ImportedCollection, JobState, Role, Run
from surveys.results.comparisons.importing import CollectionFile, import_collection
from surveys.results.run_inspection import read_member
from tests.factories.answers import finished_study_of
from tests.factories.clients import client_of
from tests.factories.jobs import perform_run
from tests.factories.pages import page, read
from tests.postprocess.layouts.examples import SIMLEX_HEADER

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
SIMLEX = {"SimLex.txt": SIMLEX_HEADER + "".join(
    f"alpha{n}\tbeta{n}\tN\t{n}.50\t1\t1\t1\t1\t1\t0.50\n" for n in range(1, 7)
)}  # fmt: skip
SCWS = {"ratings.txt": "".join(
    f"p{n}\talpha{n}\tn\tbeta{n}\tv\tText 1 of <b> alpha{n} </b> .\tText 2 of <b> beta{n} </b> .\t"
    f"{n}.5\t" + "\t".join([f"{n - 1}", f"{n + 2}"] * 5) + "\n" for n in range(1, 7)
)}  # fmt: skip
WIC = {
    "dev.data.txt": "".join(
        f"alpha{n}\tN\t3-3\tText 1 of alpha{n} .\tText 2 of alpha{n} .\n" for n in range(1, 7)
    ),
    "dev.gold.txt": "T\nF\n" * 3,
}


USES = "lemma pos date grouping identifier description context indexes_target_token"
JUDGMENTS = "identifier1 identifier2 annotator judgment comment lemma"
DWUG = {  # of six lemmas
    f"DWUG EN/data/alpha{n}/{name}": "\n".join(["\t".join(header.split()), *rows, ""])
    for n in range(1, 7)
    for name, header, rows in (
        ("uses.csv", USES, (
            f"alpha{n}\tn\t \t \tu{k}\t \tText {k} of alpha{n} .\t10:16" for k in (1, 2)
        )),
        ("judgments.csv", JUDGMENTS, (
            f"u1\tu2\t{who}\t{(n + k) % 4 + 1}.0\t \talpha{n}" for k, who in enumerate("abc")
        )),
        ("notes.txt", "", ()),
    )
}  # fmt: skip


def pack(files):
    """Return a zip archive of texts by path."""
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return packed.getvalue()


def upload(client, study, layout, files):
    uploaded = [SimpleUploadedFile(name, text.encode()) for name, text in files.items()]
    return send(client, study, layout, uploaded)


def send(client, study, layout, uploaded):
    sent = {"name": "As published", "layout": layout, "file": uploaded}
    return client.post(page("new_collection", study), sent, follow=True)


def researched(layout):
    """A finished study of a design, and the client of its researcher."""
    study, user = finished_study_of(layout), User.objects.create_user("ana")
    grant_role(study, user, Role.RESEARCHER)
    return study, client_of(user)


@pytest.mark.parametrize(
    ("layout", "files", "n_annotators", "shown"),
    [
        ("simlex", SIMLEX, 0, ["<dt>Pearson</dt>", "scores alone", "<dt>Mean difference</dt>"]),
        ("scws", SCWS, 10, ["<dt>Spearman</dt>", "<dt>Ceiling</dt>", "By part of speech"]),
        ("wic", WIC, 0, ["<dt>Accuracy</dt>", "<dt>Kappa</dt>", "By part of speech"]),
    ],
)
def test_a_data_set_is_imported_and_compared(layout, files, n_annotators, shown):
    study, client = researched(layout)

    imported = upload(client, study, layout, files).content.decode()

    assert "As published is imported." in imported
    stored = ImportedCollection.objects.get()
    assert (stored.n_annotators, stored.kind) == (n_annotators, "people")
    sent = {"second": f"collection-{stored.pk}", "match": "words"}
    client.post(page("comparisons", study), sent)
    run = Run.objects.comparisons().get()
    perform_run(run.pk)
    run.refresh_from_db()
    assert (run.error, run.state) == ("", JobState.DONE)
    assert run.report["n"] == 6
    listed, result = read(client, "comparisons", study), read(client, "comparison", study, run.pk)
    for text in shown:
        assert text in listed + result
    assert "<bdi>As published</bdi>" in listed
    report = client.get(page("comparison_report", study, run.pk))
    assert b"As published and study: a data set and its replication" in report.content
    assert (read_member(run, "plots/scores.svg") is None) == (layout == "wic")


def test_a_set_of_many_lemmas_is_an_archive_of_folders():
    study, client = researched("durel")
    uses = [SimpleUploadedFile("uses.csv", text.encode()) for text in [*DWUG.values()][:4:3]]
    broken = {path: text for path, text in DWUG.items() if "alpha3/uses" not in path}

    alone = send(client, study, "dwug", uses)
    outside = send(client, study, "dwug", [SimpleUploadedFile("a.zip", pack({"../uses.csv": ""}))])
    unknown = send(client, study, "dwug", [SimpleUploadedFile("a.zip", pack(broken))])
    kept = ImportedCollection.objects.count()
    whole = send(client, study, "dwug", [SimpleUploadedFile("dwug.zip", pack(DWUG))])

    refused = [answer.content.decode() for answer in (alone, outside, unknown)]
    assert "Put the folders of several lemmas in one zip archive" in refused[0]
    assert "a.zip cannot be unpacked" in refused[1]
    assert "alpha3/judgments.csv" in refused[2]
    assert (kept, "As published is imported." in whole.content.decode()) == (0, True)
    stored = ImportedCollection.objects.get()
    assert (stored.n_ratings, stored.n_annotators) == (18, 3)
    assert all(f"alpha{n}" in str(stored.ratings) for n in range(1, 7))


def test_wrong_files_are_refused_by_row_and_column():
    study, client = researched("wic")

    for files, place in (
        ({**WIC, "dev.gold.txt": "T\nX\n" + "T\nF\n" * 2}, "dev.gold.txt: row 2"),
        ({"dev.data.txt": WIC["dev.data.txt"]}, "has no scores; load the files of the gold, too"),
    ):
        refused = upload(client, study, "wic", files)
        assert refused.status_code == 422
        assert place in refused.content.decode()
    assert not ImportedCollection.objects.exists()


def test_files_read_in_another_layout_are_another_set():
    study, client = researched("simlex")
    upload(client, study, "simlex", SIMLEX)

    again = upload(client, study, "simlex", SIMLEX)
    other = upload(client, study, "scws", SIMLEX)

    assert again.status_code == 200
    assert other.status_code == 422
    assert ImportedCollection.objects.count() == 1


def test_ratings_of_contexts_are_not_imported_beside_items():
    study, _ = researched("simlex")
    file = CollectionFile("ratings", "ratings_en.csv", b"language,pair,context,annotator,rating\n")

    with pytest.raises(ImportRefused, match="published data sets"):
        import_collection(study, file)
