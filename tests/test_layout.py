"""Imports go one way: annotation_site → surveys → preprocess → postprocess, as listed here."""

import ast
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.machine import ROOT

PACKAGES = ("annotation_site", "surveys", "preprocess", "postprocess", "mturk_simulator")

DOORS = (
    "surveys.web.annotate", "surveys.web.api", "surveys.web.console", "surveys.management",
    "surveys.web.admin", "surveys.web.public",
    "surveys.contexts.web", "surveys.contexts.admin",
    "surveys.crowd.web.annotate", "surveys.crowd.web.console", "surveys.crowd.admin",
    "surveys.sharedtasks.web.organisers", "surveys.sharedtasks.web.api",
    "surveys.sharedtasks.web",  # what is not in those two
    "surveys.sharedtasks.admin",
    "surveys.crowd.management", "surveys.sharedtasks.management",
)  # fmt: skip
DOORS_OF_APPS = {  # with the part of the core's door that they continue
    "surveys.contexts.web": "surveys.web.console", "surveys.contexts.admin": "surveys.web.admin",
    "surveys.crowd.web.annotate": "surveys.web.annotate",
    "surveys.crowd.web.console": "surveys.web.console", "surveys.crowd.admin": "surveys.web.admin",
    "surveys.sharedtasks.web.organisers": "surveys.web.console",
    "surveys.sharedtasks.web.api": "surveys.web.api",
    "surveys.sharedtasks.admin": "surveys.web.admin",
    "surveys.crowd.management": "surveys.management",
    "surveys.sharedtasks.management": "surveys.management",
}  # fmt: skip
MODELS = "surveys.models"
ERRORS = "surveys.errors"
WIRING = "surveys.admin"  # where Django looks for it
PARSING = "annotation_site.parsing"  # of settings, those of apps included
FILE_ACTIONS = {  # the actions that hand files or tables to the library
    "surveys.study.stimuli.load", "surveys.results.ratings_table",
    "surveys.results.release", "surveys.review.translations", "surveys.rehearsal.rating_source",
    "surveys.study.stimuli.checkpoints", "surveys.results.description",
    "surveys.study.stimuli.edit", "surveys.study.stimuli.kinds",
    "surveys.study.stimuli.statistics", "surveys.results.runs", "surveys.results.run_inspection",
    "surveys.jobs.perform",  # refusals of the library
    "surveys.review.agreement", "surveys.review.effects", "surveys.review.second_look",
    "surveys.monitoring.agreement", "surveys.monitoring.annotator_agreement",
    "surveys.study.planning.durations",
    "surveys.study.stimuli.sources",
    "surveys.study.stimuli.sentences",  # sentences end where the library says
    "surveys.results.entries.recipe", "surveys.results.entries.effect",
    "surveys.results.entries.description",
    "surveys.study.text_rows",
    "surveys.study.planning.power", "surveys.study.design",
    "surveys.results.export",  # cells are written as in all files
    "surveys.review.evidence", "surveys.review.spelling",  # characters that do not show
    "surveys.study.exercises",  # practice items and checks are TOML, as recipes are
    "surveys.results.inspection.pairs", "surveys.results.inspection.pair",
    "surveys.results.inspection.verification", "surveys.results.inspection.auditing",
    "surveys.results.deposit.contents", "surveys.results.deposit.zenodo",
    "surveys.results.deposit.hub",
    "surveys.results.comparisons.importing", "surveys.results.comparisons.comparing",
    "surveys.results.comparisons.families", "surveys.results.comparisons.published",
    "surveys.results.comparisons.reading", "surveys.crowd.prolific.export",
    "surveys.contexts.candidates", "surveys.contexts.choices", "surveys.contexts.stimuli",
    "surveys.contexts.picking",
    "surveys.contexts.search.searching", "surveys.contexts.search.inputs",
    "surveys.sharedtasks.scoring.gold", "surveys.sharedtasks.parts", "surveys.sharedtasks.opening",
    "surveys.sharedtasks.kits.kit", "surveys.sharedtasks.kits.codabench_bundle",
    "surveys.sharedtasks.phases",
    "surveys.sharedtasks.teams.names",  # characters that cannot be seen
    "surveys.sharedtasks.uploads", "surveys.sharedtasks.scoring.visibility",  # rounded as on boards
    "surveys.sharedtasks.boards.citing", "surveys.sharedtasks.boards.exports",
    "surveys.sharedtasks.boards.files", "surveys.sharedtasks.boards.predictions",
    "surveys.sharedtasks.boards.live", "surveys.sharedtasks.boards.live_rows",
    "surveys.sharedtasks.boards.results", "surveys.sharedtasks.boards.published",
    "surveys.sharedtasks.boards.table", "surveys.sharedtasks.boards.visible",
    "surveys.sharedtasks.scoring.counting", "surveys.sharedtasks.scoring.figures",
    "surveys.sharedtasks.scoring.flags", "surveys.sharedtasks.scoring.predictions",
    "surveys.sharedtasks.scoring.rescoring", "surveys.sharedtasks.scoring.score",
    "surveys.sharedtasks.scoring.tracks",
    "surveys.sharedtasks.final_results.archive", "surveys.sharedtasks.final_results.entries",
    "surveys.sharedtasks.final_results.boards", "surveys.sharedtasks.final_results.renaming",
    "surveys.sharedtasks.scoring.baselines",
    "surveys.templatetags.figures",  # numbers on pages are written as in the report
}  # fmt: skip
SHARED = {
    f"postprocess.{name}"
    for name in ("commands.program", "errors", "extras", "foreign", "origin", "table.loading")
} | {
    f"postprocess.formats.{name}"
    for name in ("kinds", "marks", "stimuli", "tabular", "tokens", "writing")
}
RESULTS = {  # what preprocess writes and scores predictions of models with
    "postprocess.baselines.errors", "postprocess.baselines.results", "postprocess.scoring.figures",
    "postprocess.scoring.gold", "postprocess.scoring.metrics", "postprocess.types",
    "postprocess.version",
}  # fmt: skip
WORD_LISTS = "preprocess.word_lists"  # loads nothing
OF_CORPORA = {  # what reads the files of the library that finds texts
    ("surveys.review.spelling", WORD_LISTS),
    ("surveys.contexts.candidates", "preprocess.selection.reading"),
    *(
        ("surveys.contexts.search.searching", f"preprocess.{name}")
        for name in (
            "corpora.errors", "pairs.reading", "selection.candidates", "windows.dividing",
            "windows.filters", "windows.searching", "windows.table",
        )
    ),
    *(
        ("surveys.contexts.picking", f"preprocess.selection.{name}")
        for name in ("candidates", "reading", "scores")
    ),
    ("surveys.contexts.search.searching", "preprocess.windows.table"),
    ("surveys.contexts.search.inputs", "preprocess.pairs.reading"),
    ("surveys.contexts.search.inputs", "preprocess.windows.filters"),
}  # fmt: skip
GOLD = "surveys.sharedtasks.scoring.gold"
OF_GOLD = {  # what may read the hidden gold of a shared task
    "surveys.sharedtasks.opening",  # commits to it
    "surveys.sharedtasks.kits.kit",  # packs that of practice data, which is public
    "surveys.sharedtasks.kits.codabench_bundle",  # for organisers who may read it anyway
    "surveys.sharedtasks.scoring.figures", "surveys.sharedtasks.final_results.archive",
}  # fmt: skip
# The value of a text with two targets, and the kinds of item: neither loads pandas.
VALUES = ("postprocess.version", "postprocess.formats.marks", "postprocess.designs.kinds")
OPTIONS = "postprocess.commands.options"
SIMULATOR = "mturk_simulator"  # shares nothing with the platform, not even its errors
CLIENT = f"{SIMULATOR}.client"  # for scripted workers; imports nothing of ours
REHEARSALS = ("surveys.rehearsal", "surveys.crowd.rehearsal")
FORBIDDEN_NAMES = {"utils", "util", "helpers", "common", "misc", "services"}


