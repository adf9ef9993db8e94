"""The plan of the code: layers of `surveys`, no cycles, and folders that can be overlooked."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from surveys.features import list_areas, load_objects
from tests.test_layout import MODULES, ROOT, imports_in, imports_of, is_in, tree_of

# From low to high; names of modules and packages of `surveys`. docs/architecture.md shows them.
LAYERS = (
    ("models", "errors", "features", "money", "query_params"),
    ("operations",),
    ("access",),
    ("jobs",),
    ("webhooks",),
    ("study",),
    ("recruitment",),
    ("participation",),
    ("results",),
    ("review",),
    ("monitoring",),
    ("privacy",),
    ("moving",),
    ("rehearsal",),
    ("web", "management", "templatetags", "admin", "apps", "feature"),
    ("contexts", "crowd", "sharedtasks"),
)
Graph = Mapping[str, Set[str]]
APPS = {  # what belongs to an app; all else of `surveys` is the core
    "sharedtasks": (
        "surveys.sharedtasks",
    ),
    "crowd": (
        "surveys.crowd",
    ),
    "contexts": (
        "surveys.contexts",
    ),
}  # fmt: skip


def app_of(module: str) -> str:
    """Return the app that a module belongs to; empty for the core."""
    return next((app for app, folders in APPS.items() if is_in(module, *folders)), "")


def models_of(name: str) -> set[str]:
    """Return the modules of the models that a module imports from `surveys.models`."""
    homes = {
        alias.name: node.module
        for node in tree_of("surveys.models").body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    return {
        homes[alias.name]
        for node in ast.walk(tree_of(name))
        if isinstance(node, ast.ImportFrom) and node.module == "surveys.models"
        for alias in node.names
        if alias.name in homes
    }


def list_imports_of_apps(graph: Graph) -> dict[str, set[str]]:
    """Return the apps that each module of `surveys` imports, other than its own."""
    found = {
        importer: {app_of(module) for module in imported} - {app_of(importer), ""}
        for importer, imported in graph.items()
        if importer.startswith("surveys.") and importer != "surveys.models"  # Django reads it
    }
    return {importer: apps for importer, apps in found.items() if apps}


def layer_of(module: str) -> int | None:
    """Return the number of the layer of a module; None outside `surveys` and the plan."""
    package, _, rest = module.partition(".")
    name = rest.partition(".")[0]
    return next(
        (n for n, names in enumerate(LAYERS) if package == "surveys" and name in names), None
    )


def list_upward_imports(graph: Graph) -> list[tuple[str, str]]:
    """Return the imports of `surveys` that point to a higher layer, other than within an app."""
    return [
        (importer, imported)
        for importer, found in graph.items()
        for imported in found
        if (low := layer_of(importer)) is not None
        and (high := layer_of(imported)) is not None
        and high > low
        and app_of(imported) != (app_of(importer) or None)
    ]


def find_cycle(graph: Graph) -> list[str]:
    """Return modules that import each other in a circle, or an empty list."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def imports_when_running(name: str) -> set[str]:
    """Every module of ours that a module imports, other than for annotations alone."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    blocks = (node for node in ast.walk(tree) if isinstance(node, ast.If))
    for block in blocks:
        if ast.unparse(block.test) == "TYPE_CHECKING":
            block.body = [ast.Pass()]
    return imports_in(tree, name)


@pytest.fixture(scope="module")
def graph() -> Graph:
    """All imports of ours, those inside functions included."""
    return {name: imports_of(name) - {name} for name in MODULES}


def test_every_module_has_a_layer():
    found = {name for name in MODULES if name.startswith("surveys.")}

    assert {name for name in found if layer_of(name) is None} == set()


def test_every_name_of_a_layer_is_a_module():
    named = [f"surveys.{name}" for names in LAYERS for name in names]

    assert [name for name in named if name not in MODULES] == []
    assert len(named) == len(set(named))


def test_a_module_outside_the_plan_has_no_layer():
    assert layer_of("surveys.helpers") is None


def test_imports_point_downwards(graph):
    assert list_upward_imports(graph) == []


def test_no_module_imports_another_app(graph):
    with_models = {name: imported | models_of(name) for name, imported in graph.items()}

    found = list_imports_of_apps(with_models)

    assert found == {}


def test_what_belongs_to_an_app_is_a_module():
    named = [folder for folders in APPS.values() for folder in folders]

    assert [name for name in named if name not in MODULES] == []


def test_an_import_of_another_app_is_found():
    apart = {
        "surveys.privacy.retention": {"surveys.crowd.ledger", "surveys.models.study"},
        "surveys.contexts.queue": {"surveys.contexts.choices", "surveys.sharedtasks.parts"},
        "surveys.crowd.web.console.people": {"surveys.crowd.ledger", "surveys.crowd.models"},
    }

    assert list_imports_of_apps(apart) == {
        "surveys.privacy.retention": {"crowd"}, "surveys.contexts.queue": {"sharedtasks"},
    }  # fmt: skip
    assert models_of("surveys.crowd.ledger") >= {"surveys.models.recruitment"}


def test_no_modules_import_each_other_in_a_circle():
    assert find_cycle({name: imports_when_running(name) - {name} for name in MODULES}) == []


def test_an_upward_import_is_found():
    assert list_upward_imports(
        {"surveys.models.study": {"surveys.errors", "surveys.study.create"}}
    ) == [("surveys.models.study", "surveys.study.create")]


def test_an_import_of_what_is_on_top_is_found():
    assert list_upward_imports({"surveys.results.runs": {"surveys.admin"}}) != []


def test_a_circle_of_any_length_is_found():
    circle = {"surveys.a": {"surveys.b"}, "surveys.b": {"surveys.c"}, "surveys.c": {"surveys.a"}}

    assert set(find_cycle(circle)) == {"surveys.a", "surveys.b", "surveys.c"}


# Django finds commands and migrations in these folders and nowhere below them.
FIXED_BY_DJANGO = {"surveys/management/commands", "surveys/migrations"}
MOST_MODULES = 12


def list_crowded_folders(paths: Iterable[Path]) -> dict[str, int]:
    """Return the folders with more than twelve modules, without `__init__.py`, and how many."""
    folders = Counter(path.parent.as_posix() for path in paths if path.name != "__init__.py")
    return {
        folder: n_modules
        for folder, n_modules in folders.items()
        if n_modules > MOST_MODULES and folder not in FIXED_BY_DJANGO
    }


def test_no_folder_has_more_than_twelve_modules():
    assert list_crowded_folders(path.relative_to(ROOT) for path in MODULES.values()) == {}


def test_a_planted_thirteenth_module_is_found():
    planted = [Path(f"surveys/study/module{n}.py") for n in range(13)]
    inits = [Path("surveys/study/__init__.py"), Path("surveys/review/__init__.py")]

    assert list_crowded_folders([*planted[:12], *inits]) == {}
    assert list_crowded_folders([*planted, *inits]) == {"surveys/study": 13}


def test_the_core_names_no_page_of_an_app():
    """Apps say by their feature which pages they add, and where."""
    tables = (places.values() for places in load_objects("console_urls"))
    pages = {name for places in tables for table in places for name in table}
    distinct = {name for name in pages if "_" in name}  # others are words, too
    areas = {area.namespace for area in list_areas()} - {"console"}
    core = [
        path
        for folder, ending in (("surveys", "py"), ("templates", "html"))
        for path in sorted((ROOT / folder).rglob(f"*.{ending}"))
        if not {*path.relative_to(ROOT).parts} & {*APPS, "migrations"}
    ]

    named = [
        (path.name, word)
        for path in core
        for word in re.findall(r"[\w:]+", path.read_text(encoding="utf-8"))
        if word.removeprefix("console:") in (pages if ":" in word else distinct)
        or (":" in word and word.partition(":")[0] in areas)
    ]

    assert len(core) > 400
    assert named == []
