import pytest
from django.test import Client

from tests.factories.clients import client_of


@pytest.fixture
def browser(ana) -> Client:
    return client_of(ana)
