"""Drafts at Zenodo, and at other repositories that run InvenioRDM, by its REST API.

Zenodo answers in its older format unless `Accept` names the newer one. The request that publishes a
draft is nowhere in this project.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from surveys.errors import DepositRefused, GatewayRefused
from surveys.results.deposit.client import MISSING, Client, pick
from surveys.results.deposit.contents import CARD, Contents
from surveys.results.deposit.drafts import Draft, Keep, Progress
from surveys.results.deposit.languages import name_language
from surveys.results.deposit.repositories import Repository
from surveys.results.deposit.steps import Content, Step

ACCEPT = {"Accept": "application/vnd.inveniordm.v1+json"}
BYTES = {"Content-Type": "application/octet-stream"}
COMPLETED = "completed"


class ZenodoSender:
    """Creates or updates the draft of a release at Zenodo."""

    def __init__(
        self, repository: Repository, contents: Contents, draft_id: str, earlier: Sequence[str]
    ) -> None:
        """`draft_id` names the study's draft there, "" for none; `earlier` are its files."""
        from postprocess.release.repositories.zenodo import describe_record

        self._base, self._draft_id = f"{repository.url}/api/records", draft_id
        self._host = repository.host
        self._files = (contents.archive, Content(CARD, contents.files[CARD]))
        self._removed = [name for name in earlier if name not in self.file_names]
        self._digest = contents.archive.sha256
        self._record = describe_record(
            contents.description,
            version=contents.version,
            language=name_language(contents.language),
            notes=f"Made with Cosima {contents.version} ({contents.name}). SHA-256 of "
            f"{contents.archive.name}: {self._digest}.",
        )
        self._draft = f"{self._base}/{{draft}}/draft"
        self._user = f"{repository.url}/api/user/records"

    def list_steps(self) -> list[Step]:
        """Return all requests that may be sent, in their order."""
        opening = [self._find(), self._create("unless there is one")]
        if self._draft_id:
            opening = [
                self._look(),
                self._look_published("only if the draft is gone"),
                self._create("only if it has been deleted"),
                self._update("if it is there"),
            ]
        of_files = [
            step
            for content in self._files
            for step in (
                self._delete(content.name, "only if the draft has another file of this name"),
                *self._upload(content),
            )
        ]
        removed = [self._delete(name, "if the draft has it") for name in self._removed]
        steps = [*opening, self._list_files(), *removed, *of_files, self._reserve()]
        if not self._draft_id:
            return steps
        return [replace(step, url=step.url.replace("{draft}", self._draft_id)) for step in steps]

    def send(self, client: Client, keep: Keep, progress: Progress) -> Draft:
        """Send the draft. `keep` stores it as soon as it is known. Raises as `Client.send`."""
        progress("opening the draft", 0, 1)
        record = self._open(client)
        draft = Draft(str(pick(record, "id")), self._find_url(record), _find_doi(record))
        keep(draft)
        self._send_files(client, draft, progress)
        if not draft.doi:
            reserved = client.send(self._reserve(), draft=draft.remote_id)
            draft = draft._replace(doi=_find_doi(reserved or {}))
            keep(draft)
        return draft

    @property
    def file_names(self) -> list[str]:
        return [content.name for content in self._files]

    def _open(self, client: Client) -> dict[str, Any]:
        """Return the study's draft, the draft of an interrupted attempt, or a new draft."""
        draft: dict[str, Any] | None
        if self._draft_id:
            draft = client.send(self._look(), accept=MISSING, draft=self._draft_id)
            published = self._look_published()
            if draft is None and client.send(published, accept=MISSING, draft=self._draft_id):
                raise DepositRefused(self._explain_published())
        else:
            draft = self._find_interrupted(client)
        if draft is None:
            created: dict[str, Any] = client.send(self._create())
            return created
        if draft.get("is_published"):
            raise DepositRefused(self._explain_published())
        updated: dict[str, Any] = client.send(
            self._update(pids=draft.get("pids")), draft=str(pick(draft, "id"))
        )
        return updated

    def _find_interrupted(self, client: Client) -> dict[str, Any] | None:
        """Return the draft of an attempt whose answer was lost: it names the archive's digest."""
        answer = client.send(self._find()) or {}
        hits: list[dict[str, Any]] = answer.get("hits", {}).get("hits", [])
        of_this = [hit for hit in hits if self._digest in str(hit.get("metadata"))]
        return next((hit for hit in of_this if not hit.get("is_published")), None)

    def _send_files(self, client: Client, draft: Draft, progress: Progress) -> None:
        listed = (client.send(self._list_files(), draft=draft.remote_id) or {}).get("entries", [])
        present = {pick(entry, "key"): entry for entry in listed}
        for name in self._removed:
            if name in present:
                client.send(self._delete(name), draft=draft.remote_id)
        for number, content in enumerate(self._files):
            progress("sending files", number, len(self._files))
            entry = present.get(content.name)
            if entry and _has_arrived(entry, content):
                continue
            if entry:
                client.send(self._delete(content.name), draft=draft.remote_id)
            *steps, last = self._upload(content)
            for step in steps:
                client.send(step, draft=draft.remote_id)
            if not _has_arrived(client.send(last, draft=draft.remote_id) or {}, content):
                raise GatewayRefused(
                    f"{content.name} did not arrive as it was sent. Try again to send it."
                )

    def _explain_published(self) -> str:
        return (
            f"The draft has been published at {self._host}, and this site does not change what is "
            "published. Create a new version there, and upload the archive by hand."
        )

    def _find_url(self, record: dict[str, Any]) -> str:
        url = str(record.get("links", {}).get("self_html", ""))
        origin = self._base.removesuffix("/api/records")
        return url if url.startswith(f"{origin}/") else f"{origin}/uploads/{record['id']}"

    def _find(self) -> Step:
        return Step(
            "Look for a draft of an interrupted attempt", "GET",
            f"{self._user}?q=%22{self._digest}%22&size=10", headers=ACCEPT,
        )  # fmt: skip

    def _create(self, when: str = "") -> Step:
        return Step("Create the draft", "POST", self._base, when, self._record, headers=ACCEPT)

    def _look(self) -> Step:
        return Step("Look at the study’s draft", "GET", self._draft, headers=ACCEPT)

    def _look_published(self, when: str = "") -> Step:
        url = self._draft.removesuffix("/draft")
        return Step("See whether it was published", "GET", url, when, headers=ACCEPT)

    def _update(self, when: str = "", *, pids: Any = None) -> Step:
        body = {**self._record, "pids": pids} if pids else self._record
        what = "Update the draft, whose DOI stays"
        return Step(what, "PUT", self._draft, when, body, headers=ACCEPT)

    def _list_files(self) -> Step:
        return Step("List the files of the draft", "GET", f"{self._draft}/files")

    def _delete(self, name: str, when: str = "") -> Step:
        return Step(f"Delete {name}", "DELETE", f"{self._draft}/files/{name}", when)

    def _upload(self, content: Content) -> tuple[Step, Step, Step]:
        files, when = f"{self._draft}/files", "unless it has arrived before"
        place = f"{files}/{content.name}"
        return (
            Step(f"Announce {content.name}", "POST", files, when, [{"key": content.name}]),
            Step(
                f"Send {content.name}", "PUT", f"{place}/content", when, content=content,
                headers=BYTES,
            ),
            Step(f"Complete {content.name}", "POST", f"{place}/commit", when),
        )  # fmt: skip

    def _reserve(self) -> Step:
        return Step(
            "Reserve a DOI", "POST", f"{self._draft}/pids/doi", "unless the draft has one",
            headers=ACCEPT,
        )  # fmt: skip


def _has_arrived(entry: dict[str, Any], content: Content) -> bool:
    is_complete = entry.get("status") == COMPLETED
    return is_complete and entry.get("checksum") == f"md5:{content.md5}"


def _find_doi(record: dict[str, Any]) -> str:
    return str((record.get("pids") or {}).get("doi", {}).get("identifier", ""))
