"""The README of a kit: format, dates, limits and formulas, as Markdown."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from postprocess.kits.rules import KitPart, PhaseRules, TaskRules, Visibility
from postprocess.release.documents.markdown import escape
from postprocess.reporting.phrases import write_count
from postprocess.scoring.metrics import Metric, Track
from postprocess.scoring.predictions import LINES, MOST_ROWS, list_endings, name_result_file

ANYWHERE = "Etc/GMT+12"  # anywhere on earth: the sign of this name is turned round
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
SEEN = {
    Visibility.HIDDEN: (
        "You learn whether your files are valid. Scores are hidden until the results are published."
    ),
    Visibility.OWN: "You see the scores of your own submissions at once.",
    Visibility.BOARD: "Everybody sees all scores at once.",
}
FILES = {
    "data": "`data/data_<lang>.tsv`: the pairs and their two contexts, with both words marked",
    "gold": "`gold/gold_<lang>.tsv`: the scores to predict, of practice pairs alone",
    "results": (
        "`res1/`, `res2/`: complete result files of the baseline *distance* (minus the number of "
        "words from one target word to the other), as examples of the format"
    ),
    "examples": "`submission_examples/`: the same files packed as they are sent",
    "instructions": "`instructions/<lang>/`: what annotators read",
    "score": "`score.py`: the scorer; it needs Python 3.6 or later and nothing else",
    "sums": "`SHA256SUMS`: checksums of all files (`sha256sum -c SHA256SUMS`)",
}
ITEMS = "`data/data_<lang>.tsv`: the rows to predict, with their ids"
FORMATS = {  # of pairs in contexts, by the number of the subtask
    1: (
        "**Subtask 1**, `results_subtask1_<lang>.tsv`: the column `change`, how much more similar "
        "the two words are in context 2 than in context 1."
    ),
    2: (
        "**Subtask 2**, `results_subtask2_<lang>.tsv`: the columns `sim_context1` and "
        "`sim_context2`, how similar they are in each context."
    ),
}


def render_readme(rules: TaskRules, phase: PhaseRules, parts: Sequence[KitPart]) -> str:
    """Return the README of the kit of a phase."""
    blocks = [
        f"# {escape(rules.title)}: {escape(phase.name)}",
        rules.text.strip(),
        "## Dates and limits",
        make_list([*describe_limits(rules, phase), *describe_contact(rules)]),
        "## Files",
        make_list(_name_files(phase, parts)),
        "## What to send",
        describe_format(phase),
        describe_languages(rules, parts),
        "## Scores",
        *(describe_formula(track) for track in phase.tracks),
        describe_average(rules, parts),
        _describe_scorer(phase),
        *(["## Terms", rules.terms.strip()] if rules.terms.strip() else []),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def make_list(lines: Iterable[str]) -> str:
    """Return lines as a list in Markdown."""
    return "\n".join(f"- {line}" for line in lines)


def describe_limits(rules: TaskRules, phase: PhaseRules) -> Iterator[str]:
    """Yield when a phase is open, how often teams may submit, and who sees scores."""
    yield f"Opens: {write_instant(phase.opens_at, rules.zone)}"
    closes = write_instant(phase.closes_at, rules.zone) if phase.closes_at else "open for good"
    yield f"Closes: {closes}"
    limits = [
        f"{write_count(number, 'submission')} {span}"
        for number, span in ((phase.attempts_total, "in all"), (phase.attempts_a_day, "a day"))
        if number is not None
    ]
    yield f"At most {' and '.join(limits)}" if limits else "Any number of submissions"
    yield SEEN[phase.visibility]


def describe_contact(rules: TaskRules) -> Iterator[str]:
    """Yield the address of the shared task, and how to reach its organisers."""
    if rules.address:
        yield f"Address: <{rules.address}>"
    if rules.contact:
        yield f"Contact: {escape(rules.contact)}"


def _name_files(phase: PhaseRules, parts: Sequence[KitPart]) -> Iterator[str]:
    has_instructions = any(part.instructions for part in parts)
    left_out = {"gold": not phase.is_practice, "instructions": not has_instructions}
    texts = FILES
    if not phase.has_contexts:
        left_out |= dict.fromkeys(("results", "examples", "score"), True)
        texts = FILES | {"data": ITEMS}
    yield from (text for name, text in texts.items() if not left_out.get(name))


def describe_format(phase: PhaseRules) -> str:
    """Return what result files and archives are like."""
    formats = "\n\n".join(_describe_track(track) for track in phase.tracks)
    rows = (
        "each pair, in the order of the data. Numbers have digits and a full stop for decimals; "
        "their unit does not matter. Columns `pair` (1, 2, …), `word1` and `word2` are compared "
        "with the data file if they are there."
        if phase.has_contexts
        else "each id of the data, in any order. Numbers have digits and a full stop for decimals."
    )
    return (
        f"{formats}\n\nResult files are tab separated, in UTF-8, with a header and then a row for "
        f"{rows} Send the files, or a zip archive with them. An "
        "archive has at most 50 entries, 10 MB in each file and 20 MB in all; a file has at most "
        f"{MOST_ROWS:,} rows, of 1,000 bytes at most."
    )


def describe_formula(track: Track) -> str:
    """Return how predictions of a track are scored."""
    return f"Subtask {track.number}: {track.formula}"


def _describe_track(track: Track) -> str:
    if track.is_of_contexts:
        return FORMATS[track.number]
    columns = " and ".join(f"`{column}`" for column in ("id", *track.columns))
    name = name_result_file(track.number, "<lang>")
    text = f"**Subtask {track.number}**, {escape(track.title)}, `{name}`: the columns {columns}"
    text += ", T or F." if track.metric is Metric.ACCURACY else "."
    for ending in list_endings(track)[1:]:
        what = (
            "one number a line, in the order of the data" if ending == LINES else "MCL-WiC's JSON"
        )
        text += f" Or `{name_result_file(track.number, '<lang>', ending)}`: {what}."
    return text


def describe_languages(rules: TaskRules, parts: Sequence[KitPart]) -> str:
    """Return which languages there are, and which are required."""
    languages = ", ".join(f"`{part.language}`" for part in parts)
    if not rules.required:
        return f"Languages: {languages}. A missing language has no score and is never filled in."
    required = ", ".join(f"`{language}`" for language in rules.required)
    return (
        f"Languages: {languages}. Results without {required} are refused; another missing language "
        "has no score and is never filled in."
    )


def describe_average(rules: TaskRules, parts: Sequence[KitPart]) -> str:
    """Return what the average is; "" for one language."""
    if len(parts) < 2:
        return ""
    if rules.best_of:
        best = "language" if rules.best_of == 1 else f"{rules.best_of} languages"
        return f"The average is over the best {best}, if there are as many."
    return "The average is over all languages; results that lack a language have no average."


def _describe_scorer(phase: PhaseRules) -> str:
    if not phase.has_contexts:
        return "`python -m postprocess score --metric` of Cosima computes scores."
    folders = " ".join(f"res{track.number}" for track in phase.tracks)
    command = f"python3 score.py --gold gold --results {folders} --data data"
    if phase.is_practice:
        return f"The scores of the practice data: `{command}`"
    return (
        f"When the gold is public, `{command}` gives the scores of the board; the kit of the "
        "practice data has gold."
    )


def write_instant(at: datetime, zone: str) -> str:
    """Write an instant in UTC and, unless the zone is UTC, in the zone.

    >>> write_instant(datetime(2027, 2, 1, 11, 59, 59, tzinfo=UTC), "Etc/GMT+12")
    '1 February 2027, 11:59:59 UTC (31 January 2027, 23:59:59 anywhere on earth, UTC−12)'
    """
    text = f"{_write(at.astimezone(UTC))} UTC"
    if zone == "UTC":
        return text
    name = "anywhere on earth, UTC−12" if zone == ANYWHERE else zone.replace("_", " ")
    return f"{text} ({_write(at.astimezone(ZoneInfo(zone)))} {name})"


def _write(at: datetime) -> str:
    seconds = at.strftime(":%S") if at.second else ""
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}, {at.strftime('%H:%M')}{seconds}"
