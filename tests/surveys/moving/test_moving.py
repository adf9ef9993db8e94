"""A study that moves to another site by a file."""

import io
import json
import shutil
import tarfile
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyrage
import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.urls import reverse

from surveys.features import merge_mappings
from surveys.models import (
    Annotator,
    Assignment,
    Entrance,
    Family,
    Invitation,
    Job,
    Response,
    Role,
    Run,
    SecondAnswer,
    Study,
    VerdictKind,
    Visit,
    Webhook,
    Worker,
)
from surveys.moving.tables import NAMED_BY, STAYING, find_rows, find_tables, list_fields, list_keys
from surveys.participation.second_look import answer_again
from surveys.privacy.erasure import erase_annotator, forget_invitation, withdraw_annotator
from surveys.privacy.journal import KIND
from surveys.privacy.replay import write_entries
from surveys.results.runs import request_release, request_results
from surveys.review.verdicts import claim_answers, give_verdict
from tests.factories.jobs import perform_all
from tests.factories.reviews import reviewed_study, reviewer
from tests.factories.second_looks import looking_study
from tests.factories.studies import QUICK, finish, make_release, make_study, start

pytestmark = [pytest.mark.every_database, pytest.mark.django_db(transaction=True)]

# Rows of the whole site, of shared tasks (which stay where they are), and of Django.
OF_SITES = {
    "surveys.AccountSession", "surveys.TimerRun", "surveys.LimitedAccount", "surveys.ApiToken",
    "surveys.Family", "surveys.IdempotencyRecord", "surveys.SignInBudget", "surveys.SharedMark",
    "surveys.Worker",
}  # fmt: skip


@pytest.fixture(autouse=True)
def own_files(settings, tmp_path, place):
    settings.MEDIA_ROOT, settings.VAR_DIR = tmp_path / "files", tmp_path
    settings.BACKUP_RECIPIENT = ""


def judged_study() -> Study:
    """A study whose answers were judged by ana, its owner."""
    study = reviewed_study(2, 2, slug="moved")
    ana = reviewer(study, "ana", Role.OWNER)
    for review in claim_answers(study, ana, 2):
        give_verdict(review, ana, VerdictKind.GOOD)
    return study


def move(path: Path, **options: Any) -> str:
    """Store a study's file in an otherwise busy site; return what the command prints."""
    said = StringIO()
    call_command("import_study", path, stdout=said, stderr=said, **options)
    return said.getvalue()


def export(path: Path, *options: str, study: str = "moved") -> str:
    said = StringIO()
    call_command("export_study", study, path, *(options or ["--plain"]), stdout=said, stderr=said)
    return said.getvalue()


def begin_elsewhere() -> None:
    """Empty the database, and let another study of the new site have the first ids."""
    call_command("flush", interactive=False, verbosity=0)
    shutil.rmtree(settings.MEDIA_ROOT, ignore_errors=True)
    User.objects.create_user("zoe")
    other = make_study(3, slug="other")
    finish(start(other))


Rows = dict[str, list[dict[str, Any]]]


def describe(study: Study) -> Rows:
    """Return a study's rows with ranks in place of ids, and names in place of accounts."""
    ranks: dict[Any, dict[int, Any]] = {
        User: dict(User.objects.values_list("pk", "username")),
        Worker: dict(Worker.objects.values_list("pk", "worker_id")),
    }
    found = {}
    for model, path in find_tables().items():
        rows = list(find_rows(model, path, study))
        ranks[model] = {row.pk: n for n, row in enumerate(rows)}
        fields = [field for field in list_fields(model) if not field.primary_key]
        found[model._meta.label] = [
            {
                field.attname: value
                if field.related_model is None or value is None
                else ranks[field.related_model][value]
                for field in fields
                for value in [getattr(row, field.attname)]
            }
            for row in rows
        ]
    return found


def compare(before: Rows, after: Rows) -> None:
    """Assert that rows are equal but for what differs on purpose: the last entry of the log too."""
    assert after["surveys.AuditEntry"].pop()["action"] == "study.imported"
    for label, values in merge_mappings("moved_values").items():
        for row in before[label]:
            row |= {field_id(label, name): value for name, value in values.items()}
    for rows in (before, after):
        for run in rows["surveys.Run"]:
            run |= {name: Path(str(run[name])).name for name in ("archive", "ledger")}
        for job in rows["surveys.Job"]:
            assert job.pop("scope").startswith("study:")
        for payment in rows.get("crowd.Payment", ()):
            payment["grant_key"] = payment["grant_key"].rpartition(":")[0]
    assert after == before


def field_id(label: str, name: str) -> str:
    return apps.get_model(label)._meta.get_field(name).attname


