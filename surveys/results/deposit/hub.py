"""Drafts at the Hugging Face Hub: a private dataset repository, filled by one commit.

Files are sent only after the Hub has said that the repository is private. Making it public is left
to its owner.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from surveys.errors import DepositRefused, GatewayRefused
from surveys.results.deposit.client import Client, pick
from surveys.results.deposit.contents import Contents
from surveys.results.deposit.drafts import Draft, Keep, Progress
from surveys.results.deposit.repositories import Repository
from surveys.results.deposit.steps import Content, Step

EXISTS = frozenset({409})
LFS = "application/vnd.git-lfs+json"
OF_THE_HUB = {".gitattributes"}  # files of a new repository
LARGE = "lfs"
BRANCH = "main"


class HubSender:
    """Creates or updates the private repository of a dataset at the Hub."""

    def __init__(
        self, repository: Repository, contents: Contents, dataset_id: str, earlier: Sequence[str]
    ) -> None:
        """`dataset_id` names the study's repository there, "" for none; `earlier` are its files."""
        self._repository, self._is_new, self._name = repository, not dataset_id, contents.name
        self._files = contents.files
        self._removed = [path for path in earlier if path not in contents.files]
        dataset = dataset_id or f"{repository.account}/{contents.stem}"
        self._account, _, self._short = dataset.partition("/")
        self._of_dataset = f"{repository.url}/api/datasets/{{dataset}}"

    @property
    def file_names(self) -> list[str]:
        return list(self._files)

    def list_steps(self) -> list[Step]:
        """Return all requests that may be sent, in their order."""
        account = self._account or "{account}"
        contents = self._list_contents()
        steps = [
            *([] if self._account else [self._find_account()]),
            self._create(account, "unless it exists"),
            self._look(),
            self._ask_modes(),
            self._ask_for_objects(contents),
            *(self._send_object(content, "{address}", {}) for content in contents),
            self._commit(()),
        ]
        dataset = f"{account}/{self._short}"
        return [replace(step, url=step.url.replace("{dataset}", dataset)) for step in steps]

    def send(self, client: Client, keep: Keep, progress: Progress) -> Draft:
        """Send the draft. `keep` stores it once it is known to be private."""
        progress("opening the repository", 0, 1)
        account = self._account or str(pick(client.send(self._find_account()), "name"))
        dataset = f"{account}/{self._short}"
        is_new = client.send(self._create(account), accept=EXISTS) is not None
        self._refuse_other(client.send(self._look(), dataset=dataset), is_new=is_new)
        draft = Draft(dataset, f"{self._repository.url}/datasets/{dataset}")
        keep(draft)
        objects = self._find_objects(client, dataset)
        self._send_objects(client, dataset, objects, progress)
        progress("sending the other files", 0, 1)
        client.send(self._commit(objects), dataset=dataset)
        return draft

    def _refuse_other(self, dataset: Any, *, is_new: bool) -> None:
        """Raise DepositRefused for a public repository, or one with files from elsewhere."""
        where = f"{self._repository.host}/datasets/{pick(dataset, 'id')}"
        if dataset.get("private") is not True:
            raise DepositRefused(
                f"{where} is public, and this site does not change what is published. Upload the "
                "files there by hand, or give the dataset another name in its description."
            )
        present = {pick(file, "rfilename") for file in dataset.get("siblings") or []}
        if self._is_new and not (is_new or present <= OF_THE_HUB):
            raise DepositRefused(
                f"{where} exists and contains files that are not from this study. Rename or delete "
                "it there, or give the dataset another name in its description."
            )

    def _find_objects(self, client: Client, dataset: str) -> set[str]:
        """Return the paths of files that the Hub stores as objects, which empty files cannot be."""
        answer = client.send(self._ask_modes(), dataset=dataset)
        modes = {pick(file, "path"): pick(file, "uploadMode") for file in pick(answer, "files")}
        return {path for path, data in self._files.items() if data and modes.get(path) == LARGE}

    def _send_objects(
        self, client: Client, dataset: str, objects: Collection[str], progress: Progress
    ) -> None:
        """Upload the files that the Hub stores as objects, unless it has them."""
        contents = [content for content in self._list_contents() if content.name in objects]
        if not contents:
            return
        answer = client.send(self._ask_for_objects(contents), dataset=dataset)
        places = {pick(place, "oid"): place for place in pick(answer, "objects")}
        for number, content in enumerate(contents):
            progress("sending files", number, len(contents))
            place = places.get(content.sha256, {})
            if error := place.get("error"):
                raise GatewayRefused(
                    f"{self._repository.host} refused {content.name} ({error.get('message', '')}). "
                    "Try again later, or upload the release by hand."
                )
            actions = place.get("actions") or {}  # none: the Hub has the file
            if upload := actions.get("upload"):
                address, headers = pick(upload, "href"), upload.get("header") or {}
                client.send(self._send_object(content, "{address}", headers), address=address)
            if confirm := actions.get("verify"):
                client.send(self._confirm_object(content), address=pick(confirm, "href"))

    def _list_contents(self) -> list[Content]:
        return [Content(path, data) for path, data in self._files.items()]

    def _find_account(self) -> Step:
        return Step("Find the account of the token", "GET", f"{self._repository.url}/api/whoami-v2")

    def _create(self, account: str, when: str = "") -> Step:
        owner = {"organization": account} if self._repository.account else {}
        body = {"type": "dataset", "name": self._short, **owner, "visibility": "private"}
        url = f"{self._repository.url}/api/repos/create"
        return Step("Create the private repository", "POST", url, when, body)

    def _look(self) -> Step:
        return Step("See whether it is private", "GET", self._of_dataset)

    def _ask_modes(self) -> Step:
        from postprocess.release.repositories.hub import describe_upload

        url = f"{self._of_dataset}/preupload/{BRANCH}"
        return Step("Ask how each file is stored", "POST", url, body=describe_upload(self._files))

    def _ask_for_objects(self, contents: Sequence[Content]) -> Step:
        body = {
            "operation": "upload",
            "transfers": ["basic"],
            "hash_algo": "sha256",
            "ref": {"name": BRANCH},
            "objects": [{"oid": content.sha256, "size": content.size} for content in contents],
        }
        return Step(
            "Ask where large and binary files go", "POST",
            f"{self._repository.url}/datasets/{{dataset}}.git/info/lfs/objects/batch",
            "with those that the Hub stores as objects", body,
            headers={"Accept": LFS, "Content-Type": LFS},
        )  # fmt: skip

    def _send_object(self, content: Content, url: str, headers: dict[str, str]) -> Step:
        return Step(
            f"Send {content.name}", "PUT", url,
            "if the Hub stores it as an object and does not have it; to the address that it gives",
            content=content, headers=headers, has_token=False,
        )  # fmt: skip

    def _confirm_object(self, content: Content) -> Step:
        body = {"oid": content.sha256, "size": content.size}
        return Step(f"Confirm {content.name}", "POST", "{address}", body=body)

    def _commit(self, objects: Collection[str]) -> Step:
        from postprocess.release.repositories.hub import list_lines

        lines = list_lines(
            self._files, f"Add {self._name}", objects=objects, removed=self._removed
        )  # fmt: skip
        url = f"{self._of_dataset}/commit/{BRANCH}"
        return Step("Add the files, in one commit", "POST", url, lines=tuple(lines))
