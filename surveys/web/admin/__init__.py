"""What an operator or a researcher looks at. Nothing is changed here: the actions do that."""

from surveys.web.admin import (
    collection,
    payments,
    programs,
    recruitment,
    results,
    reviewing,
    stimuli,
    studies,
)

__all__ = [
    "collection",
    "payments",
    "programs",
    "recruitment",
    "results",
    "reviewing",
    "stimuli",
    "studies",
]
