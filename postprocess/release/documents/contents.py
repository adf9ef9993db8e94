"""The files and columns of a release, described for its card and for Croissant."""

from collections.abc import Sequence
from typing import NamedTuple

from postprocess.pipeline import name_unscored
from postprocess.release.documents.summaries import Subject
from postprocess.release.kit import PRACTICE
from postprocess.steps.rehearsal import SCRIPTED
from postprocess.table.details import LAYOUT

FORMATS = {
    "csv": "text/tab-separated-values",
    "tsv": "text/tab-separated-values",
    "parquet": "application/x-parquet",
    "json": "application/json",
    "toml": "application/toml",
    "md": "text/markdown",
    "cff": "application/yaml",
    "html": "text/html",
    "pdf": "application/pdf",
    "png": "image/png",
    "svg": "image/svg+xml",
    "tex": "application/x-tex",
    "py": "text/x-python",
}
COMMA_SEPARATED = "checkpoints_"


class Column(NamedTuple):
    """A column of a table: its name, its type in Croissant, and its meaning."""

    name: str
    kind: str
    meaning: str


DATASET = (
    Column("word1", "sc:Text", "the first word of the pair, in dictionary form"),
    Column("word2", "sc:Text", "the second word of the pair, in dictionary form"),
    Column("context1", "sc:Text", "a short text with both words, each in <strong> tags"),
    Column("context2", "sc:Text", "another text with both words, marked in the same way"),
    Column("sim1", "sc:Float", "mean similarity in context 1, three significant digits"),
    Column("sim2", "sc:Float", "mean similarity in context 2"),
    Column("stdev1", "sc:Float", "sample standard deviation in context 1"),
    Column("stdev2", "sc:Float", "sample standard deviation in context 2"),
    Column(
        "pvalue",
        "sc:Float",
        "p-value of the change, by a one-sided Mann-Whitney test, as in the published files; "
        "scores.tsv has q and the two-sided p",
    ),
    Column("word1_context1", "sc:Text", "the form of the first word in context 1"),
    Column("word2_context1", "sc:Text", "the form of the second word in context 1"),
    Column("word1_context2", "sc:Text", "the form of the first word in context 2"),
    Column("word2_context2", "sc:Text", "the form of the second word in context 2"),
)
PAIR = Column("pair", "sc:Integer", "the number of the pair: its row in the dataset, from 1")
CONTEXT = Column("context", "sc:Integer", "1 or 2")
RATINGS = (
    Column("language", "sc:Text", "code of the language"),
    PAIR,
    CONTEXT,
    Column("annotator", "sc:Text", "id of the annotator, used only in this release"),
    Column("rating", "sc:Float", "in points of the rating scale; empty if not rated"),
    Column("group", "sc:Text", "questionnaire: annotators of one group rated the same items"),
    Column("mark", "sc:Text", "why the rating is not used; empty if it is"),
    Column("block", "sc:Text", "the pairs that are judged in one sitting"),
    Column("pos", "sc:Text", "part of speech of the pair"),
    Column(
        LAYOUT,
        "sc:Text",
        "how the page showed the scale: row, column, field (for a number) or slider (with a field)",
    ),
    Column("inspired_word1", "sc:Text", "first engagement word; empty without consent"),
    Column("inspired_word2", "sc:Text", "second engagement word; empty without consent"),
    Column(SCRIPTED, "sc:Boolean", "whether the rating is by a script, not by a person"),
)


