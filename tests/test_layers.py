"""Layers of `surveys`: a module imports its own layer and lower ones, and there is no cycle."""

import ast
from collections.abc import Mapping, Set
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.test_layout import MODULES, imports_in, imports_of

# From low to high; a name stands for a module or for a package with all that is in it.
LAYERS = {
    "models": """
        errors models reading
    """,
    "operations": """
        backups broker dumps health migration_guard outages patience
    """,
    "access": """
        accessing auditing client_address known_browsers masking notifying remembering
        sign_in_limits sign_in_links tokening webhook_hosts webhook_requests
    """,
    "study": """
        blocking checking checkpointing configuring drafting founding importing informing
        inserts inviting measuring opening places protocol reckoning repeating timing wording
    """,
    "recruitment": """
        completing providers reaching recruiting reminding
    """,
    "participation": """
        answering arriving assigning brakes choosing introducing leaving own_links
    """,
    "results": """
        analysing batching describing exporting inspecting numbering packing recounting
        releasing run_files run_leases running
    """,
    "review": """
        evidence filing foreseeing reviewing vocabulary weighing
    """,
    "monitoring": """
        appraising gathering gauging outlining picturing progressing watching
    """,
    "crowd": """
        arming bookkeeping fees mturk offering paying reconciling reporting rewarding
    """,
    "privacy": """
        disclosing erasing leftovers retaining
    """,
    "rehearsal": """
        modelling mturk.control_token mturk.crowd mturk.playing mturk.rehearsing
        mturk.simulator preparing rehearsing scripting
    """,
    "tasks": """
        outbox tasks
    """,
    "web": """
        admin annotate api apps console management presenting templatetags
    """,
}

Graph = Mapping[str, Set[str]]


def layer_of(module: str) -> str | None:
    """Return the layer of the longest name that a module of `surveys` is or is in."""
    package, *parts = module.split(".")
    if package != "surveys":
        return None
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        for layer, names in LAYERS.items():
            if name in names.split():
                return layer
    return None


def list_upward_imports(graph: Graph) -> list[tuple[str, str]]:
    """Return the imports of `surveys` that point to a higher layer."""
    rank = {layer: number for number, layer in enumerate(LAYERS)}
    return [
        (importer, imported)
        for importer, found in graph.items()
        for imported in found
        if (low := layer_of(importer)) and (high := layer_of(imported)) and rank[high] > rank[low]
    ]


def find_cycle(graph: Graph) -> list[str]:
    """Return modules that import each other in a circle; none if there is no circle."""
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
    named = [f"surveys.{name}" for names in LAYERS.values() for name in names.split()]

    assert [name for name in named if name not in MODULES] == []
    assert len(named) == len(set(named))


def test_imports_point_downwards(graph):
    assert list_upward_imports(graph) == []


def test_no_modules_import_each_other_in_a_circle():
    assert find_cycle({name: imports_when_running(name) - {name} for name in MODULES}) == []


def test_an_upward_import_is_found():
    assert list_upward_imports(
        {"surveys.models.study": {"surveys.errors", "surveys.importing"}}
    ) == [("surveys.models.study", "surveys.importing")]


def test_an_import_of_what_is_on_top_is_found():
    assert list_upward_imports({"surveys.running": {"surveys.tasks"}}) != []


def test_a_circle_of_any_length_is_found():
    circle = {"surveys.a": {"surveys.b"}, "surveys.b": {"surveys.c"}, "surveys.c": {"surveys.a"}}

    assert set(find_cycle(circle)) == {"surveys.a", "surveys.b", "surveys.c"}
