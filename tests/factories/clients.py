"""Browsers of tests."""

from django.contrib.auth.models import User
from django.test import Client


def client_of(user: User | str) -> Client:
    """Return a client signed in as an account, which may be given by its name."""
    client = Client()
    client.force_login(user if isinstance(user, User) else User.objects.get(username=user))
    return client


def session_of(user: User | str) -> str:
    """Return the session of a new client signed in as an account."""
    return client_of(user).cookies["sessionid"].value
