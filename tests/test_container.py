"""The containers and units: what their files name exists, and agrees with the scripts they run.

Docker itself is not needed here; its steps are those of `scripts/serve`, which other tests run.
"""

import configparser
import re
import shlex
import shutil
import subprocess
from typing import Any

import pytest
import yaml

from tests.machine import ROOT, lack

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
UNITS = ROOT / "deploy/systemd"
Service = dict[str, Any]


def read_services(file: str) -> dict[str, Service]:
    services: dict[str, Service] = yaml.safe_load((ROOT / file).read_text(encoding="utf-8"))[
        "services"
    ]
    return services


SERVICES = [
    pytest.param(service, id=f"{file}:{name}")
    for file in ("compose.yaml", "compose.demo.yaml")
    for name, service in read_services(file).items()
]


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

    installation, *_ = instructions("RUN")
    assert set(needed[1].split()) <= set(installation.split())


def test_backups_are_made_by_the_pg_dump_of_the_server_version():
    database = read_services("compose.yaml")["database"]
    client = re.search(r"postgresql-client-(\d+)", DOCKERFILE)

    assert client
    assert database["image"].startswith(f"postgres:{client[1]}-")


def test_base_images_name_a_version():
    images = [*instructions("FROM"), *(s.values[0].get("image", "") for s in SERVICES)]

    assert {image for image in images if image != "cosima" and ":" not in image} == {""}


def test_data_lies_in_the_volume():
    (settings,) = instructions("ENV")
    demo = read_services("compose.demo.yaml")["site"]
    assert dict(part.split("=") for part in settings.split()) == {
        "VAR_DIR": "/data",
        "SITE_URL": "http://127.0.0.1:8000",
        "XDG_CACHE_HOME": "/tmp",  # noqa: S108
        "MPLCONFIGDIR": "/tmp",  # noqa: S108
    }
    assert instructions("VOLUME") == ["/data"]
    assert demo["volumes"] == ["data:/data"]
    assert demo["ports"] == ["127.0.0.1:8000:8000"]
    assert instructions("EXPOSE") == ["8000"]
    assert instructions("USER") == ["10001"]


@pytest.mark.parametrize("service", SERVICES)
def test_each_container_is_confined_and_ends_in_time(service):
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["restart"] == "unless-stopped"
    assert {"tmpfs", "stop_grace_period"} <= set(service)
    assert "healthcheck" in service or service.get("build") == "."  # the image has one
    assert service.get("cap_add", []) in ([], ["NET_BIND_SERVICE"])


def test_only_the_proxy_is_reached_from_outside_and_no_secret_is_in_the_file():
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    services = read_services("compose.yaml")
    networks = yaml.safe_load(text)["networks"]

    assert list(services) == ["web", "worker", "database", "redis", "caddy"]
    assert [name for name, service in services.items() if "ports" in service] == ["caddy"]
    assert networks["back"] == {"internal": True}
    assert services["database"]["networks"] == services["redis"]["networks"] == ["back"]
    assert services["caddy"]["networks"] == ["front"]
    assert set(re.findall(r"(?:PASSWORD|SECRET|TOKEN)\S*: (.*)", text)) == {
        '"${POSTGRES_PASSWORD:?docs/deploy.md}"'
    }
    (subnet,) = networks["front"]["ipam"]["config"]
    assert services["web"]["environment"]["TRUSTED_PROXIES"] == subnet["subnet"]


def test_each_volume_and_mounted_file_is_there():
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    mounted = [v.split(":")[0] for s in compose["services"].values() for v in s.get("volumes", ())]

    files = {source for source in mounted if source.startswith(".")}
    assert {source for source in files if not (ROOT / source).is_file()} == set()
    assert set(mounted) - files == set(compose["volumes"])


def test_units_are_sound(tmp_path):
    if not shutil.which("systemd-analyze"):
        lack("systemd-analyze")
    units = tmp_path / "units"
    shutil.copytree(UNITS, units)
    for unit in units.glob("*.service"):  # the programs are not installed here
        unit.write_text(re.sub(r"/opt/cosima/current/\S+", "/bin/true", unit.read_text()))
    names = [str(unit) for unit in units.iterdir() if unit.is_file()]

    done = subprocess.run(
        ["systemd-analyze", "verify", *names], capture_output=True, text=True, check=False,
        env={"SYSTEMD_UNIT_PATH": f"{units}:", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("unit", sorted(UNITS.glob("*.service")), ids=lambda unit: unit.name)
def test_each_unit_starts_what_exists(unit):
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(unit)
    started = parser["Service"]["ExecStart"].replace("/opt/cosima/current/", "")
    programs = re.findall(r"scripts/\w+|annotation_site|manage\.py (\w+)", started)

    assert programs
    for command in filter(None, programs):
        assert [*ROOT.glob(f"surveys/**/commands/{command}.py")], command
    if script := re.match(r"scripts/\w+", started):
        assert (ROOT / script[0]).is_file()


def test_the_entry_point_takes_its_options():
    (entry,) = instructions("ENTRYPOINT")
    command = yaml.safe_load(entry)

    done = subprocess.run(
        [*command, "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.startswith("scripts/serve [--host ADDRESS]")) == (0, True)


def _environment() -> str:
    return (ROOT / "scripts/_environment").read_text(encoding="utf-8")
