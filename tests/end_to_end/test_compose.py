"""The processes of `compose.yaml`, started by its commands and environment without containers."""

import os
import re
import secrets
import shlex
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from django.conf import settings
from django.db import connection

from tests.end_to_end.annotators import PATIENCE_SECONDS
from tests.end_to_end.databases import free_port, fresh_database
from tests.end_to_end.site import Site
from tests.end_to_end.test_background import ASKED, run_code, wait_for
from tests.end_to_end.workers import wait_until
from tests.machine import ROOT
from tests.test_container import Service, instructions, read_services

pytestmark = [
    pytest.mark.every_database,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="compose.yaml has PostgreSQL"),
]
DOMAIN = "survey.lab.example"
OTHER_HOSTS = {"database:5432/cosima": "{database}", "redis:6379/0": "{redis}", "/data": "{var}"}


def environment_of(service: Service, **places: str) -> dict[str, str]:
    """The environment that compose gives a service, with the places of this machine."""
    (of_image,) = instructions("ENV")
    pairs = dict(part.split("=", 1) for part in shlex.split(of_image)) | service["environment"]
    chosen = {"DOMAIN": DOMAIN, "POSTGRES_PASSWORD": places["password"]}
    found = {}
    for name, value in pairs.items():
        text = re.sub(r"\$\{(\w+):\?[^}]*\}", lambda match: chosen[match[1]], value)
        for theirs, ours in OTHER_HOSTS.items():
            text = text.replace(theirs, ours.format(**places))
        found[name] = text.replace("//cosima:", f"//{places['user']}:")
    return found


@contextmanager
def running(command: list[str], environment: dict[str, str], log: Path) -> Iterator[None]:
    """Run a service's process; it must end by itself when it is asked to."""
    with log.open("w") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=out, stderr=out, start_new_session=True
        )
    try:
        yield
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=40) == 0, log.read_text()  # stop_grace_period
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        print(log.read_text())  # noqa: T201
        raise


def test_web_and_worker_serve_do_jobs_and_end(pristine, tmp_path, broker):
    services, port = read_services("compose.yaml"), free_port()
    var = tmp_path / "data"
    var.mkdir()
    with ExitStack() as end:
        url = end.enter_context(
            fresh_database(settings.DATABASES["default"], tmp_path, copy_of=pristine)
        )
        user, password, place = re.fullmatch(r"postgres://(.*?):(.*?)@(.*)", url).groups()
        places = {"user": user, "password": password, "database": place, "var": str(var)}
        chosen = environment_of(services["web"], redis=broker.removeprefix("redis://"), **places)
        assert (chosen["DATABASE_URL"], chosen["CELERY_BROKER_URL"]) == (url, broker)
        kept = {
            "PATH": os.environ["PATH"],
            "ENV_FILE": os.devnull,
            "HOSTNAME": socket.gethostname(),
        }
        environment = {**kept, **chosen, "SECRET_KEY": secrets.token_urlsafe(50)}
        (entry,) = instructions("ENTRYPOINT")
        web = [*re.findall(r'"(.*?)"', entry), *services["web"]["command"], "--port", str(port)]
        worker = services["worker"]
        site = Site(var, url, **environment)

        end.enter_context(running(web, environment, tmp_path / "web.log"))
        health = f"http://127.0.0.1:{port}/healthz"
        wait_until(lambda: answers(health))
        end.enter_context(running(worker["entrypoint"], environment, tmp_path / "worker.log"))
        run_code(site, ASKED)
        wait_for(site, ("done", 0))

        passed_on = {"Host": DOMAIN, "X-Forwarded-Proto": "https"}
        page = httpx.get(f"http://127.0.0.1:{port}/", headers=passed_on, timeout=PATIENCE_SECONDS)
        assert page.status_code == httpx.codes.OK
        kind, command = worker["healthcheck"]["test"]
        assert kind == "CMD-SHELL"
        check = ["sh", "-c", command.replace("$$", "$")]
        is_well = subprocess.run(check, cwd=ROOT, env=environment, check=False)
        assert is_well.returncode == 0
    assert not answers(health)


def answers(address: str) -> bool:
    try:
        return httpx.get(address, timeout=PATIENCE_SECONDS).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False
