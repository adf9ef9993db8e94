"""The library as a package: building it, installing it with its dependencies, and using it."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import postprocess
from tests.documents.reading import read_blocks, read_inline
from tests.machine import ROOT
from tests.requirements import is_installed, read_pins

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PAGE = "docs/library.md"
EXAMPLE, OUTPUT = (
    next(block.text for block in read_blocks(PAGE) if block.language == language)
    for language in ("python", "text")
)
DEMO = {"--stimuli": "demo/data_sl.tsv", "--ratings": "demo/ratings_sl.csv", "--language": "sl"}
GIVEN = [part for option in DEMO.items() for part in option]
NEED_REPORT = [
    ["build", *GIVEN, "--out", "built"],
    ["release", *GIVEN, "--out", "released"],
    ["compare", "raw", "cosimlex", *GIVEN, "--out", "compared"],
    ["compare-collections", GIVEN[3], "demo/ratings_sl_model.csv", *GIVEN[:2], *GIVEN[4:],
     "--out", "collections"],
    ["family", "demo", "--out", "family"],
    ["plan", *GIVEN[2:], "--out", "planned"],
]  # fmt: skip
CONSUMER = """
from postprocess import Dataset, Recipe, build_dataset, load_ratings, load_stimuli, read_recipe

recipe: Recipe = read_recipe("raw")
made: Dataset = build_dataset(
    load_stimuli("data_sl.tsv"), load_ratings("ratings_sl.csv", "sl"), language="sl", recipe=recipe
)
files: dict[str, bytes] = made.files
read_recipe(3)  # type: ignore[arg-type]  # unused, and so an error, if the package had no types
"""


@dataclass(frozen=True)
class Installation:
    """An environment with the wheel and its dependencies, and a folder with the demo files."""

    python: Path
    folder: Path

    def run(self, program: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment, with additional environment variables."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        return subprocess.run(
            [str(self.python.parent / program), *arguments],
            cwd=self.folder, env=inherited | more, capture_output=True, text=True, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)]
    pip(*command)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Installation:
    """A new environment with only what `pip install .` installs."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    link_packages(required(), folder / "packages")
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    (site / "packages.pth").write_text(f"{folder / 'packages'}\n")
    # fails if a linked package is missing
    pip("--python", str(python), "install", "--no-index", "--no-compile", str(wheel))
    shutil.copytree(ROOT / "demo", folder / "work" / "demo")
    return Installation(python, folder / "work")


def pip(*arguments: str) -> None:
    quiet = ["--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", *arguments, *quiet], check=True)


def link_packages(requirements: Iterable[Requirement], folder: Path) -> None:
    """Link required packages and their dependencies from our environment into a folder."""
    folder.mkdir()
    waiting, seen = deque(requirements), set()
    while waiting:
        requirement = waiting.popleft()
        if (name := canonicalize_name(requirement.name)) not in seen:
            seen.add(name)
            link_package(metadata.distribution(requirement.name), folder)
            waiting.extend(dependencies_of(requirement))


def dependencies_of(requirement: Requirement) -> Iterator[Requirement]:
    for line in metadata.requires(requirement.name) or ():
        needed = Requirement(line)
        extras = ("", *requirement.extras)
        if not needed.marker or any(needed.marker.evaluate({"extra": extra}) for extra in extras):
            yield needed


def link_package(distribution: metadata.Distribution, folder: Path) -> None:
    for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
        (folder / top).symlink_to(Path(str(distribution.locate_file(top))))


def required(extra: str = "") -> list[Requirement]:
    """Return the declared dependencies of the library or of an extra, without the project."""
    project = PROJECT["project"]
    lines = project["optional-dependencies"][extra] if extra else project["dependencies"]
    return [one for one in map(Requirement, lines) if one.name != project["name"]]


def names_of(requirements: Iterable[Requirement]) -> set[str]:
    return {canonicalize_name(requirement.name) for requirement in requirements}


def imported_packages(folder: Path) -> set[str]:
    """Return the distributions of all imports outside the standard library."""
    modules = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules.add((node.module or "").split(".")[0])
    providers = metadata.packages_distributions()
    others = modules - sys.stdlib_module_names - {"preprocess", "postprocess"}
    return {canonicalize_name(name) for one in others for name in providers.get(one, [one])}


