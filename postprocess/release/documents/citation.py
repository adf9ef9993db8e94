"""The citation of a dataset: in a line, and as CITATION.cff (Citation File Format 1.2.0)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from postprocess.references import COSIMA, COSIMLEX
from postprocess.release.description.missing_text import mark
from postprocess.release.description.study import Author, list_asked
from postprocess.release.documents.metadata import list_tags, write_yaml
from postprocess.release.documents.summaries import Subject

FORMAT = "1.2.0"
WHO = "the authors of the dataset, in citation order"
WHAT = "the name of the dataset"
ORCID = "https://orcid.org/"
NAMES = {  # entries too strict for a placeholder: name in the description → name in the file
    "version": "version",
    "released_on": "date-released",
    "licence": "license",
    "url": "url",
}
METHODS: tuple[dict[str, Any], ...] = (
    {
        "type": "conference-paper",
        "title": COSIMLEX.title,
        "authors": [
            {"family-names": author.family_names, "given-names": author.given_names}
            for author in COSIMLEX.authors
        ],
        "year": COSIMLEX.year,
        "url": COSIMLEX.url,
        "notes": "The protocol of the collection.",
    },
    {
        "type": "article",
        "title": "SimLex-999: Evaluating Semantic Models with (Genuine) Similarity Estimation",
        "authors": [
            {"family-names": "Hill", "given-names": "Felix"},
            {"family-names": "Reichart", "given-names": "Roi"},
            {"family-names": "Korhonen", "given-names": "Anna"},
        ],
        "year": 2015,
        "journal": "Computational Linguistics",
        "volume": 41,
        "issue": "4",
        "notes": "Calibration and filtering of the ratings.",
    },
)


def render_citation(subject: Subject) -> str:
    """Return the text of `CITATION.cff`."""
    dataset = subject.description.dataset
    entries: dict[str, Any] = {
        "cff-version": FORMAT,
        "message": subject.warning or "If you use this dataset, please cite it as below.",
        "type": "dataset",
        "title": subject.stamp(subject.title or mark("title", WHAT)),
        "authors": [_write_author(author) for author in subject.description.authors]
        or [{"name": mark("authors", WHO)}],
        "abstract": subject.stamp(dataset.summary or mark("abstract", "what the dataset contains")),
        "version": dataset.version,
        "date-released": dataset.released_on and dataset.released_on.isoformat(),
        "license": dataset.licence,
        "doi": dataset.doi,
        "url": dataset.url,
        "keywords": list(dict.fromkeys((*list_tags(subject), *dataset.keywords))),
        "references": [*_list_methods(subject), _cite_software(subject)],
    }
    written = {name: entry for name, entry in entries.items() if entry is not None}
    return write_yaml(written) + "".join(f"# {text}\n" for text in list_missing(subject, NAMES))


def list_missing(subject: Subject, names: Mapping[str, str]) -> Iterator[str]:
    """Yield placeholders for missing entries; `names`: name in the description → in the file."""
    dataset = subject.description.dataset
    questions = dict(list_asked(type(dataset)))
    for entry, name in names.items():
        if getattr(dataset, entry) is None:
            yield mark(name, questions[entry])


def mark_missing(text: str | None, section: str, what: str) -> str:
    """Return a text, or its placeholder."""
    return text or mark(section, what)


def cite(
    subject: Subject,
    *,
    write: Callable[[str | None, str, str], str] = mark_missing,
    link: str = "{}",
) -> str:
    """Return the citation in a line.

    `write` renders authors and title, or their placeholders; `link` is the format of the URL.
    """
    dataset, authors = subject.description.dataset, subject.description.authors
    who = write(", ".join(author.full_name for author in authors) or None, "Citation", WHO)
    year = f" ({dataset.released_on.year})" if dataset.released_on else ""
    title = subject.stamp(write(subject.title, "Citation", WHAT))
    version = f", version {dataset.version}" if dataset.version else ""
    place = f"https://doi.org/{dataset.doi}" if dataset.doi else dataset.url
    return f"{who}{year}. {title}{version}." + (f" {link.format(place)}" if place else "")


def _list_methods(subject: Subject) -> Iterator[dict[str, Any]]:
    """Yield what describes the collection and the processing of the ratings."""
    design = subject.design
    if design is None:
        yield from METHODS
    elif design.source:
        yield {
            "type": "generic",
            "title": design.title,
            "authors": [{"name": design.source}],
            "notes": "The design of the collection.",
        }


def _cite_software(subject: Subject) -> dict[str, Any]:
    return {
        "type": "software",
        "title": COSIMA.title,
        "authors": [{"name": COSIMA.author}],
        "version": subject.dataset.report["code"]["version"],
        "license": COSIMA.licence,
        "notes": subject.software,
    }


def _write_author(author: Author) -> dict[str, str]:
    entries = {
        "name": author.name,
        "family-names": author.family_names,
        "given-names": author.given_names,
        "affiliation": author.affiliation if author.name is None else None,
        "orcid": author.orcid and f"{ORCID}{author.orcid}",
    }
    return {name: entry for name, entry in entries.items() if entry}
