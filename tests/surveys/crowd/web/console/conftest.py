import pytest
from django.db import transaction

from surveys.crowd.models import Batch
from tests.factories.batch_states import make_crowd
from tests.factories.studies import make_study
from tests.fixtures.providers import no_target_answers

__all__ = ["no_target_answers"]  # a fixture


@pytest.fixture(scope="module")
def crowd(django_db_setup, django_db_blocker):
    """A batch with visits of all statuses, created once; changes by a test are rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        make_crowd(make_study(4, block_size=2, ratings_per_context=8))
        yield
        transaction.set_rollback(True)


@pytest.fixture
def batch(crowd, db):
    return Batch.objects.get()
