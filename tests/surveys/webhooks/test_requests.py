"""Permitted addresses and time limits of webhook requests, with real sockets on this machine."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from threading import Event, Thread

import pytest

from surveys.errors import WebhookRefused
from surveys.webhooks.hosts import is_public, may_connect, refuse_url
from surveys.webhooks.requests import NotReached, post

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
SOON = 0.5  # seconds, in place of ten


class Listener:
    """A server on a loopback address that treats all connections alike."""

    def __init__(self, act, address: str = "127.0.0.1") -> None:
        self.act, self.n_connections, self.heard, self.stopped = act, 0, b"", Event()
        self.socket = socket.create_server((address, 0))
        self.port = self.socket.getsockname()[1]
        self.thread = Thread(target=self.serve)

    def serve(self) -> None:
        while not self.stopped.is_set():
            connection, _ = self.socket.accept()
            with connection:
                if not self.stopped.is_set():
                    self.n_connections += 1
                    self.act(self, connection)

    def stop(self) -> None:
        self.stopped.set()
        with socket.create_connection(self.socket.getsockname()):
            self.thread.join()
        self.socket.close()


@contextmanager
def listening(act, address: str = "127.0.0.1") -> Iterator[Listener]:
    listener = Listener(act, address)
    listener.thread.start()
    try:
        yield listener
    finally:
        listener.stop()


def take(listener, connection):
    listener.heard += connection.recv(65536)
    connection.sendall(ANSWER)


def drip(listener, connection):
    """Send an endless header, one byte at a time, until the client disconnects."""
    try:
        connection.sendall(b"HTTP/1.1 200 OK\r\nX-Drip: ")
        while not listener.stopped.wait(0.02):
            connection.sendall(b"x")
    except OSError:
        pass


def stay_silent(listener, connection):
    while connection.recv(65536):  # until the other side gives up
        pass


def reset(listener, connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def send(url, **options):
    return post(url, b"{}", {"Content-Type": "application/json"}, **options)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.8.9.1", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1",  # noqa: S104
     "169.254.169.254", "192.0.0.8", "192.88.99.1", "198.18.0.1", "203.0.113.1", "224.0.1.1",
     "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8",
     "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001::1", "2001:db8::1", "fe80::1",
     "fec0::1", "fd00:ec2::254", "ff02::1", "ff0e::1", "5f00::1"],
)  # fmt: skip
def test_private_addresses_are_refused(address, settings):
    url = f"https://[{address}]/" if ":" in address else f"https://{address}/"

    assert not is_public(ip_address(address))
    assert not may_connect("lab.example.org", address)
    with pytest.raises(WebhookRefused):
        refuse_url(url)
    with pytest.raises(NotReached):
        send(url, seconds=SOON)


@pytest.mark.parametrize("hosts", [[], ["10.0.0.0/8"]])
@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "127.1", "127.1.", "8.8"])
def test_addresses_in_other_notations_are_refused_when_added(host, hosts, settings):
    settings.WEBHOOK_HOSTS = hosts

    with pytest.raises(WebhookRefused, match="sends nothing to"):
        refuse_url(f"https://{host}/")


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111"])
def test_public_addresses_are_permitted(address):
    assert may_connect("lab.example.org", address)


@pytest.mark.parametrize("host", ["localhost", "127.1", "0x7f000001", "2130706433", "LOCALHOST."])
def test_post_refuses_names_of_this_machine(host):
    with listening(take) as listener, pytest.raises(NotReached):
        send(f"http://{host}:{listener.port}/")

    assert listener.n_connections == 0


@pytest.mark.parametrize("listed", ["localhost", "127.0.0.0/8"])
def test_post_reaches_a_listed_host_or_network(listed, settings):
    settings.WEBHOOK_HOSTS = [listed]

    with listening(take) as listener:
        url = f"http://localhost:{listener.port}/a?b=c"
        status = send(url, resolver=lambda host, port: ["127.0.0.1"])

    assert status == 200
    assert listener.heard.startswith(b"POST /a?b=c HTTP/1.1\r\n")
    assert f"Host: localhost:{listener.port}\r\n".encode() in listener.heard


def test_unlisted_hosts_are_refused_if_hosts_are_listed(settings):
    settings.WEBHOOK_HOSTS = ["lab.example.org", "10.0.0.0/8"]

    assert not may_connect("other.example.org", "8.8.8.8")
    assert not may_connect("other.example.org", "127.0.0.1")
    assert may_connect("other.example.org", "10.1.2.3")
    assert may_connect("lab.example.org", "8.8.8.8")
    for url in ("https://8.8.8.8/", "http://other.example.org/", "https://127.0.0.1/"):
        with pytest.raises(WebhookRefused):
            refuse_url(url)
    for url in ("http://10.1.2.3/", "http://lab.example.org/", "https://other.example.org/"):
        refuse_url(url)


def test_post_resolves_a_name_once_and_connects_to_the_checked_address(settings):
    """A second DNS answer after the check would bypass it."""
    settings.WEBHOOK_HOSTS = ["127.0.0.2/32"]
    answers = [["127.0.0.2"], ["127.0.0.1"]]

    with listening(take) as inside, listening(take, "127.0.0.2") as outside:
        with pytest.raises(NotReached):
            send(f"http://host.test:{inside.port}/", resolver=lambda host, port: answers.pop(0))
        assert send(f"http://h.test:{outside.port}/", resolver=lambda h, p: ["127.0.0.2"]) == 200

    assert (inside.n_connections, outside.n_connections, len(answers)) == (0, 1, 1)


def test_post_refuses_a_name_if_one_of_its_addresses_is_not_permitted(settings):
    settings.WEBHOOK_HOSTS = ["127.0.0.2/32"]

    addresses = ["127.0.0.2", "127.0.0.1"]

    with listening(take, "127.0.0.2") as listener, pytest.raises(NotReached):
        send(f"http://host.test:{listener.port}/", resolver=lambda host, port: addresses)

    assert listener.n_connections == 0


def test_post_sends_the_name_in_tls(settings):
    settings.WEBHOOK_HOSTS = ["127.0.0.0/8"]
    asked = []

    def shake_hands(listener, connection):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.sni_callback = lambda tls, name, context: asked.append(name)
        with pytest.raises(ssl.SSLError):
            context.wrap_socket(connection, server_side=True)  # it has no certificate

    with listening(shake_hands) as listener, pytest.raises(NotReached):
        send(f"https://lab.example.org:{listener.port}/", resolver=lambda host, port: ["127.0.0.1"])

    assert asked == ["lab.example.org"]


@pytest.mark.parametrize("act", [drip, stay_silent])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_post_ends_at_the_time_limit(settings, act, scheme):
    """The limit is not per read, which slow responses would never reach."""
    settings.WEBHOOK_HOSTS = ["127.0.0.1"]

    with listening(act) as listener, pytest.raises(NotReached):
        send(f"{scheme}://127.0.0.1:{listener.port}/", seconds=SOON)

    assert listener.n_connections == 1


def test_post_ends_at_the_time_limit_while_resolving():
    asked, over = Event(), Event()

    def look_up(host, port):
        asked.set()
        over.wait()
        return []

    with pytest.raises(NotReached):
        send("https://lab.example.org/", seconds=SOON, resolver=look_up)

    assert asked.is_set()
    over.set()


@pytest.mark.parametrize("act", [reset, lambda listener, connection: connection.sendall(b"SSH")])
def test_post_gives_no_reason_for_an_invalid_response(settings, act):
    settings.WEBHOOK_HOSTS = ["127.0.0.1"]

    with listening(act) as listener, pytest.raises(NotReached) as raised:
        send(f"http://127.0.0.1:{listener.port}/")

    assert str(raised.value) == ""
