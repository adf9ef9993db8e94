"""The container: what its files name exists, and agrees with the scripts that it runs.

Docker itself is not needed here; its steps are those of `scripts/serve`, which other tests run.
"""

import re
import shlex
import subprocess

import pytest
import yaml

from tests.machine import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def service() -> dict[str, object]:
    services: dict[str, dict[str, object]] = yaml.safe_load(
        (ROOT / "compose.yaml").read_text(encoding="utf-8")
    )["services"]
    assert list(services) == ["site"]
    return services["site"]


def instructions(name: str) -> list[str]:
    joined = DOCKERFILE.replace("\\\n", " ")
    return re.findall(rf"^{name} (.*)$", joined, re.MULTILINE)


def test_copied_files_exist_and_are_not_ignored():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    copied = [source for line in instructions("COPY") for source in shlex.split(line)[1:-1]]

    assert copied == ["requirements.txt", "scripts", "."]
    assert [path for path in copied if not (ROOT / path).exists() or path in ignored] == []
    assert {".env", ".venv*", "var", ".git"} <= set(ignored)  # secrets and data stay outside


def test_system_packages_are_those_that_the_scripts_install():
    needed = re.search(r"need_packages (libpango.*?) \|\|", _environment())
    assert needed is not None

    (installation, _) = instructions("RUN")
    assert set(needed[1].split()) <= set(installation.split())


def test_data_lies_in_the_volume(service):
    (settings,) = instructions("ENV")
    assert dict(part.split("=") for part in settings.split()) == {
        "VAR_DIR": "/data",
        "SITE_URL": "http://127.0.0.1:8000",
    }
    assert instructions("VOLUME") == ["/data"]
    assert service["volumes"] == ["data:/data"]
    assert service["ports"] == ["127.0.0.1:8000:8000"]
    assert instructions("EXPOSE") == ["8000"]


def test_the_entry_point_takes_its_options():
    (entry,) = instructions("ENTRYPOINT")
    command = yaml.safe_load(entry)

    done = subprocess.run(
        [*command, "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.startswith("scripts/serve [--host ADDRESS]")) == (0, True)


def _environment() -> str:
    return (ROOT / "scripts/_environment").read_text(encoding="utf-8")
