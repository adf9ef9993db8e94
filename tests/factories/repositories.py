"""Repositories on this machine that behave as the documentation of their APIs says.

`Zenodo` follows the REST API of InvenioRDM for drafts and files, `Hub` that of the Hugging Face
Hub, with a separate storage host. They record every request. `fail` makes the next one fail.
"""

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.files.base import ContentFile
from django.utils import timezone

from postprocess.release.assembling import Release as Built
from surveys.models import JobState, Release, RunKind, Study
from tests.factories.studies import make_run, make_study
from tests.postprocess.release import releases

TOKEN = "a-token-for-tests"
MODERN = "application/vnd.inveniordm.v1+json"
Answer = tuple[int, Any]
Served = TypeVar("Served", bound="Repository")


class Sent(NamedTuple):
    """A request that a repository received."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Repository:
    """A server that answers by `answer`, and records what it was sent."""

    def __init__(self) -> None:
        self.requests: list[Sent] = []
        self.failures: dict[tuple[str, str], Answer | None] = {}
        self.url = ""

    def fail(self, method: str, ending: str, status: int = 503, answer: Any = None) -> None:
        """Let the next request of a method, to a path with this ending, fail, unperformed."""
        self.failures[method, ending] = (status, answer or {"message": "later"})

    def lose(self, method: str, ending: str) -> None:
        """Let the answer to the next such request be lost, although it is performed."""
        self.failures[method, ending] = None

    def list_sent(self) -> list[str]:
        """Return the methods and addresses of all requests."""
        return [f"{sent.method} {self.url}{sent.path}" for sent in self.requests]

    def handle(self, sent: Sent) -> Answer | None:
        self.requests.append(sent)
        is_lost = False
        for (method, ending), failure in list(self.failures.items()):
            if sent.method == method and urlsplit(sent.path).path.endswith(ending):
                del self.failures[method, ending]
                if failure:
                    return failure
                is_lost = True
        answer = self.answer(sent)
        return None if is_lost else answer

    def answer(self, sent: Sent) -> Answer:
        raise NotImplementedError

    def is_known(self, sent: Sent) -> bool:
        return sent.headers.get("authorization") == f"Bearer {TOKEN}"


class Zenodo(Repository):
    """Drafts and their files."""

    def __init__(self) -> None:
        super().__init__()
        self.drafts: dict[str, dict[str, Any]] = {}
        self.files: dict[str, dict[str, dict[str, Any]]] = {}

    def answer(self, sent: Sent) -> Answer:
        if not self.is_known(sent):
            return 403, {"status": 403, "message": "Permission denied."}
        parts = urlsplit(sent.path)
        match [unquote(part) for part in parts.path.strip("/").split("/")]:
            case ["api", "user", "records"]:
                wanted = parse_qs(parts.query)["q"][0].strip('"')
                found = [draft for draft in self.drafts.values() if wanted in json.dumps(draft)]
                return 200, {"hits": {"hits": found, "total": len(found)}}
            case ["api", "records"]:
                return 201, self._show(self._create(json.loads(sent.body)), sent)
            case ["api", "records", record]:
                draft = self.drafts.get(record)
                return (200, draft) if draft and draft["is_published"] else (404, {})
            case ["api", "records", record, "draft", *rest]:
                draft = self.drafts.get(record)
                if draft is None or draft["is_published"]:
                    return 404, {"status": 404, "message": "The persistent identifier is unknown."}
                return self._answer_draft(draft, rest, sent)
        return 404, {}

    def _answer_draft(self, draft: dict[str, Any], rest: list[str], sent: Sent) -> Answer:
        files = self.files[draft["id"]]
        match sent.method, rest:
            case "GET", []:
                return 200, self._show(draft, sent)
            case "PUT", []:
                given = json.loads(sent.body)
                draft.update(metadata=given["metadata"], pids=given.get("pids", {}))
                return 200, self._show(draft, sent)
            case "POST", ["pids", "doi"]:
                doi = f"10.5281/zenodo.{draft['id']}"
                draft["pids"] = {"doi": {"identifier": doi, "provider": "datacite"}}
                return 201, self._show(draft, sent)
            case "GET", ["files"]:
                return 200, {"enabled": True, "entries": list(files.values())}
            case "POST", ["files"]:
                for one in json.loads(sent.body):
                    if one["key"] in files:
                        return 400, {"message": "File with this key already exists."}
                    files[one["key"]] = {"key": one["key"], "status": "pending"}
                return 201, {"entries": list(files.values())}
            case "PUT", ["files", name, "content"]:
                md5 = hashlib.md5(sent.body, usedforsecurity=False).hexdigest()
                files[name] |= {"size": len(sent.body), "checksum": f"md5:{md5}"}
                return 200, {**files[name]}
            case "POST", ["files", name, "commit"]:
                files[name]["status"] = "completed"
                return 200, files[name]
            case "DELETE", ["files", name]:
                del files[name]
                return 204, None
        return 404, {}

    def _create(self, given: dict[str, Any]) -> dict[str, Any]:
        number = f"{len(self.drafts) + 100}"
        html = f"{self.url}/uploads/{number}"
        draft = {"id": number, "is_published": False, "links": {"self_html": html}, "pids": {}}
        self.drafts[number] = {**draft, **given}
        self.files[number] = {}
        return self.drafts[number]

    def _show(self, draft: dict[str, Any], sent: Sent) -> dict[str, Any]:
        """Return a draft; in the older format unless the newer one is asked for, as Zenodo does."""
        if MODERN in sent.headers.get("accept", ""):
            return draft
        return {"id": int(draft["id"]), "metadata": {"title": draft["metadata"]["title"]}}


class Storage(Repository):
    """A host for the files that the Hub stores as objects; it takes no token."""

    def __init__(self) -> None:
        super().__init__()
        self.objects: dict[str, bytes] = {}

    def answer(self, sent: Sent) -> Answer:
        oid = urlsplit(sent.path).path.rpartition("/")[2]
        if "authorization" in sent.headers or "Signature" not in sent.path:
            return 400, {}
        if hashlib.sha256(sent.body).hexdigest() != oid:
            return 400, {}
        self.objects[oid] = sent.body
        return 200, None


class Hub(Repository):
    """Dataset repositories of the account ana."""

    def __init__(self, storage: Storage) -> None:
        super().__init__()
        self.storage = storage
        self.repositories: dict[str, dict[str, Any]] = {}
        self.commits: list[str] = []

    def answer(self, sent: Sent) -> Answer:
        if not self.is_known(sent):
            return 401, {"error": "Invalid username or password."}
        match unquote(urlsplit(sent.path).path).strip("/").split("/"):
            case ["api", "whoami-v2"]:
                return 200, {"type": "user", "name": "ana"}
            case ["api", "repos", "create"]:
                return self._create(json.loads(sent.body))
            case ["api", "datasets", account, name]:
                return self._look(f"{account}/{name}")
            case ["api", "datasets", account, name, "preupload", "main"]:
                return 200, {"files": [_choose(one) for one in json.loads(sent.body)["files"]]}
            case ["datasets", account, name, "info", "lfs", "objects", "batch"]:
                assert name.endswith(".git")
                return 200, {"objects": [self._place(o) for o in json.loads(sent.body)["objects"]]}
            case ["datasets", account, name, "verify"]:
                oid = json.loads(sent.body)["oid"]
                return (200, {}) if oid in self.storage.objects else (404, {"error": "no object"})
            case ["api", "datasets", account, name, "commit", "main"]:
                return self._commit(f"{account}/{name}", sent.body)
        return 404, {"error": "Not found"}

    def _create(self, wanted: dict[str, Any]) -> Answer:
        name = f"{wanted.get('organization') or 'ana'}/{wanted['name']}"
        if name in self.repositories:
            return 409, {"error": "You already created this dataset repo"}
        private = wanted.get("visibility") == "private"
        self.repositories[name] = {"private": private, "files": {".gitattributes": b"lfs"}}
        return 200, {"url": f"{self.url}/datasets/{name}", "name": name}

    def _look(self, name: str) -> Answer:
        found = self.repositories.get(name)
        if found is None:
            return 404, {"error": "Repository not found"}
        siblings = [{"rfilename": path} for path in found["files"]]
        return 200, {"id": name, "private": found["private"], "siblings": siblings}

    def _place(self, wanted: dict[str, Any]) -> dict[str, Any]:
        if wanted["oid"] in self.storage.objects:
            return wanted  # no actions: it is there
        upload = f"{self.storage.url}/objects/{wanted['oid']}?X-Amz-Signature=1%2F{{2}}"
        verify = f"{self.url}/datasets/ana/any/verify"
        return {**wanted, "actions": {"upload": {"href": upload}, "verify": {"href": verify}}}

    def _commit(self, name: str, body: bytes) -> Answer:
        files = dict(self.repositories[name]["files"])
        for line in map(json.loads, body.splitlines()):
            value = line["value"]
            match line["key"]:
                case "header":
                    self.commits.append(value["summary"])
                case "file":
                    files[value["path"]] = base64.b64decode(value["content"])
                case "lfsFile":
                    if value["oid"] not in self.storage.objects:
                        return 400, {"error": f"LFS pointer to a missing object: {value['path']}"}
                    files[value["path"]] = self.storage.objects[value["oid"]]
                case "deletedFile":
                    del files[value["path"]]
        self.repositories[name]["files"] = files
        return 200, {"success": True, "commitOid": "1" * 40}


def _choose(file: dict[str, Any]) -> dict[str, Any]:
    """Return how the Hub stores a file: Parquet, pictures and large files as objects."""
    is_large = file["path"].endswith((".parquet", ".pdf", ".png")) or file["size"] > 10_000_000
    return {**file, "uploadMode": "lfs" if is_large else "regular", "shouldIgnore": False}


@contextmanager
def serve(repository: Served) -> Iterator[Served]:
    """Serve a repository on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(length)
            answer = repository.handle(Sent(self.command, self.path, headers, body))
            if answer is None:
                self.close_connection = True
                return
            status, found = answer
            content = b"" if found is None else json.dumps(found).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            self.do_GET()

        def do_PUT(self) -> None:
            self.do_GET()

        def do_DELETE(self) -> None:
            self.do_GET()

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        repository.url = f"http://127.0.0.1:{server.server_port}"
        yield repository
        server.shutdown()


def make_complete_release(
    study: Study | None = None, made: Built | None = None, **fields: Any
) -> Release:
    """Return a verified release of a complete description, with its stored archive."""
    study, made = study or make_study(2), made or releases.release()
    number = Release.objects.count() + 1
    verified = {"verified_at": timezone.now(), "n_figures": 9, "n_differences": 0}
    release = Release.objects.create(
        study=study, number=number, collected_at=timezone.now(),
        report=made.dataset.report, **{**verified, **fields},
    )  # fmt: skip
    run = make_run(
        study, RunKind.RELEASE, number=number, state=JobState.DONE, recipe="name = 'raw'\n",
        report=release.report, release=release,
    )  # fmt: skip
    run.archive.save(f"words_sl_{number}.zip", ContentFile(made.archive))
    return release
