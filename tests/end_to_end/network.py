"""A cable between the site and a server: it can be cut, and it can lead nowhere."""

import socket
from contextlib import suppress
from threading import Event, Thread
from typing import Self


class Cable:
    """A TCP proxy to a server that can be cut; a context manager.

    `hang` takes what is sent and passes nothing on; `cut` drops all and refuses new connections;
    `mend` lets new connections through.
    """

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self._server = (host, port)
        self._open: list[socket.socket] = []
        self._hangs = Event()
        self._listener = self._listen(0)
        self.port = int(self._listener.getsockname()[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.cut()

    def hang(self) -> None:
        """Take what is sent, and answer nothing."""
        self._hangs.set()

    def cut(self) -> None:
        """Drop every connection and refuse new ones."""
        _close(self._listener)
        while self._open:
            _close(self._open.pop())

    def mend(self) -> None:
        """Pass everything on again, over new connections."""
        self.cut()
        self._hangs.clear()
        self._listener = self._listen(self.port)

    def _listen(self, port: int) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", port))
        Thread(target=self._accept, args=(listener,), daemon=True).start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                self._open.append(near)
                if self._hangs.is_set():
                    continue
                far = socket.create_connection(self._server)
                self._open.append(far)
                Thread(target=self._pass_on, args=(near, far), daemon=True).start()
                Thread(target=self._pass_on, args=(far, near), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while sent := source.recv(65536):
                if not self._hangs.is_set():
                    target.sendall(sent)
        if not self._hangs.is_set():
            _close(source)
            _close(target)


def _close(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