def describe_file(subject: Subject, path: str) -> str:
    """Return a short description of a file of the release; "" if the file is unknown."""
    tag = subject.tag
    descriptions = {
        f"{subject.stem}.csv": "the dataset, in the published format (tab separated)",
        f"{subject.stem}.parquet": "the same as Parquet, with the number of the pair",
        "scores.tsv": "all figures of each pair: n, median, q, both p-values, effect size",
        "intervals.tsv": "scores and changes with 95 % intervals over annotators",
        f"data/data_{tag}.tsv": "the pairs and contexts, without scores",
        name_unscored(tag): "the pairs without two scores; their numbers are the last ones",
        f"gold/gold_{tag}.tsv": "the scores to predict",
        f"results/results_subtask1_{tag}.tsv": "empty result file: predicted change",
        f"results/results_subtask2_{tag}.tsv": "empty result file: predicted similarities",
        f"ratings_{tag}.tsv": "individual ratings",
        f"ratings_{tag}.parquet": "the same as Parquet",
        f"checkpoints_{tag}.csv": "answers to items of known similarity (comma separated)",
        f"distributions_{tag}.parquet": "shares of the points of the scale in each context (soft "
        "labels), entropy, polarisation, agreement",
        f"distributions_{tag}.json": "the same as JSON, a line for each context",
        f"sources_{tag}.tsv": "the document, its licence and the place in it for each context",
        f"origin_{tag}.json": "how the contexts were found: corpus, filters, seeds and models",
        "ATTRIBUTION.md": "the documents that the contexts come from, by licence",
        "rebuild.py": "restores the texts that are withheld from the files of the corpus",
        "annotators.tsv": "figures and decision for each annotator of each group",
        "ledger.tsv": "what happened to each rating, and why",
        "recipe.toml": "the post-processing steps with all settings",
        "report.json": "counts, digests, agreement, reliability, decisions on annotators",
        "report.html": "the report",
        "explorer.html": "all pairs to search, with texts and ratings; needs no network",
        "report.pdf": "the report, to print",
        "table1.tex": "Table 1 of the task paper, recomputed, with this dataset",
        "description.toml": "the description of the study",
        "log.tsv": "the decisions about the study, with dates",
        "DATA_STATEMENT.md": "data statement (Bender and Friedman, 2018)",
        "CHECKLIST.md": "annotation part of the Responsible NLP checklist",
        "CITATION.cff": "the citation of the dataset",
        "croissant.json": "machine-readable metadata (Croissant 1.1 and its RAI vocabulary)",
        "README.md": "this card",
        "SHA256SUMS": "checksums: sha256sum -c SHA256SUMS",
    }
    if path.startswith("texts/"):
        return "a text as shown to annotators"
    if path.startswith("figures/"):
        return "a figure of the report"
    folder, _, name = path.rpartition("/")
    if folder == PRACTICE:
        by_name = {name.rpartition("/")[2]: what for name, what in descriptions.items()}
        return f"practice pairs: {by_name.get(name, '')}"
    return descriptions.get(path, "")


def name_format(path: str) -> str:
    """Return the media type of a file of the release."""
    if path.startswith(COMMA_SEPARATED):
        return "text/csv"
    return FORMATS.get(path.rpartition(".")[2], "application/octet-stream")


def distribution_columns(points: Sequence[str]) -> list[Column]:
    """Return the columns of the distributions on a scale with these points."""
    columns = [PAIR, CONTEXT]
    for kind, which in (
        ("given", "as given, before calibration and filtering"),
        ("used", "in the scores"),
    ):
        columns += [
            Column(f"n_{kind}", "sc:Integer", f"number of the ratings {which}"),
            Column(f"entropy_{kind}", "sc:Float", f"entropy of the ratings {which}, in bits"),
            Column(
                f"polarisation_{kind}",
                "sc:Float",
                f"Leik's dispersion of the ratings {which}: 1 if half are at each end of the scale",
            ),
            Column(f"agreement_{kind}", "sc:Float", f"van der Eijk's A of the ratings {which}"),
        ]
        columns += [
            Column(f"{kind}_{point}", "sc:Float", f"share of {point} among the ratings {which}")
            for point in points
        ]
    return columns


def ratings_columns(names: Sequence[str]) -> list[Column]:
    """Return the columns of the individual ratings in this release."""
    return [column for column in RATINGS if column.name in names]
