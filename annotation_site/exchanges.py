"""Exchanges with a WSGI application: a response is complete before it is sent."""

import logging
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, Any, cast
from wsgiref.types import WSGIApplication, WSGIEnvironment
from wsgiref.util import FileWrapper

SMALL_BODY = 64 * 1024  # bytes; a temporary file is in memory until it is larger
MAX_WHOLE_RESPONSE = 1024 * 1024  # bytes; longer ones are sent from a file

Head = tuple[int, list[tuple[bytes, bytes]]]

log = logging.getLogger(__name__)


class Refused(Exception):
    """A request that is refused without Django."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class Exchange:
    """A complete request and its response: bytes, or a file.

    `collect` is set if the application makes the response in pieces, which may take long. It must
    then be called, in any thread, before there is a content.
    """

    def __init__(self, application: WSGIApplication, environ: WSGIEnvironment) -> None:
        self.application = application
        self.environ = environ
        self.head: Head = (500, [])
        self.content: bytes | IO[bytes] = b""
        self.collect: Callable[[], None] | None = None

    def run(self) -> None:
        """Call the application in a thread."""
        chunks = self.application(self.environ, self._start_response)
        length = int(dict(self.head[1]).get(b"content-length", -1))
        if (
            0 <= length <= MAX_WHOLE_RESPONSE
            or isinstance(chunks, FileWrapper)
            or not getattr(chunks, "streaming", True)  # all of Django's others
        ):
            self._collect(chunks, length)
        else:
            self.collect = partial(copy_context().run, self._collect, chunks, length)

    def _start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: object = None, /
    ) -> Any:
        encoded = [
            (name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers
        ]
        self.head = int(status[:3]), encoded

    def _collect(self, chunks: Iterable[bytes], length: int) -> None:
        try:
            if 0 <= length <= MAX_WHOLE_RESPONSE:
                self.content = b"".join(chunks)
            elif self.environ["REQUEST_METHOD"] != "HEAD":
                self.content = _open_again(chunks, length) or self._store(chunks, length)
        finally:
            if hasattr(chunks, "close"):
                chunks.close()

    def _store(self, chunks: Iterable[bytes], length: int) -> bytes | IO[bytes]:
        """Return the content of a response in pieces. Raises Refused if the disk is full."""
        file = make_spool()
        try:
            for chunk in chunks:
                store(file, chunk)
            n_bytes = file.tell()
            store(file, b"", is_last=True)
            if n_bytes <= MAX_WHOLE_RESPONSE:
                with file:
                    return file.read()
        except BaseException:
            file.close()
            raise
        if length < 0:
            self.head[1].append((b"content-length", b"%d" % n_bytes))
        return file


def _open_again(chunks: Iterable[bytes], length: int) -> IO[bytes] | None:
    """Open the file to be sent, or return None if the response is not the end of a file."""
    if not isinstance(chunks, FileWrapper):
        return None
    with suppress(AttributeError, OSError):
        start, descriptor = chunks.filelike.tell(), chunks.filelike.fileno()
        if os.fstat(descriptor).st_size - start == length:
            file = os.fdopen(os.dup(descriptor), "rb")
            file.seek(start)
            return file
    return None


def make_spool() -> IO[bytes]:
    """Return a file for `store`."""
    return cast("IO[bytes]", SpooledTemporaryFile(SMALL_BODY))


def store(file: IO[bytes], chunk: bytes, *, is_last: bool = False) -> None:
    """Write to a temporary file; rewind it after the last chunk. Raises Refused if it fails."""
    try:
        file.write(chunk)
        if is_last:
            file.seek(0)
    except OSError as error:
        log.error("A temporary file cannot be written, so a request is refused: %s", error)
        with suppress(OSError):  # since closing writes, too
            file.close()
        raise Refused(HTTPStatus.SERVICE_UNAVAILABLE) from error
