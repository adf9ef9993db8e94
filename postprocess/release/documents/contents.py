"""The files and columns of a release, described for its card and for Croissant."""

from collections.abc import Sequence
from typing import NamedTuple

from postprocess.designs.scored import name_score
from postprocess.pipeline import name_data, name_unscored
from postprocess.release.documents.summaries import Subject
from postprocess.release.individual import SECOND_LOOK, name_decisions
from postprocess.release.kit import PRACTICE
from postprocess.steps.ledger import name_single
from postprocess.steps.rehearsal import SCRIPTED
from postprocess.table.details import BEFORE, LAYOUT, ORDER

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
ITEM_COLUMNS = {
    "id": "the id of the item",
    "word1": "the first word",
    "word2": "the second word",
    "text1": "the text of the first word, which is in <strong> tags",
    "text2": "the text of the second word, marked in the same way",
    "form1": "the form of the first word in its text",
    "form2": "the form of the second word in its text",
    "pos": "part of speech",
}
SCORE_COLUMNS = {
    "score": Column("score", "sc:Float", "the score"),
    "tag": Column("tag", "sc:Text", "T for the same meaning, F for different meanings"),
    "n": Column("n", "sc:Integer", "number of the ratings in the score"),
    "stdev": Column("stdev", "sc:Float", "sample standard deviation of the ratings"),
    "median": Column("median", "sc:Float", "median of the ratings"),
    "mean": Column("mean", "sc:Float", "mean of the ratings"),
    "share": Column("share", "sc:Float", "share of the ratings that are equal to the score"),
}
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
    Column(BEFORE, "sc:Float", "the rating before the second look, of those that were shown again"),
    Column(ORDER, "sc:Text", "which answer to a doubled item came first; empty for other items"),
    Column("inspired_word1", "sc:Text", "first engagement word; empty without consent"),
    Column("inspired_word2", "sc:Text", "second engagement word; empty without consent"),
    Column("written1", "sc:Text", "written for the first word; empty without consent"),
    Column("written2", "sc:Text", "written for the second word; empty without consent"),
    Column(SCRIPTED, "sc:Boolean", "whether the rating is by a script, not by a person"),
)


def dataset_columns(subject: Subject) -> Sequence[Column]:
    """Return the columns of the dataset."""
    design, dataset = subject.design, subject.dataset
    if design is None:
        return DATASET
    figures = [name for name in name_single(dataset.outcome.pairs) if name in SCORE_COLUMNS]
    others = [name for name in figures if name != "score"]
    meanings = ((name, ITEM_COLUMNS.get(name, "as in the stimuli")) for name in dataset.columns)
    return (
        *(Column(name, "sc:Text", meaning) for name, meaning in meanings),
        *(SCORE_COLUMNS[name] for name in (name_score(design), *others)),
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
        name_decisions(tag): "the answers that another person decided on, as individual ratings",
        f"distributions_{tag}.parquet": "shares of the points of the scale in each context (soft "
        "labels), entropy, polarisation, agreement",
        f"distributions_{tag}.json": "the same as JSON, a line for each context",
        f"sources_{tag}.tsv": "the document, its licence and the place in it for each context",
        f"origin_{tag}.json": "how the contexts were found: corpus, filters, seeds and models",
        "ATTRIBUTION.md": "the documents that the contexts come from, by licence",
        "rebuild.py": "restores the texts that are withheld from the files of the corpus",
        SECOND_LOOK: "ratings that annotators looked at again: before, the mean of the others and "
        "their number, after, and whether it was kept, changed or not answered",
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
    if design := subject.design:
        descriptions |= {
            f"{subject.stem}.csv": "the dataset: items with their scores (tab separated)",
            "scores.tsv": "all figures of each item",
            "intervals.tsv": "scores with 95 % intervals over annotators",
            name_data(design, tag): "the items, without scores",
            name_unscored(tag): "the items without a score; their numbers are the last ones",
            f"results/results_subtask1_{tag}.tsv": "empty result file",
            f"distributions_{tag}.parquet": "shares of the points of the scale for each item (soft "
            "labels), entropy, polarisation, agreement",
            f"distributions_{tag}.json": "the same as JSON, a line for each item",
            "design.toml": "the design of the collection",
        }
        if path.startswith("published/"):
            return f"the test data in the layout {design.files.layout}"
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


def context_column(subject: Subject) -> Column:
    """Return the column of the number of a context."""
    return CONTEXT._replace(meaning="always 1") if subject.design else CONTEXT


def distribution_columns(subject: Subject, points: Sequence[str]) -> list[Column]:
    """Return the columns of the distributions on a scale with these points."""
    columns = [PAIR, context_column(subject)]
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


def ratings_columns(subject: Subject) -> list[Column]:
    """Return the columns of the individual ratings in this release."""
    named = [column for column in RATINGS if column.name in subject.rating_columns]
    return [context_column(subject) if column is CONTEXT else column for column in named]
