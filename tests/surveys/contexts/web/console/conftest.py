import pytest
from django.contrib.auth.models import User
from django.test import Client


@pytest.fixture
def browser(ana) -> Client:
    return sign_in(ana)


def sign_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client