def test_the_wheel_contains_only_the_library(wheel):
    with zipfile.ZipFile(wheel) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    library = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for package in ("preprocess", "postprocess")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    about = f"cosima-{postprocess.__version__}.dist-info/"
    assert {name: data for name, data in packed.items() if not name.startswith(about)} == library
    assert packed[f"{about}licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()


def test_declared_dependencies_are_those_imported():
    imported = [imported_packages(ROOT / package) for package in ("preprocess", "postprocess")]

    extras = ("report", "cluster", "models", "udpipe")
    declared = [*required(), *(one for extra in extras for one in required(extra))]
    assert set().union(*imported) == names_of(declared)


def test_declared_and_pinned_packages_match():
    pinned = read_pins("requirements.txt")[0]
    declared = [*required(), *required("report"), *required("site")]

    assert names_of(declared) == names_of(pinned) - {"uv"}  # which installs the others
    assert {one.name for one in declared if one.extras} == {
        one.name for one in pinned if one.extras
    }
    of_models, of_udpipe = required("models"), required("udpipe")
    assert names_of(of_models) <= names_of(read_pins("requirements-models.txt")[0])
    assert names_of(of_udpipe) <= names_of(read_pins("requirements-dev.txt")[0])
    built_with = map(Requirement, PROJECT["build-system"]["requires"])
    refused = [
        requirement
        for requirement in [*declared, *of_models, *of_udpipe, *built_with]
        if is_installed(requirement.name)
        and not requirement.specifier.contains(metadata.version(requirement.name))
    ]
    assert refused == []


def test_the_example_runs_without_other_packages(installed):
    done = installed.run("python", "-c", EXAMPLE)

    assert (done.stdout, done.stderr) == (OUTPUT, "")
    assert (installed.folder / "dataset" / "cosimlex_sl.csv").exists()


def test_commands_name_the_missing_extra_and_write_nothing(installed):
    before = sorted(installed.folder.iterdir())
    run_all = f"print([program.main(command) for command in {NEED_REPORT}])"

    done = installed.run(
        "python", "-c", f"import postprocess.__main__ as program; {run_all}; "
        "import postprocess; postprocess.render_reports"
    )  # fmt: skip

    assert done.stdout == f"{[2] * len(NEED_REPORT)}\n"
    message = (
        "reports and figures need lxml, matplotlib, weasyprint; install what is missing "
        "with: pip install 'cosima[report]'"
    )
    *refusals, last = [line for line in done.stderr.splitlines() if message in line]
    assert refusals == [f"error: {message}"] * len(NEED_REPORT)
    assert last == f"postprocess.extras.ExtraMissing: {message}"
    assert sorted(installed.folder.iterdir()) == before


def test_the_command_writes_a_report_with_the_extra(installed, tmp_path):
    link_packages([*required(), *required("report")], tmp_path / "packages")
    quick = ["--set", "report.n_resamples=0", "--set", "report.pdf=false"]

    done = installed.run(
        "cosima-post", *NEED_REPORT[0], *quick, PYTHONPATH=str(tmp_path / "packages")
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert (installed.folder / "built" / "report.html").exists()


def test_the_notebook_prints_what_is_stored_in_it(installed, tmp_path):
    """With the wheel, as a reader of the documentation runs it."""
    stored = ROOT / "docs" / "notebooks"
    again = shutil.copytree(stored, installed.folder / "docs" / "notebooks")
    with_jupyter = [*required(), *map(Requirement, ("nbclient", "ipykernel"))]
    link_packages(with_jupyter, tmp_path / "packages")

    done = installed.run(
        "python", str(ROOT / "scripts/run_notebooks"), str(again),
        PYTHONPATH=str(tmp_path / "packages"), HOME=str(tmp_path), TMPDIR=str(tmp_path),
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    names = {path.name for path in stored.glob("*.ipynb")}
    assert names
    assert {name: list_outputs(again / name) for name in names} == {
        name: list_outputs(stored / name) for name in names
    }


def list_outputs(path: Path) -> list[str]:
    """Return what the cells of a notebook print, as text."""
    cells = nbformat.read(path, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return [
        output["text"] if "text" in output else output["data"]["text/plain"] for output in outputs
    ]


def test_the_package_is_typed(wheel, tmp_path):
    """In an environment without its dependencies, whose types take longest to read."""
    venv.create(tmp_path / "venv", symlinks=True)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    (tmp_path / "consumer.py").write_text(CONSUMER)
    python = str(tmp_path / "venv" / "bin" / "python")
    found = ["--python-executable", python, "--cache-dir", str(tmp_path / "cache")]

    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", "--strict", *found, "consumer.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.stdout == "Success: no issues found in 1 source file\n"


def test_public_names_are_the_same_in_code_types_and_docs():
    tree = ast.parse(Path(postprocess.__file__).read_text(encoding="utf-8"))
    (typed,) = (node.body for node in tree.body if isinstance(node, ast.If))
    homes = {alias.asname: node.module for node in typed for alias in node.names}

    assert {name: getattr(postprocess, name).__module__ for name in postprocess.__all__} == homes
    listed = {token.content for token in read_inline(PAGE, "code_inline")}
    assert set(postprocess.__all__) <= listed
    with pytest.raises(AttributeError, match="no attribute 'pandas'"):
        postprocess.pandas  # noqa: B018


def test_importing_the_package_does_not_load_pandas():
    code = (
        "import sys, postprocess; "
        "sys.exit(any(name in sys.modules for name in ('numpy', 'pandas', 'scipy', 'pyarrow')))"
    )

    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