def modules() -> dict[str, Path]:
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not {"migrations", "tests"} & set(path.parts):
                name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
                found[name.removesuffix(".__init__")] = path
    return found


MODULES = modules()


def imports_of(name: str) -> set[str]:
    """Every module of ours that a module imports, anywhere in it."""
    return imports_in(tree_of(name), name)


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


def imports_in(tree: ast.AST, name: str) -> set[str]:
    """Every module of ours that a part of a module imports."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: relative import"
            module = node.module or ""
            found |= {
                f"{module}.{alias.name}" if f"{module}.{alias.name}" in MODULES else module
                for alias in node.names
            }
    return {module for module in found if module.split(".")[0] in PACKAGES}


def is_in(module: str, *rooms: str) -> bool:
    return any(module == room or module.startswith(f"{room}.") for room in rooms)


def door_of(module: str) -> str:
    """Return the door that a module belongs to; empty for none."""
    return next((door for door in DOORS if is_in(module, door)), "")


def may_import(importer: str, imported: str) -> bool:
    if is_in(importer, "postprocess"):
        return is_in(imported, "postprocess")
    if is_in(importer, "preprocess"):
        return is_in(imported, "preprocess") or imported in SHARED | RESULTS
    if is_in(importer, SIMULATOR):
        return importer != CLIENT and is_in(imported, SIMULATOR)
    if is_in(imported, SIMULATOR):
        return imported == CLIENT and is_in(importer, *REHEARSALS)
    if is_in(importer, "annotation_site", WIRING):
        return True
    if is_in(imported, "annotation_site"):
        return imported == PARSING and importer.endswith(".site_settings")
    if is_in(importer, ERRORS):
        return False
    if is_in(importer, MODELS):
        return is_in(imported, MODELS, ERRORS, *VALUES)
    if is_in(importer, *DOORS):
        if is_in(imported, "preprocess", "postprocess"):
            return is_in(importer, "surveys.management") and imported == OPTIONS
        own_door = door_of(importer)
        return door_of(imported) in ("", own_door, DOORS_OF_APPS.get(own_door))
    if is_in(imported, "preprocess"):
        return (importer, imported) in OF_CORPORA
    if is_in(imported, "postprocess"):
        return importer in FILE_ACTIONS or imported in VALUES
    return not is_in(imported, *DOORS)


def test_imports_point_the_right_way():
    imports = [(name, imported) for name in MODULES for imported in imports_of(name)]

    assert [pair for pair in imports if not may_import(*pair)] == []


def test_may_import_refuses_what_points_the_wrong_way():
    wrong = [
        ("postprocess.formats.files", "surveys.models"),
        ("postprocess.formats.files", "preprocess.pairs.reading"),
        ("preprocess.pairs.reading", "postprocess.pipeline"),
        ("preprocess.pairs.reading", "surveys.models"),
        ("surveys.study.stimuli.load", "preprocess.pairs.reading"),
        ("surveys.review.spelling", "preprocess.languages"),
        ("surveys.contexts.choices", "preprocess.selection.reading"),
        ("surveys.web.annotate.views", "preprocess.word_lists"),
        ("surveys.models.study", "surveys.study.stimuli.load"),
        ("surveys.study.stimuli.load", "surveys.web.annotate.views"),
        ("surveys.web.annotate.views", "surveys.web.admin"),
        ("surveys.web.annotate.views", "postprocess.formats.files"),
        ("surveys.participation.answers", "postprocess.formats.files"),
        ("surveys.sharedtasks.web.team.home", "surveys.sharedtasks.web.organisers.teams"),
        ("surveys.errors", "surveys.models"),
        ("surveys.study.blocks.allocation", "annotation_site.settings"),
        ("mturk_simulator.market.money", "surveys.errors"),
        ("mturk_simulator.client", "mturk_simulator.http.wire"),
        ("surveys.crowd.rehearsal.batch", "mturk_simulator.market.money"),
        ("surveys.crowd.mturk.publish", "mturk_simulator.market.money"),
    ]

    assert [pair for pair in wrong if may_import(*pair)] == []


GATEWAY = "surveys.crowd.mturk.gateway"


def clients_in(name: str) -> set[str]:
    """The packages of Amazon's client that a module imports."""
    nodes = list(ast.walk(tree_of(name)))
    imported = {alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names}
    imported |= {n.module or "" for n in nodes if isinstance(n, ast.ImportFrom)}
    return {module.split(".")[0] for module in imported} & {"boto3", "botocore"}


