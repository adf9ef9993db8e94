"""What the senders of drafts share, and the draft of a study as it is stored."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from surveys.results.deposit.client import Client
from surveys.results.deposit.steps import Step

Progress = Callable[[str, int, int], None]


class Draft(NamedTuple):
    """A draft in a repository: its id there, the address for its owner, and its DOI or ""."""

    remote_id: str
    url: str
    doi: str = ""


Keep = Callable[[Draft], None]


class Sender(Protocol):
    """Sends a release to a repository; twice does no harm."""

    @property
    def file_names(self) -> list[str]:
        """The files that the draft holds once it is sent."""

    def list_steps(self) -> list[Step]:
        """Return all requests that may be sent, in their order."""

    def send(self, client: Client, keep: Keep, progress: Progress) -> Draft:
        """Send the draft, and return it; `keep` stores it as soon as it is known."""
