"""Entries of the log, and finding those of a study or a shared task."""

import pytest

from surveys.access.audit_log import acting, find_entries, record
from surveys.models import AuditEntry
from tests.factories.sharedtasks import make_shared_task
from tests.factories.studies import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.needs("sharedtasks")]


def test_an_entry_of_a_shared_task_is_found_with_it_alone():
    shared_task, study = make_shared_task(), make_study(1)

    with acting("a test"):
        record("team.excluded", shared_task, "Otters", reason="a@example.org")

    entry = AuditEntry.objects.get(action="team.excluded")
    assert (entry.study, entry.scope, entry.actor) == (
        None, f"sharedtask:{shared_task.pk}", "a test",
    )  # fmt: skip
    assert (entry.subject, "example.org" in entry.details["reason"]) == ("Otters", False)
    assert list(find_entries(shared_task, action="team.")) == [entry]
    assert entry not in find_entries(study)
