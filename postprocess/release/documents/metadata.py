"""The metadata block of the dataset card, which dataset hubs read."""

from typing import Any

import yaml

from postprocess.release.description.licences import LICENCES
from postprocess.release.description.missing_text import mark
from postprocess.release.documents.summaries import Subject

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
LARGER = "1M<n<10M"
TAGS = ("word-similarity", "lexical-semantics")
OF_COSIMLEX = ("graded-similarity-in-context", "cosimlex")


def render_metadata(subject: Subject) -> str:
    """Return the block with its fences, in the format of the Hugging Face hub.

    It has no placeholders except for the title: a hub refuses unknown licences.
    """
    return f"---\n{write_yaml(make_metadata(subject))}---\n"


def make_metadata(subject: Subject) -> dict[str, Any]:
    """Return the entries of the block."""
    description, language = subject.description, subject.language
    is_of_two = subject.design is not None and subject.design.item.languages == 2
    entries: dict[str, Any] = {
        "pretty_name": subject.stamp(subject.title or mark("Title", "the name of the dataset")),
        "language": language.split("-") if is_of_two else [language.split("-")[0]],
        "multilinguality": ["multilingual" if is_of_two else "monolingual"],
        "source_datasets": ["original"],
        "task_categories": ["text-classification"],
        "task_ids": ["semantic-similarity-scoring", "text-scoring"],
        "size_categories": [name_size(subject.n_test + subject.n_practice)],
        "tags": [*list_tags(subject), *description.dataset.keywords],
        "configs": _make_configs(subject),
    }
    if description.annotators.creators:
        entries["annotations_creators"] = [description.annotators.creators]
    if description.stimuli.creators:
        entries["language_creators"] = [description.stimuli.creators]
    if "-" in language and not is_of_two:
        entries["language_bcp47"] = [language]
    if description.dataset.licence:
        entries["license"] = LICENCES[description.dataset.licence].hub_name
    return entries


def list_tags(subject: Subject) -> tuple[str, ...]:
    """Return the keywords that follow from the design."""
    return TAGS if subject.design else TAGS + OF_COSIMLEX


def name_size(n_rows: int) -> str:
    """Return the hub's size category for a number of rows.

    >>> name_size(999), name_size(1000), name_size(2_000_000)
    ('n<1K', '1K<n<10K', '1M<n<10M')
    """
    return next((name for bound, name in SIZES if n_rows < bound), LARGER)


def write_yaml(entries: dict[str, Any]) -> str:
    """Return entries as YAML, in order, each text on one line."""
    text = yaml.safe_dump(entries, allow_unicode=True, sort_keys=False, width=float("inf"))
    return str(text)


def _make_configs(subject: Subject) -> list[dict[str, Any]]:
    """Return the tables for the hub: Parquet, since fields of the text files may start with "."""
    dataset = [{"split": "test", "path": f"{subject.stem}.parquet"}]
    if subject.n_practice:
        path = f"practice_kit/{subject.stem}.parquet"
        dataset.append({"split": "practice", "path": path})
    distributions = [{"split": "contexts", "path": f"distributions_{subject.tag}.parquet"}]
    ratings = [{"split": "ratings", "path": f"ratings_{subject.tag}.parquet"}]
    return [
        {"config_name": "dataset", "default": True, "data_files": dataset},
        {"config_name": "distributions", "data_files": distributions},
        {"config_name": "ratings", "data_files": ratings},
    ]
