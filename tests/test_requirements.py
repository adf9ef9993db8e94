"""Requirements files: exact pins with hashes, complete for each supported Python."""

import re
from functools import cache
from importlib import metadata
from itertools import product

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.requirements import is_installed, read_pins, read_unhashed

FILES = ["requirements.txt", "requirements-dev.txt"]
MODELS = "requirements-models.txt"  # each index has its own builds of PyTorch, so without hashes
# What PyTorch's builds for graphics cards need in addition: an index without builds for the
# processor alone, or for this Python, installs those.
FOR_GRAPHICS_CARDS = re.compile("nvidia-|cuda-|triton$")
PYTHONS = ["3.11.2", "3.12.1", "3.13.0"]
SYSTEMS = [("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")]


def environments():
    for python, (system, machine) in product(PYTHONS, SYSTEMS):
        yield {
            "python_version": python.rpartition(".")[0],
            "python_full_version": python,
            "sys_platform": system,
            "platform_system": system.title(),
            "platform_machine": machine,
        }


def applies(requirement: Requirement, environment: dict[str, str], extras=()) -> bool:
    marker = requirement.marker
    return not marker or any(
        marker.evaluate({**environment, "extra": extra}) for extra in ("", *extras)
    )


@pytest.mark.parametrize("name", FILES)
def test_pins_are_exact_and_have_hashes(name):
    pins = [pin for part in read_pins(name) for pin in part]

    assert len(pins) > 50
    assert [str(pin) for pin in pins if [one.operator for one in pin.specifier] != ["=="]] == []
    assert read_unhashed(name) == []


def test_pins_for_models_are_exact():
    pins = [pin for part in read_pins(MODELS) for pin in part]

    assert [str(pin) for pin in pins if [one.operator for one in pin.specifier] != ["=="]] == []


def test_no_package_is_pinned_twice():
    names = [
        canonicalize_name(pin.name)
        for name in [*FILES, MODELS]
        for part in read_pins(name)
        for pin in part
    ]

    assert len(names) == len(set(names))


@cache
def read_dependencies(name):
    """Return what an installed package needs, in any environment."""
    return [Requirement(line) for line in metadata.requires(name) or ()]


@pytest.mark.parametrize(
    "environment", list(environments()), ids=lambda one: " ".join(one.values())
)
def test_pins_include_all_dependencies(environment):
    """With hashes pip installs only pinned packages, so a gap breaks the installation."""
    pinned = {
        canonicalize_name(pin.name): pin
        for name in [*FILES, MODELS]
        for part in read_pins(name)
        for pin in part
        if applies(pin, environment)
    }
    missing = [
        f"{name} needs {needed}"
        for name, pin in pinned.items()
        if is_installed(name)
        for needed in read_dependencies(name)
        if applies(needed, environment, pin.extras)
        and canonicalize_name(needed.name) not in pinned
        and not FOR_GRAPHICS_CARDS.match(needed.name)
    ]

    assert missing == []
