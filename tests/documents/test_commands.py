"""The commands and programs of the documents run as they are written, in a fresh copy."""

import re

import pandas as pd
import pytest
from django.conf import settings

from tests.documents.copying import copy_repository
from tests.documents.reading import list_documents, read_blocks, tracked_files
from tests.documents.terminal import opened, split_commands
from tests.end_to_end.commands import share_static_files
from tests.end_to_end.databases import fresh_database
from tests.fixtures.models import e5_folder, have_models, minilm, torch  # noqa: F401
from tests.fixtures.sites import pristine  # noqa: F401

RUN = {"sh", "python"}
DATA = {"text", "toml", "json", "http", "nginx", "yaml", "{toctree}"}

# In this order, as a reader goes on from the README, in one copy and with one site.
WITH_SITE = (
    "README.md", "docs/tutorial.md", "docs/survey.md", "docs/releases.md", "docs/console.md",
    "mturk_simulator/README.md", "docs/crowds.md", "docs/backups.md",
)  # fmt: skip
# In this order, in one copy, without a site.
WITHOUT_SITE = (
    "docs/postprocessing.md", "docs/audit.md", "docs/confounds.md", "docs/planning.md",
    "docs/comparison.md", "docs/layouts.md", "docs/contexts.md", "docs/scoring.md",
)  # fmt: skip
WITH_MODEL = "docs/contexts.md"  # among them
WITH_E5 = "docs/corpus_tutorial.md"  # needs another model for most of its commands
# Run by other tests, which also check the results.
ELSEWHERE = {
    "docs/api.md": "tests/surveys/web/api/test_worked_example.py",
    "docs/sharedtasks.md": "tests/end_to_end/test_submitting_program.py",
    "docs/statistics.md": "tests/postprocess/test_worked_example.py",
    "docs/library.md": "tests/test_packaging.py",
}

# What does not run in a test, by its exact text, and why.
LOAD = "measures for minutes to hours, with nothing else on the machine; see tests/test_bench.py"
DEPOSIT = "needs a token; tests/surveys/web/console/test_deposits.py"
LEFT_OUT = {
    "README.md": {"scripts/test": "runs this test"},
    "docs/console.md": {
        "celery -A annotation_site worker": "needs a broker; tests/end_to_end/test_background.py",
    },
    "docs/releases.md": {
        "python manage.py deposit_release sl 3 zenodo --dry-run": DEPOSIT,
        "python manage.py deposit_release sl 3 zenodo": DEPOSIT,
    },
    "mturk_simulator/README.md": {
        "python -m mturk_simulator --keep var --platform http://127.0.0.1:8000":
            "what scripts/serve --with-mturk starts; by itself: mturk_simulator/tests",
    },
    "docs/library.md": {
        "python -m pip install .": "needs the network; tests/test_packaging.py installs offline",
        "python -m pip install '.[report]'": "needs the network, likewise",
        "python -m pip install '.[models]'": "needs the network, likewise",
    },
    "docs/contexts.md": {
        "hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir models/minilm":
            "needs the network; the model is that of a package",
    },
    "docs/scoring.md": {
        "python -m preprocess predict --data demo/data_en.tsv --model models/minilm --out minilm":
            "needs a model; tests/preprocess/commands/test_predict.py",
    },
    "docs/corpus_tutorial.md": {
        "hf download intfloat/multilingual-e5-small --local-dir models/e5":
            "needs the network; the model is that of a package",
    },
    "bench/README.md": {
        ".venv/bin/python bench/load.py --out results.json": LOAD,
        ".venv/bin/python bench/load.py --cases cosima-sqlite bare-sqlite --annotators 40 "
        "--large 0 --no-dropout": LOAD,
        ".venv/bin/python bench/load.py --divide 10 --repetitions 1 --large 1000": LOAD,
        ".venv/bin/python bench/load.py --annotators 40 --large 0 --no-dropout --servers "
        "granian:1x2 granian-wsgi:2x2 gunicorn-gthread:2x2 waitress:1x4 uwsgi:2x2 uvicorn:1x4":
            LOAD,
        ".venv/bin/python bench/load.py --repositories ../before . --cases cosima-sqlite cosima-pg "
        "--cluster postgres://postgres@127.0.0.1:5432 --annotators 40 --large 0 --no-dropout "
        "--repetitions 5": LOAD,
        ".venv/bin/python bench/postprocessing.py --rows 0 --builds ../before . --repetitions 5":
            LOAD,
    },
}  # fmt: skip

