"""Backups at their place: which are kept, their encryption, and the journal beside them."""

from datetime import UTC, datetime, timedelta
from io import StringIO

import pyrage
import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from surveys.models import Annotator, Invitation, Job
from surveys.operations.backups.store import choose_expired, list_backups
from surveys.privacy.erasure import erase_annotator, forget_invitation, withdraw_annotator
from surveys.privacy.journal import KIND, Deed, digest_of
from surveys.privacy.replay import read_journal, repeat_erasures, write_entries
from tests.factories.studies import finish, make_study, start, stored

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
instants = st.integers(0, 20_000).map(lambda hours: NOW - timedelta(hours=hours))


def daily(n_days: int) -> dict[str, datetime]:
    return {str(n): NOW - timedelta(days=n) for n in range(n_days)}


def test_seven_days_four_weeks_and_twelve_months_are_kept():
    made = daily(800)

    kept = {name for name in made if name not in choose_expired(made, NOW)}

    assert {*map(str, range(7))} <= kept
    ages = sorted(map(int, kept))
    assert 7 + 2 + 9 <= len(ages) <= 7 + 4 + 12
    assert 300 < ages[-1] < 366


@given(st.sets(instants, min_size=1))
def test_the_newest_is_always_kept_and_choosing_again_deletes_nothing_more(instants):
    made = {instant.isoformat(): instant for instant in instants}

    kept = {name: at for name, at in made.items() if name not in choose_expired(made, NOW)}

    assert max(made.values()) in kept.values()
    assert choose_expired(kept, NOW) == []


def test_no_backup_is_older_than_a_study_promises():
    made = daily(400)

    expired = choose_expired(made, NOW, longest=timedelta(days=60))

    assert max(int(name) for name in made if name not in expired) <= 60
    assert choose_expired({"old": made["399"]}, NOW, longest=timedelta(days=60)) == []


@pytest.mark.every_database
@pytest.mark.django_db(transaction=True)
def test_an_encrypted_backup_needs_its_key(settings, place, tmp_path):
    make_study(1)
    key, other = (pyrage.x25519.Identity.generate() for _ in range(2))
    settings.BACKUP_RECIPIENT = str(key.to_public())
    (tmp_path / "key").write_text(f"# of the lab\n{key}\n")
    (tmp_path / "other").write_text(f"{other}\n")
    call_command("backup", stdout=StringIO())
    (name,) = list_backups()

    assert name.endswith(".tar.gz.age")
    assert (place / name).read_bytes().startswith(b"age-encryption.org/v1")
    assert "could be restored" in check(name, identity=tmp_path / "key")
    with pytest.raises(CommandError, match="is encrypted: name the file of the key by --identity"):
        check(name)
    for wrong in ("other", "missing"):
        with pytest.raises(CommandError, match="cannot be decrypted with"):
            check(name, identity=tmp_path / wrong)
    with pytest.raises(CommandError, match=r"The backup \.\./key does not exist"):
        check("../key")


def check(name: str, **options: object) -> str:
    said = StringIO()
    call_command("restore", name, check=True, stdout=said, **options)
    return said.getvalue()


def perform_notes() -> None:
    for job in Job.objects.filter(kind=KIND).order_by("pk"):
        for _ in range(2):  # as after the death of a process
            write_entries(job, lambda *_: None)


@pytest.mark.every_database
@pytest.mark.django_db
def test_what_was_withdrawn_and_erased_is_so_again_after_an_old_state_returns(place):
    study = make_study(2, ratings_per_context=4)
    left, erased, stayed = (start(study) for _ in range(3))
    for assignment in (left, erased, stayed):
        finish(assignment)
    link = Invitation.objects.create(study=study, note="ana@example.org")
    gone = Annotator.objects.filter(pk__in=[left.annotator_id, erased.annotator_id])
    before = list(gone.values())
    withdraw_annotator(left.annotator)
    erase_annotator(erased.annotator, "asked by mail")
    forget_invitation(link, "asked by mail")
    perform_notes()
    (place / "erasures" / "20260101T000000Z-0.txt").write_text("withdr")  # its writer was killed

    assert {*read_journal()} == {
        (Deed.WITHDRAWN, left.annotator.code), (Deed.ERASED, erased.annotator.code),
        (Deed.FORGOTTEN, erased.annotator.code), (Deed.LINK, digest_of(link.token)),
    }  # fmt: skip
    written = "".join(path.read_text() for path in (place / "erasures").iterdir())
    for secret in ("ana@example.org", link.token, left.token):
        assert secret not in written

    for row in before:  # the state of a backup
        Annotator.objects.filter(pk=row["id"]).update(**row)
    Invitation.objects.filter(pk=link.pk).update(note="ana@example.org", note_digest="")
    done = repeat_erasures()

    assert done == {Deed.WITHDRAWN: 1, Deed.ERASED: 1, Deed.FORGOTTEN: 1, Deed.LINK: 1}
    assert all(stored(a.annotator, "withdrawn_at")[0] for a in (left, erased))
    assert stored(erased.annotator, "erased_at")[0]
    assert stored(stayed.annotator, "withdrawn_at") == (None,)
    assert stored(link, "note") == ("",)
