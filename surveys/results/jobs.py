"""What takes long beside post-processing: many links, and all answers as a file."""

import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from django.core.files import File
from django.db import transaction

from surveys.errors import RunRefused
from surveys.models import Annotator, Run
from surveys.recruitment.links import invite_annotators, invite_listed
from surveys.results.export import ROWS_A_CHUNK, find_responses, stream_responses
from surveys.results.export_parquet import ROWS_A_GROUP, stream_responses_as_parquet
from surveys.results.ratings_table import note_instant
from surveys.results.run_files import LIST_DROPPED
from surveys.results.run_leases import note_sign_of_life

Tell = Callable[[str, int, int], None]
LINKS_AT_ONCE = 1000  # more are made in the background, so many in a transaction
EXPORT_FORMS = ("csv", "parquet")


def make_links(run: Run, tell: Tell) -> dict[str, Any]:
    """Make the links that a run asks for; tried again, it goes on where it was broken off.

    Whom they are for is in `notes` of its wishes, and forgotten there when the job is over. Raises
    RunRefused where the list is gone.
    """
    if run.has_lost_list:
        raise RunRefused(LIST_DROPPED)
    notes = run.wishes.get("notes")
    n_wanted = run.wishes["count"] if notes is None else len(notes)
    report = run.report or {"n_done": 0, "n_new": 0}
    while report["n_done"] < n_wanted:
        tell("making links", report["n_done"], n_wanted)
        begin, end = report["n_done"], min(report["n_done"] + LINKS_AT_ONCE, n_wanted)
        with transaction.atomic():
            if notes is None:
                n_new = len(invite_annotators(run.study, end - begin))
            else:
                n_new = len(invite_listed(run.study, notes[begin:end]).new)
            report = {"n_done": end, "n_new": report["n_new"] + n_new}
            note_sign_of_life(run, report=report)
    return {"report": report, "wishes": {"count": n_wanted}}


def write_export(run: Run, tell: Tell) -> dict[str, Any]:
    """Write the answers of a run's study to its file, with no more than a part in memory.

    Raises RunRefused when somebody has withdrawn meanwhile: the file may hold what is erased.
    """
    form, begun = run.wishes["form"], note_instant(run.study)
    n_rows = find_responses(run.study).count()
    with tempfile.TemporaryFile() as file:
        for n, piece in enumerate(_stream(run, form)):
            file.write(piece)
            tell("writing answers", n * _rows_a_piece(form), n_rows)
        if Annotator.objects.filter(study=run.study, withdrawn_at__gte=begun).exists():
            raise RunRefused("Somebody withdrew while the file was written. Try again.")
        name = f"responses_{run.study.slug}_{run.number}.{form}"
        run.archive.save(name, File(file), save=False)
    return {"report": {"n_rows": n_rows}}


def read_form(form: str) -> str:
    """A form that answers can be exported in. Raises RunRefused for any other."""
    if form not in EXPORT_FORMS:
        raise RunRefused(f"Answers are exported as {' or '.join(EXPORT_FORMS)}.")
    return form


def _stream(run: Run, form: str) -> Iterator[bytes]:
    if form == "parquet":
        return stream_responses_as_parquet(run.study)
    return (text.encode() for text in stream_responses(run.study))


def _rows_a_piece(form: str) -> int:
    return ROWS_A_GROUP if form == "parquet" else ROWS_A_CHUNK
