"""BibTeX entries of results and of shared tasks."""

from surveys.sharedtasks.boards.results import Result
from surveys.sharedtasks.models import SharedTask


def cite_result(result: Result, address: str) -> str:
    """Return the BibTeX entry of a result, whose page has an address."""
    submission = result.submission
    shared_task = submission.phase.shared_task
    system = submission.team.system if result.is_described else ""
    name = f"{system} ({result.team})" if system and system != result.team else result.team
    year = (shared_task.published_at or submission.sent_at).year
    return _write_entry(
        f"{shared_task.slug}-{submission.code}",
        {
            "author": f"{{{_escape(result.team)}}}",
            "title": _escape(f"{name}: result in {shared_task.title}"),
            "year": str(year),
            "note": _escape(f"Phase {submission.phase.name}, submission {submission.number}"),
            "howpublished": rf"\url{{{address}}}",
        },
    )


def cite_task(shared_task: SharedTask, address: str) -> str:
    """Return the BibTeX entry of a shared task, whose overview has an address."""
    since = shared_task.published_at or shared_task.opened_at or shared_task.created_at
    return _write_entry(
        shared_task.slug,
        {
            "title": _escape(shared_task.title),
            "year": str(since.year),
            "note": "Shared task",
            "howpublished": rf"\url{{{address}}}",
        },
    )


def _write_entry(key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{{key},", *lines, "}"]) + "\n"


def _escape(text: str) -> str:
    from postprocess.reporting.published import escape_latex

    return escape_latex(text)
