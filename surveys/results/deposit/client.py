"""Requests to a repository: to its own hosts alone, without redirects, and errors with advice.

The token is sent to the repository's own address only, and is in no message.
"""

import json
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlsplit

import httpx

from surveys.errors import GatewayDown, GatewayRefused
from surveys.results.deposit.repositories import Repository
from surveys.results.deposit.steps import JSON, Step

TIMEOUT = httpx.Timeout(60, connect=10)
UNAUTHORISED = {401, 403}
MISSING = frozenset({404, 410})
LATER = {408, 425, 429}  # and all 5xx
LOOPBACK = {"127.0.0.1", "localhost", "::1"}  # a repository on this machine, for trials
LONGEST_REASON = 500  # characters of a repository's own words
ADDRESS = "address"
LINES = "application/x-ndjson"


class Client:
    """Sends the steps of a deposit; a context manager."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._origin = _find_origin(repository.url)
        self._http = httpx.Client(timeout=TIMEOUT, follow_redirects=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._http.close()

    def send(self, step: Step, *, accept: frozenset[int] = frozenset(), **names: str) -> Any:
        """Send a step and return the JSON of its answer, or None without one.

        `names` replace those in braces in the URL; `address` is a whole URL. With an answer whose
        status is in `accept` the result is None, too.

        Raises
        ------
        GatewayDown
            No answer, or one that says to try later.
        GatewayRefused
            The repository refuses the request, or it would go to another host.
        """
        url = _fill(step.url, names)
        self._refuse_other_host(url, has_token=step.has_token)
        try:
            answer = self._http.request(
                step.method,
                url,
                content=_write_body(step),
                headers={**_name_type(step), **step.list_headers(self._repository.token)},
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise GatewayDown(
                f"{self._repository.host} does not respond ({type(error).__name__}). Nothing was "
                "published. Try again later: files that have arrived are not sent again."
            ) from error
        if answer.status_code in accept:
            return None
        self._refuse_failure(step, answer)
        return _read_json(answer)

    def _refuse_other_host(self, url: str, *, has_token: bool) -> None:
        if _find_origin(url) == self._origin:
            return
        host = urlsplit(url).hostname or ""
        is_safe = urlsplit(url).scheme == "https" or host in LOOPBACK
        if has_token or not is_safe or host not in self._repository.storage_hosts:
            raise GatewayRefused(
                f"{self._repository.host} asks to send a file to {host}, which is not among the "
                "hosts that Cosima knows. Update Cosima, or upload the release by hand."
            )

    def _refuse_failure(self, step: Step, answer: httpx.Response) -> None:
        """Raise the error of an answer without success, in the repository's words, with advice."""
        status, host = answer.status_code, self._repository.host
        if answer.is_success:
            return
        reason = _read_reason(answer).replace(self._repository.token, self._repository.token_name)
        if status >= 500 or status in LATER:
            raise GatewayDown(
                f"{host} cannot take the draft now ({status}{reason}). Nothing was published. Try "
                "again later: files that have arrived are not sent again."
            )
        if status in UNAUTHORISED and step.has_token:
            advice = (
                f"Ask an operator whether {self._repository.token_name} is a valid token of this "
                "host that may write (docs/releases.md)."
            )
        else:
            advice = "Correct what it names, such as an entry of the description, and try again."
        raise GatewayRefused(
            f"{host} refused to {step.purpose[:1].lower()}{step.purpose[1:]} ({status}{reason}). "
            f"{advice}"
        )


def pick(answer: Any, name: str) -> Any:
    """Return an entry of an answer. Raises GatewayRefused if the answer has none of this name."""
    if isinstance(answer, dict) and name in answer:
        return answer[name]
    raise GatewayRefused(
        f"The repository does not answer as its documentation says: no {name}. Update Cosima, or "
        "upload the release by hand."
    )


def _fill(url: str, names: dict[str, str]) -> str:
    for name, text in names.items():
        url = url.replace(f"{{{name}}}", text if name == ADDRESS else quote(text, safe="/"))
    return url


def _find_origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port


def _write_body(step: Step) -> bytes | None:
    if step.content:
        return step.content.data
    if step.lines:
        return b"".join(json.dumps(line).encode() + b"\n" for line in step.lines)
    return None if step.body is None else json.dumps(step.body).encode()


def _name_type(step: Step) -> dict[str, str]:
    if step.lines:
        return {"Content-Type": LINES}
    return {} if step.body is None else {"Content-Type": JSON}


def _read_json(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None


def _read_reason(answer: httpx.Response) -> str:
    """Return what a repository says of a failure, as the end of a parenthesis; "" for nothing.

    InvenioRDM sends `message` and `errors`, the Hub `error`.
    """
    body = _read_json(answer)
    if not isinstance(body, dict):
        return ""
    texts = [body.get("message") or body.get("error") or ""]
    errors = body.get("errors")
    for error in errors if isinstance(errors, list) else []:
        if isinstance(error, dict):
            messages = error.get("messages") or [error.get("message", "")]
            texts.append(f"{error.get('field', '')}: {' '.join(map(str, messages))}")
    reason = "; ".join(" ".join(str(text).split()) for text in texts if text)[:LONGEST_REASON]
    return f": {reason}" if reason else ""