# What happens between two commands by other hands: "when enough have finished".
FIRST = {
    ("docs/tutorial.md", "python manage.py describe_study sl > description.toml"):
        "python manage.py rehearse_study sl --base-url http://127.0.0.1:8000 --annotators 2",
}  # fmt: skip


@pytest.fixture
def terminal(pristine, tmp_path):  # noqa: F811
    """A terminal in a fresh copy, whose site has a database with its tables already."""
    folder = copy_repository(tmp_path / "cosima")
    (folder / "var").mkdir()
    share_static_files(folder / "var")
    with (
        fresh_database(settings.DATABASES["default"], tmp_path, copy_of=pristine) as url,
        opened(folder, DATABASE_URL=url) as terminal,
    ):
        yield terminal


def blocks_of(*documents):
    return [block for document in documents for block in read_blocks(document)]


def commands_of(document):
    return [c for b in read_blocks(document) if b.language == "sh" for c in split_commands(b.text)]


@pytest.mark.needs("sharedtasks", "crowd", "contexts")
def test_what_needs_a_site_runs_as_it_is_written(terminal):
    for block in blocks_of(*WITH_SITE):
        for command in split_commands(block.text):
            if meanwhile := FIRST.get((block.document, command)):
                assert terminal.run(meanwhile).returncode == 0
        terminal.follow(block, LEFT_OUT.get(block.document, {}))

    wanted = re.findall(r"annotators wanted: (\d+)", "\n".join(terminal.said))
    tutorial = (terminal.folder / "docs/tutorial.md").read_text(encoding="utf-8")
    assert re.search(r"the (\d+) that the import requires", tutorial)[1] in wanted


def test_what_needs_no_site_runs_as_it_is_written(tmp_path):
    """The document whose commands need a model is run once: in the next test, if that runs."""
    documents = [name for name in WITHOUT_SITE if name != WITH_MODEL or not have_models()]
    of_models = dict.fromkeys(filter(needs_model, commands_of(WITH_MODEL)), "there is no model")
    with opened(copy_repository(tmp_path / "cosima")) as terminal:
        for block in blocks_of(*documents):
            terminal.follow(block, LEFT_OUT.get(block.document, {}) | of_models)


def test_what_needs_a_model_runs_as_it_is_written(tmp_path, minilm):  # noqa: F811
    with opened(copy_repository(tmp_path / "cosima")) as terminal:
        (terminal.folder / "models").mkdir()
        (terminal.folder / "models" / "minilm").symlink_to(minilm)
        for block in blocks_of(WITH_MODEL):
            terminal.follow(block, LEFT_OUT[WITH_MODEL])


def test_the_tutorial_of_contexts_runs_as_it_is_written(tmp_path, e5_folder):  # noqa: F811
    with opened(copy_repository(tmp_path / "cosima")) as terminal:
        (terminal.folder / "models").mkdir()
        (terminal.folder / "models" / "e5").symlink_to(e5_folder)
        for block in blocks_of(WITH_E5):
            terminal.follow(block, LEFT_OUT[WITH_E5])

        candidates = pd.read_parquet(terminal.folder / "hr/candidates.parquet")
    assert candidates["pair"].value_counts().to_dict() == {1: 6, 2: 6, 3: 6}
    assert {"score_e5@7", "score_e5@12"} < {*candidates}


def needs_model(command: str) -> bool:
    return "minilm" in command


@pytest.mark.parametrize("document", list_documents())
def test_every_command_runs_or_is_listed_with_a_reason(document):
    blocks = read_blocks(document)
    assert {block.language for block in blocks} <= RUN | DATA
    listed = set(LEFT_OUT.get(document, {}))
    assert listed <= set(commands_of(document))
    if document not in {*WITH_SITE, *WITHOUT_SITE, WITH_E5}:
        assert set(commands_of(document)) == listed
        programs = [block for block in blocks if block.language == "python"]
        assert bool(programs) == (document in ELSEWHERE)
        assert ELSEWHERE.get(document, document) in tracked_files()


def test_no_command_has_a_gap_to_fill_in():
    commands = {command for document in list_documents() for command in commands_of(document)}

    assert {command for command in commands if "…" in command or "..." in command} == set()


def test_what_happens_by_other_hands_comes_before_a_command_that_exists():
    assert set(FIRST) <= {(d, command) for d in WITH_SITE for command in commands_of(d)}
