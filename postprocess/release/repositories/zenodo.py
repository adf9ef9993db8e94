"""The metadata of a draft at Zenodo, in the format of InvenioRDM, from a release's description."""

import html
import re
from collections.abc import Iterator
from typing import Any

from postprocess.references import COSIMA, COSIMLEX, write_authors
from postprocess.release.description.study import Author, Description

PUBLISHER = "Zenodo"
DATASET = "dataset"  # in the vocabulary of resource types


def describe_record(
    description: Description, *, version: str, language: str | None = None, notes: str = ""
) -> dict[str, Any]:
    """Return the JSON of a draft: access, files, metadata, and a DOI from elsewhere.

    Parameters
    ----------
    description : Description
        Of a complete release; missing entries are left out, and Zenodo then asks for them.
    version : str
        Version of Cosima, for its reference.
    language : str, optional
        ISO 639-3 code, such as slv.
    notes : str
        Remarks on the files, as plain text.

    Examples
    --------
    >>> from postprocess.release.description.study import read_entries
    >>> described = read_entries({"dataset": {"title": "Words", "licence": "CC-BY-4.0"}})
    >>> describe_record(described, version="1.0.0")["metadata"]["rights"]
    [{'id': 'cc-by-4.0'}]
    """
    dataset = description.dataset
    metadata = {
        "resource_type": {"id": DATASET},
        "title": dataset.title,
        "creators": [_describe_author(author) for author in description.authors],
        "publication_date": dataset.released_on and dataset.released_on.isoformat(),
        "version": dataset.version,
        "publisher": PUBLISHER,
        "description": _write_html(dataset.summary, dataset.uses, dataset.limitations),
        "additional_descriptions": list(_list_descriptions(description, notes)),
        "rights": [{"id": dataset.licence.lower()}] if dataset.licence else [],
        "languages": [{"id": language}] if language else [],
        "subjects": [{"subject": keyword} for keyword in dataset.keywords],
        "references": [
            {"reference": f"{write_authors(COSIMLEX)} ({COSIMLEX.year}). {COSIMLEX.title}. "
             f"{COSIMLEX.url}"},
            {"reference": f"{COSIMA.author}. {COSIMA.title}. Version {version}."},
        ],
    }  # fmt: skip
    record = {
        "access": {"record": "public", "files": "public"},  # once a person publishes it
        "files": {"enabled": True},
        "metadata": {name: entry for name, entry in metadata.items() if entry},
    }
    if dataset.doi:
        record["pids"] = {"doi": {"identifier": dataset.doi, "provider": "external"}}
    return record


def _list_descriptions(description: Description, notes: str) -> Iterator[dict[str, Any]]:
    for kind, text in (("methods", description.collection.procedure), ("notes", notes)):
        if text:
            yield {"description": _write_html(text), "type": {"id": kind}}


def _describe_author(author: Author) -> dict[str, Any]:
    if author.name:
        person: dict[str, Any] = {"type": "organizational", "name": author.name}
    else:
        names = {"family_name": author.family_names, "given_name": author.given_names}
        person = {"type": "personal", **{name: text for name, text in names.items() if text}}
    if author.orcid:
        person["identifiers"] = [{"scheme": "orcid", "identifier": author.orcid}]
    affiliations = [{"name": author.affiliation}] if author.affiliation else []
    return {"person_or_org": person, **({"affiliations": affiliations} if affiliations else {})}


def _write_html(*texts: str | None) -> str:
    paragraphs = [part for text in texts if text for part in re.split(r"\n\s*\n", text.strip())]
    return "".join(f"<p>{html.escape(' '.join(part.split()))}</p>" for part in paragraphs)
