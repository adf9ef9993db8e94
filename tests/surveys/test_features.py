"""The registration point: what the site is told by its parts when it starts."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.db.models import FileField

from surveys import features
from surveys.features import (
    Feature,
    find_area,
    find_file_fields,
    list_features,
    load_objects,
    register,
)


@pytest.fixture
def registered(monkeypatch):
    """A registry of its own, for features that a test adds."""
    monkeypatch.setattr(features, "_features", {})


def test_the_core_and_the_apps_are_registered():
    names = [feature.name for feature in list_features()]

    assert names == ["surveys", *settings.APPS]


def test_a_feature_of_the_same_name_is_replaced(registered):
    register(Feature(name="lexicons", files={"surveys.Study": ("archive",)}))
    register(Feature(name="lexicons"))

    assert list_features() == [Feature(name="lexicons")]


def test_functions_are_loaded_from_the_features_that_have_them(registered):
    register(Feature(name="lexicons"))
    register(Feature(name="surveys", drop_due="surveys.features.list_features"))

    assert load_objects("drop_due") == [list_features]
    assert load_objects("find_due") == []


FUNCTIONS = (
    "export_person", "forget_workers", "find_due", "drop_due", "channels", "frames",
    "prepare_demo", "describe_demo",
)  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_registered_function_exists(name):
    assert all(callable(function) for function in load_objects(name))


@pytest.mark.needs("sharedtasks")
def test_an_area_below_another_is_found_first():
    areas = [find_area(path) for path in ("/console/shared-tasks/gwsc/", "/console/new/", "/docs/")]

    assert [area and area.namespace for area in areas] == ["organisers", "console", None]


@pytest.mark.needs("sharedtasks")
def test_every_column_of_files_is_registered_or_of_checked_uploads():
    columns = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, FileField)
    }

    kept = {
        f"{model._meta.label}.{name}"
        for model, names in find_file_fields().items()
        for name in names
    }

    assert columns - kept == {"sharedtasks.Upload.file"}
    assert kept <= columns


def test_a_start_imports_no_page_and_no_pandas():
    code = (
        "import sys, django; django.setup(); "
        "pages = tuple(f'surveys.web.{name}' for name in ('api', 'console', 'sharedtasks')); "
        "sys.exit(any(module.startswith(('pandas', *pages)) for module in sys.modules))"
    )
    root = Path(__file__).resolve().parents[2]

    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
