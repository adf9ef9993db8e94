from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import FileSystemStorage, storages

from tests.factories.jobs import perform_all
from tests.factories.repositories import TOKEN, Hub, Storage, Zenodo, serve
from tests.fixtures.accounts import ana, as_ana, owner, researcher, reviewer, sign_in
from tests.fixtures.studies import link, prolific, rated_one, study, study_prolific, tied

__all__ = [
    "ana",
    "as_ana",
    "link",
    "owner",
    "prolific",
    "rated_one",
    "researcher",
    "reviewer",
    "sign_in",
    "study",
    "study_prolific",
    "tied",
]

PLATES: dict[str, Any] = {}  # figures of the first run of this process


@pytest.fixture(autouse=True)
def jobs_performed_when_committed(monkeypatch):
    """Perform jobs once the transaction of their request is committed, as a dispatcher does."""
    monkeypatch.setattr("surveys.jobs.queue.wake", perform_all)


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """The folder of the site's backups, with its journal."""
    folder = tmp_path / "backups"
    monkeypatch.setitem(storages._storages, "backups", FileSystemStorage(folder))  # noqa: SLF001
    return folder


@pytest.fixture
def performed(django_capture_on_commit_callbacks):
    """Perform the jobs that are queued in a block at its end."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.fixture
def figures_rendered_once(monkeypatch):
    """Draw the figures of every run, but write their files only once.

    Writing takes most of the time of a run; `tests/postprocess/reporting` tests what is written.
    """
    from postprocess.reporting.figures import gallery  # not in tests without figures: it is large

    def render(made: Iterable[Any], stamp: str = "") -> dict[str, Any]:
        drawn = list(made)
        PLATES.update(gallery.render_plates([one for one in drawn if one.name not in PLATES]))
        return {
            one.name: PLATES[one.name]._replace(title=one.title, caption=one.caption)
            for one in drawn
        }

    monkeypatch.setattr("postprocess.reporting.report_files.render_plates", render)


@pytest.fixture
def comparisons_without_plots(monkeypatch):
    """Draw no plot of a comparison: drawing takes most of its time, and is tested elsewhere."""
    files = "postprocess.reporting.two_collections.comparison_files"
    monkeypatch.setattr(f"{files}.draw_plots", lambda comparison: [])


@pytest.fixture
def comparisons_with_one_plot(monkeypatch):
    """Draw the first plot of a comparison alone."""
    from postprocess.reporting.two_collections import comparison_files

    monkeypatch.setattr(comparison_files, "PLOTS", comparison_files.PLOTS[:1])


@pytest.fixture
def boards_without_figures(monkeypatch):
    """Archive final boards without figures: drawing them takes most of the time of finalising.

    Not where `make_published` is called first: its archive is kept for other tests.
    """
    monkeypatch.setattr(
        "postprocess.boards.archive.illustrate_board", lambda board, *, is_gold_public: []
    )


@pytest.fixture
def zenodo(settings: Any) -> Iterator[Zenodo]:
    """A repository as Zenodo, for which the site has a token."""
    with serve(Zenodo()) as repository:
        settings.ZENODO_URL, settings.ZENODO_TOKEN = repository.url, TOKEN
        yield repository


@pytest.fixture
def hub(settings: Any) -> Iterator[Hub]:
    """A repository as the Hugging Face Hub, with its storage host."""
    with serve(Storage()) as storage, serve(Hub(storage)) as repository:
        settings.HUGGING_FACE_URL, settings.HUGGING_FACE_TOKEN = repository.url, TOKEN
        settings.HUGGING_FACE_STORAGE_HOSTS = ["127.0.0.1"]
        yield repository
