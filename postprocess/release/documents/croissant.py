"""Machine-readable metadata: `croissant.json`, in Croissant 1.1 of ML Commons."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from postprocess.release.description.licences import LICENCES
from postprocess.release.description.missing_text import mark
from postprocess.release.description.study import Author
from postprocess.release.documents import responsible_ai
from postprocess.release.documents.citation import WHO, cite, list_missing
from postprocess.release.documents.contents import (
    PAIR,
    Column,
    dataset_columns,
    describe_file,
    distribution_columns,
    name_format,
    ratings_columns,
)
from postprocess.release.documents.metadata import list_tags
from postprocess.release.documents.summaries import Subject
from postprocess.release.kit import PRACTICE
from postprocess.steps.distributions import list_points
from postprocess.table.details import PLACE

VERSION = "http://mlcommons.org/croissant/1.1"
CROISSANT = "http://mlcommons.org/croissant/"
NAMES = {  # name in the description → name in Croissant
    "version": "version",
    "released_on": "datePublished",
    "licence": "license",
    "url": "url",
}
CONTEXT: dict[str, Any] = {  # prescribed by the standard
    "@language": "en",
    "@vocab": "https://schema.org/",
    "annotation": "cr:annotation",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": CROISSANT,
    **responsible_ai.PREFIXES,
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "excludes": "cr:excludes",
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "readLines": "cr:readLines",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "sdVersion": "cr:sdVersion",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
    "unArchive": "cr:unArchive",
    "value": "cr:value",
}


def render_croissant(subject: Subject, files: Mapping[str, bytes]) -> str:
    """Return the text of `croissant.json`.

    It lists all files with their digests and describes four tables: the dataset, the practice
    pairs if there are any, the distributions, and the individual ratings. The tables refer to the
    Parquet files, since Croissant would read a quotation mark at the start of a text field as
    quoting. Characters with a meaning in HTML are escaped, since pages embed the file.
    """
    text = json.dumps(make_croissant(subject, files), indent=2, ensure_ascii=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text + "\n"


def make_croissant(subject: Subject, files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the entries of `croissant.json`.

    A missing entry with a strict format, such as a date, is omitted; `creativeWorkStatus` has
    its placeholder.
    """
    dataset = subject.description.dataset
    authors = [_write_author(author) for author in subject.description.authors]
    entries = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [VERSION, responsible_ai.VERSION],
        "name": subject.stamp(subject.title or mark("name", "the name of the dataset")),
        "description": subject.stamp(
            dataset.summary or mark("description", "what the dataset contains")
        ),
        "license": LICENCES[dataset.licence].url if dataset.licence else None,
        "url": dataset.url,
        "creator": authors or [{"@type": "sc:Organization", "name": mark("creator", WHO)}],
        "datePublished": dataset.released_on and dataset.released_on.isoformat(),
        "version": dataset.version,
        "identifier": dataset.doi and f"https://doi.org/{dataset.doi}",
        "creativeWorkStatus": " ".join(list_missing(subject, NAMES)) or None,
        "citeAs": cite(subject),
        "inLanguage": subject.language,
        "keywords": list(dict.fromkeys((*list_tags(subject), *dataset.keywords))),
        **responsible_ai.describe_responsibly(subject),
        "distribution": [_write_file(subject, path, files[path]) for path in sorted(files)],
        "recordSet": _list_record_sets(subject),
    }
    return {name: entry for name, entry in entries.items() if entry is not None}


def _list_record_sets(subject: Subject) -> list[dict[str, Any]]:
    dataset, path = (PAIR, *dataset_columns(subject)), f"{subject.stem}.parquet"
    answers, ratings = ratings_columns(subject), f"ratings_{subject.tag}.parquet"
    sets = [_write_record_set("dataset", "the pairs of the test data", path, dataset)]
    if subject.n_practice:
        what = "the pairs of the practice kit"
        sets.append(_write_record_set("practice", what, f"{PRACTICE}/{path}", dataset))
    what = f"the distribution of the ratings of each {subject.unit}"
    path = f"distributions_{subject.tag}.parquet"
    columns = distribution_columns(subject, list_points(subject.recipe))
    sets.append(_write_record_set("distributions", what, path, columns, keys=PLACE[:2]))
    what = "the answers of each annotator"
    return [*sets, _write_record_set("ratings", what, ratings, answers, keys=PLACE)]


def _write_record_set(
    name: str,
    meaning: str,
    path: str,
    columns: Sequence[Column],
    *,
    keys: Sequence[str] = ("pair",),
) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": meaning,
        "key": [{"@id": f"{name}/{key}"} for key in keys],
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column.name}",
                "name": column.name,
                "description": column.meaning,
                "dataType": column.kind,
                "source": {"fileObject": {"@id": path}, "extract": {"column": column.name}},
            }
            for column in columns
        ],
    }


def _write_file(subject: Subject, path: str, content: bytes) -> dict[str, Any]:
    entry = {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "description": describe_file(subject, path),
        "contentUrl": path,
        "contentSize": f"{len(content)} B",
        "encodingFormat": name_format(path),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return {name: text for name, text in entry.items() if text}


def _write_author(author: Author) -> dict[str, str]:
    kind = "sc:Organization" if author.name else "sc:Person"
    entry = {"@type": kind, "name": author.full_name}
    if author.orcid:
        entry["url"] = f"https://orcid.org/{author.orcid}"
    return entry