BACKUPS = "surveys.operations.backups.store"


def test_amazons_client_is_behind_the_gateway_alone():
    """The simulator reads botocore's model of the service, and never calls anybody."""
    found = {name: clients for name in MODULES if (clients := clients_in(name))}

    assert found.pop(GATEWAY) <= {"boto3", "botocore"}
    assert found.pop(BACKUPS) == {"botocore"}  # the errors of a bucket
    assert {n: clients for n, clients in found.items() if not is_in(n, SIMULATOR)} == {}
    assert set().union(*found.values()) <= {"botocore"}


def test_hidden_gold_is_read_by_scoring_and_publishing_alone():
    importers = {name for name in MODULES if GOLD in imports_of(name)}

    assert importers - OF_GOLD == set()
    assert all(not is_in(name, *DOORS) for name in OF_GOLD)


LOADED_IN_TURN = """
import sys
from postprocess.statistics.agreement.measures import agreement_with_means
agreement_with_means([0, 1, 2, 6], [0, 2, 1, 6])  # the first page of an annotator waits for it
assert not {"pandas", "scipy"} & sys.modules.keys()
import postprocess.release.assembling, postprocess.reporting.report_files
assert "scipy.stats" not in sys.modules  # of all modules it takes longest to load
import preprocess.__main__, postprocess.__main__, mturk_simulator.__main__, mturk_simulator.client
assert not {"django", "surveys", "torch", "transformers"} & sys.modules.keys()
"""