def test_every_model_moves_stays_or_belongs_to_the_site():
    """Who adds a model decides here whether it belongs to a study."""
    ours = {
        model._meta.label
        for model in apps.get_models()
        if model.__module__.startswith("surveys.") and model._meta.app_label != "sharedtasks"
    }
    moving = {model._meta.label for model in find_tables()}

    assert ours - moving - {*STAYING} == OF_SITES
    assert not any(label.startswith("sharedtasks") for label in moving)
    for model in find_tables():
        others = {key.related_model for key in list_keys(model)}
        assert others <= {*find_tables(), *NAMED_BY}, model
        assert model._meta.many_to_many in ([], ()), model


def test_everything_arrives_and_figures_are_equal(tmp_path):
    study = judged_study()
    Webhook.objects.create(study=study, url="https://example.org", secret="s", events=[])
    Family.objects.create(slug="kin", title="Kin").studies.add(study)
    link = Invitation.objects.create(study=study, note="ben@example.org")
    request_results(study, QUICK, None)
    perform_all()
    before = describe(study)
    archive = Run.objects.get(study=study).archive.open().read()

    said = export(tmp_path / "study")
    begin_elsewhere()
    output = move(tmp_path / "study")

    moved = Study.objects.get(slug="moved")
    compare(before, describe(moved))
    assert sum(map(len, before.values())) > 50
    assert "e-mail addresses among them: 1" in said
    assert "Families it was in: kin" in output
    assert "New inactive accounts: ana" in output
    assert "warning: no active account owns the study" in output
    assert Invitation.objects.get(token=link.token).note == "ben@example.org"
    assert Run.objects.get(study=moved).archive.open().read() == archive
    assert Run.objects.get(study=moved).archive.name.startswith("runs/")
    request_results(moved, QUICK, None)
    perform_all()
    again = Run.objects.filter(study=moved).latest("pk")
    assert members(again.archive.open().read()) == members(archive)


def members(archive: bytes) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(archive)) as files:
        return {name.partition("/")[2]: files.read(name) for name in files.namelist()}


def test_second_looks_move(tmp_path):
    study = looking_study(slug="moved")
    answer_again(SecondAnswer.objects.order_by("pk")[0], Decimal(2))
    before = describe(study)
    export(tmp_path / "study")
    begin_elsewhere()

    move(tmp_path / "study")

    assert len(before["surveys.SecondAnswer"]) > 1
    compare(before, describe(Study.objects.get(slug="moved")))


@pytest.mark.needs("crowd")
def test_a_paid_batch_moves_without_its_approval(tmp_path):
    from tests.factories.batch_states import make_crowd

    study = make_study(4, slug="moved", ratings_per_context=10)
    make_crowd(study)
    before = describe(study)
    export(tmp_path / "study")
    begin_elsewhere()
    for number in range(9):  # its visits have the first ids
        Visit.objects.create(
            entrance=Entrance.objects.get_or_create(study=Study.objects.get())[0],
            worker=Worker.objects.create(provider="link", worker_id=str(number)),
        )

    move(tmp_path / "study")

    compare(before, describe(Study.objects.get(slug="moved")))
    payment = apps.get_model("crowd.Payment").objects.get()
    assert payment.visit_id > 9
    assert payment.grant_key == f"reward:{payment.visit_id}"


def perform_notes() -> None:
    """Write the journal, as jobs do."""
    for job in Job.objects.filter(kind=KIND).order_by("pk"):
        write_entries(job, lambda *_: None)


@pytest.mark.parametrize("is_own", [True, False])
def test_who_left_since_the_export_is_gone(tmp_path, place, is_own):
    study = make_study(2, slug="moved", ratings_per_context=4)
    left, erased, stayed = (start(study) for _ in range(3))
    for assignment in (left, erased, stayed):
        finish(assignment)
    link = Invitation.objects.create(study=study, note="ben@example.org")
    export(tmp_path / "study")
    withdraw_annotator(left.annotator)
    erase_annotator(erased.annotator, "asked by mail")
    forget_invitation(link, "asked by mail")
    perform_notes()
    begin_elsewhere()
    if not is_own:
        (place / "erasures").rename(tmp_path / "theirs")

    said = move(tmp_path / "study", new_links=True, journal=None if is_own else tmp_path / "theirs")

    assert "erased 1, forgotten 1, link 1, withdrawn 1" in said
    gone = Annotator.objects.filter(study__slug="moved", withdrawn_at__isnull=False)
    assert {*gone.values_list("code", flat=True)} == {left.annotator.code, erased.annotator.code}
    assert not Invitation.objects.filter(note="ben@example.org").exists()
    ratings = Response.objects.filter(assignment__study__slug="moved", rating__isnull=False)
    assert {*ratings.values_list("annotator__code", flat=True)} == {stayed.annotator.code}


def test_new_links_replace_all_old_links(tmp_path, client):
    study = make_study(2, slug="moved")
    assignment = start(study)
    page = reverse("annotate:next", args=[assignment.token])
    assert client.get(page).status_code == 302
    Entrance.objects.create(study=study)
    old = find_tokens()
    export(tmp_path / "study")
    begin_elsewhere()
    others = find_tokens()

    move(tmp_path / "study", new_links=True)

    assert len(old) == 3
    assert len(find_tokens() - others) == 3
    assert not find_tokens() & old
    assert client.get(page).status_code == 404
    assert Annotator.objects.filter(code=assignment.annotator.code).exists()


