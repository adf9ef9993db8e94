"""Files of ratings to import beside a study, and rated studies to compare."""

from typing import Any

import pandas as pd
from django.db import transaction

from surveys.models import ImportedCollection, Study
from surveys.results.comparisons.importing import CollectionFile, import_collection
from tests.factories.studies import finish, make_study, start

OF_MODEL = {"model": "Parrot", "model_version": "2", "rated_on": "2026-05-31"}


def ratings_csv(n_pairs: int = 3, *, language: str = "en", **columns: Any) -> bytes:
    """Return ratings of all contexts by two annotators, with further or other columns."""
    rows = [
        (language, pair, context, name, (pair + context + number) % 7)
        for pair in range(1, n_pairs + 1)
        for context in (1, 2)
        for number, name in enumerate(("Ivana Horvat", "Jure Novak"))
    ]
    table = pd.DataFrame(rows, columns=["language", "pair", "context", "annotator", "rating"])
    return bytes(table.assign(**columns).to_csv(index=False).encode())


def import_model(study: Study, n_pairs: int = 3, **changed: Any) -> ImportedCollection:
    """Import the ratings of a model beside a study."""
    file = CollectionFile("Parrot", "parrot.csv", ratings_csv(n_pairs), "model", **OF_MODEL)
    return import_collection(study, file._replace(**changed))


def rated_study(n_pairs: int = 3, **design: Any) -> Study:
    """Return an open study in which two people have rated, each one questionnaire."""
    study = make_study(n_pairs, **design)
    with transaction.atomic():
        for rating in (1, 5):
            finish(start(study), rating=rating)
    return study
