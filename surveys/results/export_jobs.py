"""Background jobs other than post-processing: many links, and exports of all responses."""

import tempfile
from collections.abc import Iterator
from typing import Any

from django.core.files import File
from django.db import transaction

from surveys.errors import RunRefused
from surveys.jobs.perform import Progress
from surveys.models import Annotator, Run
from surveys.recruitment.links import invite_annotators, invite_listed
from surveys.results.export import ROWS_A_CHUNK, find_responses, stream_responses
from surveys.results.export_parquet import ROWS_A_GROUP, stream_responses_as_parquet
from surveys.results.ratings_table import withdrawal_cutoff
from surveys.results.run_files import LIST_DROPPED
from surveys.results.run_jobs import makes_run, store_part

LINKS_AT_ONCE = 1000  # in a transaction; more than that are created in the background
EXPORT_FORMATS = ("csv", "parquet")


@makes_run
def make_links(run: Run, progress: Progress) -> dict[str, Any]:
    """Create the links that a run requests; a retry continues where the run was interrupted.

    The list of notes is in the job's request until the job is over. Raises RunRefused if the
    list was deleted.
    """
    if run.has_lost_list:
        raise RunRefused(LIST_DROPPED)
    notes = run.request.get("notes")
    n_wanted = run.request["count"] if notes is None else len(notes)
    report = run.report or {"n_done": 0, "n_new": 0}
    while report["n_done"] < n_wanted:
        progress("creating links", report["n_done"], n_wanted)
        begin, end = report["n_done"], min(report["n_done"] + LINKS_AT_ONCE, n_wanted)
        with transaction.atomic():
            if notes is None:
                n_new = len(invite_annotators(run.study, end - begin))
            else:
                n_new = len(invite_listed(run.study, notes[begin:end]).new)
            report = {"n_done": end, "n_new": report["n_new"] + n_new}
            store_part(run, report)
    return {"report": report, "request": {"count": n_wanted}}


@makes_run
def write_export(run: Run, progress: Progress) -> dict[str, Any]:
    """Write the responses of a run's study to its file, holding one chunk in memory at a time.

    Raises RunRefused if an annotator withdrew meanwhile: the file may contain erased data.
    """
    form, began_at = run.request["form"], withdrawal_cutoff(run.study)
    n_rows = find_responses(run.study).count()
    chunks: Iterator[bytes] = map(str.encode, stream_responses(run.study))
    rows_a_chunk = ROWS_A_CHUNK
    if form == "parquet":
        chunks, rows_a_chunk = stream_responses_as_parquet(run.study), ROWS_A_GROUP
    with tempfile.TemporaryFile() as file:
        for n, chunk in enumerate(chunks):
            file.write(chunk)
            progress("writing responses", n * rows_a_chunk, n_rows)
        if Annotator.objects.filter(study=run.study, withdrawn_at__gte=began_at).exists():
            raise RunRefused("An annotator withdrew while the file was being written. Try again.")
        name = f"responses_{run.study.slug}_{run.number}.{form}"
        run.archive.save(name, File(file), save=False)
    return {"report": {"n_rows": n_rows}}