def find_tokens() -> set[str]:
    """Return the tokens of all links of the site."""
    models = (Invitation, Entrance, Assignment)
    return {token for model in models for token in model.objects.values_list("token", flat=True)}


def test_a_release_made_again_is_the_same(tmp_path):
    study = judged_study()
    release(study)
    made = release(study, ids_of=study.releases.get().pk)
    export(tmp_path / "study")
    begin_elsewhere()
    make_release(Study.objects.get(), report={"counts": {}})  # has the first id
    move(tmp_path / "study")

    moved = Study.objects.get(slug="moved")
    again = release(moved, ids_of=moved.releases.get(number=1).pk)

    assert Run.objects.get(study=moved, kind="release", number=2).request["ids_of"] == (
        moved.releases.get(number=1).pk
    )
    assert again == made


def release(study: Study, **options: Any) -> dict[str, bytes]:
    """Return the files of a new release."""
    made = request_release(study, QUICK, options, None)
    perform_all()
    return members(Run.objects.get(pk=made.pk).archive.open().read())


def refused(path: Path, **options: Any) -> str:
    """Return why a file is refused; nothing is left of it."""
    before = [model.objects.count() for model in (Study, Annotator, User, Job)]
    with pytest.raises(CommandError) as raised:
        move(path, **options)
    assert [model.objects.count() for model in (Study, Annotator, User, Job)] == before
    assert not [*path.parent.glob("files/runs/*")]
    return str(raised.value)


def test_a_name_that_is_taken_is_refused_and_can_be_changed(tmp_path):
    study = make_study(2, slug="moved")
    start(study)
    export(tmp_path / "study")

    assert "The name moved is taken here" in refused(tmp_path / "study")
    assert "are on this site already" in refused(tmp_path / "study", slug="copy")
    assert "cannot be a study's name" in refused(tmp_path / "study", slug="a b")
    begin_elsewhere()
    move(tmp_path / "study", slug="copy")
    assert Study.objects.get(slug="copy").annotators.count() == 1


def test_an_encrypted_study_needs_its_key(tmp_path, settings):
    make_study(2, slug="moved")
    key, other = (pyrage.x25519.Identity.generate() for _ in range(2))
    (tmp_path / "key").write_text(str(key))
    (tmp_path / "other").write_text(str(other))

    with pytest.raises(CommandError, match="name a public key of age"):
        export(tmp_path / "study", "--verbosity=1")
    with pytest.raises(CommandError, match="not a public key of age"):
        export(tmp_path / "study", "--recipient", "age1wrong")
    said = export(tmp_path / "study", "--recipient", str(key.to_public()))
    path = tmp_path / "study.age"
    assert "encrypted" in said
    assert path.read_bytes().startswith(b"age-encryption.org/v1")
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(CommandError, match="already exists"):
        export(tmp_path / "study", "--recipient", str(key.to_public()))
    settings.BACKUP_RECIPIENT = str(key.to_public())
    export(tmp_path / "second", "--verbosity=1")
    begin_elsewhere()

    assert "--identity" in refused(path)
    assert "cannot be decrypted" in refused(path, identity=tmp_path / "other")
    move(tmp_path / "second.age", identity=tmp_path / "key")
    assert Study.objects.filter(slug="moved").exists()


def rewrite(path: Path, changed: dict[str, bytes]) -> Path:
    """Write a file's parts again, some of them changed."""
    target = path.with_name("changed")
    with tarfile.open(path) as old, tarfile.open(target, "w:gz") as new:
        for entry in old:
            data = changed.get(entry.name, old.extractfile(entry).read())  # type: ignore[union-attr]
            entry.size = len(data)
            new.addfile(entry, io.BytesIO(data))
    return target


def test_a_damaged_or_foreign_file_is_refused(tmp_path):
    make_study(2, slug="moved")
    path = tmp_path / "study"
    export(path)
    begin_elsewhere()
    with tarfile.open(path) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))  # type: ignore[arg-type]
    (tmp_path / "short").write_bytes(path.read_bytes()[:-200])

    def altered(**changes: Any) -> Path:
        return rewrite(path, {"manifest.json": json.dumps(manifest | changes).encode()})

    assert "does not exist" in refused(tmp_path / "none")
    assert "damaged" in refused(tmp_path / "short")
    assert "damaged" in refused(rewrite(path, {"rows/surveys.Pair": b"[]\n"}))
    assert "damaged" in refused(altered(format=2))
    newer = [*manifest["migrations"], "surveys.9999_later"]
    assert "migration surveys.9999_later is on one site only" in refused(altered(migrations=newer))
    rows = manifest["rows"] | {"dreams.Dream": 1}
    assert "The study has rows of dreams: add it to APPS" in refused(altered(rows=rows))
    assert "The folder" in refused(path, journal=tmp_path / "none")
