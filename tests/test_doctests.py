"""The examples in docstrings give what they say."""

import doctest
from importlib import import_module

import pytest
from django.conf import settings

from tests.test_layout import MODULES

OFF = tuple(f"surveys.{app}." for app in {*settings.ALL_APPS} - {*settings.APPS})
WITH_EXAMPLES = sorted(
    name
    for name, path in MODULES.items()
    if ">>>" in path.read_text(encoding="utf-8") and not f"{name}.".startswith(OFF)
)


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_are_true(name):
    results = doctest.testmod(import_module(name))

    assert results.attempted
    assert not results.failed
