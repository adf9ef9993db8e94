"""The repositories at which this site may create drafts, from its settings."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.conf import settings

from surveys.errors import DepositRefused
from surveys.models import RepositoryKind


@dataclass(frozen=True)
class Repository:
    """A repository: its address, and the token with which drafts are created.

    `token_name` is the setting of the token, which replaces it where requests are shown.
    `storage_hosts` are further hosts to which files, but never the token, may be sent; `account`
    owns the drafts, if it is not the token's own.
    """

    kind: RepositoryKind
    url: str
    token: str = field(repr=False)
    token_name: str
    storage_hosts: tuple[str, ...] = ()
    account: str = ""

    @property
    def label(self) -> str:
        return self.kind.label

    @property
    def host(self) -> str:
        """The host with its port, if it is not the usual one."""
        return urlsplit(self.url).netloc


def list_repositories() -> list[Repository]:
    """Return the repositories for which a token is set."""
    repositories = (
        Repository(
            RepositoryKind.ZENODO, settings.ZENODO_URL, settings.ZENODO_TOKEN, "ZENODO_TOKEN"
        ),
        Repository(
            RepositoryKind.HUB,
            settings.HUGGING_FACE_URL,
            settings.HUGGING_FACE_TOKEN,
            "HUGGING_FACE_TOKEN",
            tuple(settings.HUGGING_FACE_STORAGE_HOSTS),
            settings.HUGGING_FACE_ACCOUNT,
        ),
    )
    return [repository for repository in repositories if repository.token]


def find_repository(kind: str) -> Repository:
    """Return a repository by its kind. Raises DepositRefused if no token is set for it."""
    for repository in list_repositories():
        if repository.kind == kind:
            return repository
    names = dict(RepositoryKind.choices)
    raise DepositRefused(
        f"Drafts at {names.get(kind, kind)} are off on this site. An operator can turn them on by "
        "setting a token (docs/settings.md)."
    )
