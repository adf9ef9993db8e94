"""The responsible-AI part of `croissant.json`: how the data came about, and what limits them.

Names are those of the vocabulary Croissant RAI 1.0, and for provenance those of PROV-O, which
Croissant 1.1 recommends. `hasSyntheticData` is newer than the vocabulary; conferences ask for it.
"""

from collections.abc import Iterator
from typing import Any

from postprocess.designs.procedure import describe_task
from postprocess.references import COSIMA
from postprocess.release.documents import summaries
from postprocess.release.documents.summaries import COSIMA_NAME, Subject
from postprocess.release.sources import Document

VERSION = "http://mlcommons.org/croissant/RAI/1.0"
PREFIXES = {"rai": "http://mlcommons.org/croissant/RAI/", "prov": "http://www.w3.org/ns/prov#"}
COLLECTION_TYPE = "Surveys"  # of the values that the vocabulary recommends
NOT_IMPUTED = "None: missing ratings are not replaced."
MADE_BY_MACHINES = "machine-generated"


def describe_responsibly(subject: Subject) -> dict[str, Any]:
    """Return the entries with their prefixes; those that nobody has described are left out.

    Text that is missing in the description is marked in the dataset card, not here.
    """
    description = subject.description
    dataset, collection = description.dataset, description.collection
    entries: dict[str, Any] = {
        "dataCollection": collection.procedure,
        "dataCollectionType": COLLECTION_TYPE,
        "dataCollectionRawData": _join(
            description.stimuli.contexts_from, description.stimuli.pairs_from, subject.search
        ),
        "dataCollectionTimeframe": list(_list_days(subject)),
        "dataCollectionMissingData": _describe_left_out(subject),
        "dataImputationProtocol": NOT_IMPUTED,
        "dataPreprocessingProtocol": list(summaries.list_steps(subject)),
        "dataAnnotationProtocol": _describe_annotation(subject),
        "dataAnnotationPlatform": list(_list_platforms(subject)),
        "dataAnnotationAnalysis": list(_list_analyses(subject)),
        "annotationsPerItem": f"{summaries.describe_ratings_each(subject)} ratings of each "
        f"{subject.unit}",
        "annotatorDemographics": _list_known(
            description.annotators.demographics, description.annotators.qualifications
        ),
        "personalSensitiveInformation": list(summaries.list_on_people(subject)),
        "dataUseCases": dataset.uses,
        "dataLimitations": dataset.limitations,
        "dataBiases": dataset.biases,
        "dataSocialImpact": dataset.social_impact,
        "dataReleaseMaintenancePlan": dataset.maintenance,
        "hasSyntheticData": _has_synthetic_data(subject),
    }
    described = {
        f"rai:{name}": entry for name, entry in entries.items() if entry not in (None, [], "")
    }
    return {**described, **_trace_provenance(subject)}


def _trace_provenance(subject: Subject) -> dict[str, Any]:
    """Return the texts' origin and the two activities that turned them into the dataset."""
    version = subject.dataset.report["code"]["version"]
    program = {"@type": "prov:SoftwareAgent", "prov:label": f"{COSIMA.title}, version {version}"}
    collected: dict[str, Any] = {"@type": "prov:Activity", "prov:label": "Collection of ratings"}
    if days := list(_list_days(subject)):
        collected |= {"prov:startedAtTime": days[0], "prov:endedAtTime": days[-1]}
    if subject.description.collection.platform == COSIMA_NAME:
        collected["prov:wasAssociatedWith"] = program
    processed = {
        "@type": "prov:Activity",
        "prov:label": "Post-processing of ratings into scores",
        "prov:wasAssociatedWith": program,
    }
    source = subject.description.stimuli.contexts_from
    origins = [{"@type": "prov:Entity", "prov:label": source}] if source else []
    origins += [_describe_document(document) for document in subject.documents]
    from_ = {"prov:wasDerivedFrom": origins[0] if len(origins) == 1 else origins} if origins else {}
    return {**from_, "prov:wasGeneratedBy": [collected, processed]}


def _describe_document(document: Document) -> dict[str, Any]:
    entity = {"@type": "prov:Entity", "prov:label": document.name, "license": document.licence}
    if document.url:
        entity["url"] = document.url
    return {name: entry for name, entry in entity.items() if entry}


def _list_days(subject: Subject) -> Iterator[str]:
    collection = subject.description.collection
    if collection.began_on and collection.ended_on:
        yield collection.began_on.isoformat()
        yield collection.ended_on.isoformat()


def _list_platforms(subject: Subject) -> list[str]:
    description = subject.description
    return _list_known(
        description.collection.platform, *(group.channel for group in description.recruitment)
    )


def _describe_annotation(subject: Subject) -> str:
    texts = ", ".join(text.path for text in subject.description.texts if text.body)
    return _join(
        describe_task(subject.design),
        f"Rating scale: {summaries.describe_scale(subject)}.",
        summaries.describe_question(subject),
        f"Texts that annotators read: {texts}." if texts else "",
    )


def _describe_left_out(subject: Subject) -> str:
    """Return how many ratings are missing from the scores, and which file says why."""
    counts = subject.dataset.report["counts"]
    n_left_out = counts["ratings"] - counts["ratings_used"]
    if not n_left_out:
        return ""
    return (
        f"{n_left_out} of {counts['ratings']} ratings are not used in the scores; ledger.tsv says "
        "why for each of them."
    )


def _list_analyses(subject: Subject) -> list[str]:
    return _list_known(
        *summaries.list_agreement(subject),
        summaries.describe_change(subject),
        summaries.count_divided(subject),
    )


def _has_synthetic_data(subject: Subject) -> bool | None:
    """Return whether ratings or texts are by machines; None if the origin of texts is unknown."""
    creators = subject.description.stimuli.creators
    if subject.warning or creators == MADE_BY_MACHINES:
        return True
    return None if creators is None else False


def _join(*texts: str | None) -> str:
    return " ".join(text for text in texts if text)


def _list_known(*texts: str | None) -> list[str]:
    return [text for text in texts if text]