def test_the_libraries_and_the_simulator_load_only_what_they_need():
    command = [sys.executable, "-c", LOADED_IN_TURN]

    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def test_the_site_starts_and_reads_recipes_without_what_takes_long_to_load():
    code = (
        "import django, sys; django.setup(); import annotation_site.urls, postprocess.steps.recipe;"
        "slow = ('numpy', 'pandas', 'scipy', 'pyarrow', 'boto3', 'httpx', 'simplemma'); "
        "sys.exit(any(name in sys.modules for name in slow))"
    )
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "annotation_site.settings"}
    started = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=False)
    assert started.returncode == 0


def test_no_room_has_a_name_that_says_nothing():
    assert {name for name in MODULES if set(name.split(".")) & FORBIDDEN_NAMES} == set()


PAGES_OF_SIMULATOR = ROOT / "mturk_simulator/http/pages"
SHEETS = sorted([*(ROOT / "static").rglob("*.css"), *PAGES_OF_SIMULATOR.glob("*.css")])


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda s: s.name)
def test_every_block_of_a_stylesheet_is_closed(sheet):
    """A browser takes what follows an open block for a part of it, and says nothing."""
    depths = [0]
    for line in sheet.read_text(encoding="utf-8").splitlines():
        depths.append(depths[-1] + line.count("{") - line.count("}"))
        is_new_part = line.startswith(("@", "/*"))
        assert not (is_new_part and depths[-2]), line

    assert depths[-1] == 0


def test_templates_hold_no_inline_script_or_style():
    folders = (ROOT / "templates", PAGES_OF_SIMULATOR)
    templates = sorted(path for folder in folders for path in folder.rglob("*.html"))

    assert templates
    for path in templates:
        text = path.read_text(encoding="utf-8")
        assert "<style" not in text, path
        assert " style=" not in text, path
        assert "<script" not in text.replace("<script src=", ""), path
        assert text.startswith("{# "), f"{path}: its first line says which page it is"


def test_pages_begin_with_the_doctype():
    for path in sorted((ROOT / "templates").rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        for opening in ("<!doctype html>", "{% extends "):
            before, found, _ = text.partition(opening)
            assert not (found and "\n" in before), f"{path}: an empty line before the page"


def test_no_cell_has_a_class_that_lays_out_pages_of_annotators():
    """The console has their stylesheet, too, and a cell that is no cell leaves its column."""
    styles = (ROOT / "static" / "css" / "survey.css").read_text(encoding="utf-8")
    rules = re.findall(r"([^{}]+)\{[^{}]*\bdisplay:", styles)
    laid_out = {
        name for rule in rules for name in re.findall(r"\.([\w-]+)\s*(?:,|$)", rule.strip())
    }
    classes = {
        name
        for folder in ("console", "contexts", "crowd")
        for path in sorted((ROOT / "templates" / folder).rglob("*.html"))
        for cell in re.findall(r"<t[dh] class=\"([^\"]*)\"", path.read_text(encoding="utf-8"))
        for name in re.findall(r"[\w-]+", cell)
    }

    assert "short" in classes
    assert classes & laid_out == set()


UNBREAKABLE = ("{% translate ", "{% blocktranslate ")  # a tag ends on the line where it begins


def test_templates_have_lines_of_120_columns_at_most():
    """The formatter indents lines and does not break them."""
    long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 120 and not any(tag in line for tag in UNBREAKABLE)
    ]

    assert long == []


def test_no_pattern_repeats_a_group_possessively():
    """Debian 12 has Python 3.11.2, which finds nothing with it; (?>…) does the same and works."""
    possessive = re.compile(r"\)[*+?]\+")
    assert [name for name, path in MODULES.items() if possessive.search(path.read_text())] == []


def test_no_file_has_the_marks_of_an_unresolved_conflict():
    """A template is shown with them, and no linter reads templates, texts or styles."""
    suffixes = {".html", ".jinja", ".css", ".js", ".md", ".toml", ".po", ".txt", ".py"}
    folders = (
        "templates", "static", "docs", "locale", "surveys", "preprocess", "postprocess", "tests",
        "bench",
    )  # fmt: skip
    files = [*ROOT.glob("*.md")]
    for folder in folders:
        files += [path for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]

    marks = ("<" * 7 + " ", ">" * 7 + " ")
    assert len(files) > 500
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert not [line for line in lines if line.startswith(marks)], path
