"""The registration point: what each part of the site adds to the others, which do not import it.

Functions and modules are named by dotted names, so that a command's start imports no page and no
pandas. A model is named by its label, such as surveys.Run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import Any

from django.apps import apps
from django.db.models import Choices, Model
from django.utils.module_loading import import_string


class Lane(Enum):
    """Jobs that wait for each other only; the value is their number of threads in a process."""

    LONG = 2
    SHORT = 4  # an endpoint that does not answer keeps one of them busy
    MAIL = 1  # and one job in the whole site


# For what is sent to another server, which may be away for hours.
MESSAGE_PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 480, 1440))


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of job: who performs it, and what happens when that does not succeed."""

    name: str
    label: str
    make: str  # dotted, so that only processes that perform it import it: (Job, Progress) → Store
    lane: Lane = Lane.LONG
    pauses: tuple[timedelta, ...] = tuple(timedelta(seconds=15 * 2**n) for n in range(5))
    max_deaths: int = 1  # processes that may end without a word; the next death fails it
    is_repeatable: bool = True  # False: an interrupted job fails, and is never begun again
    drains: bool = False  # performs what has arrived: a request while it is under way joins it
    ended: str = ""  # dotted: (Job) → None, in the transaction that ends it
    kept: timedelta | None = timedelta(days=30)  # after its end; None: as long as its result
    summary: str = ""  # of a run: the template that says in brief what it made, and
    page: str = ""  # the name of the console's page that shows it


def run_kind(
    kind: Choices, make: str, page: str = "", summary: str = "console/results/_summary.html"
) -> Kind:
    """Return the kind of jobs whose result is a run of a study, kept as long as that."""
    return Kind(
        name=kind.value, label=str(kind.label), make=make, kept=None, summary=summary, page=page,
        ended="surveys.monitoring.checklist.end_run",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class MenuEntry:
    """A link to an app on a page of the core."""

    place: str  # as template tags `menu` name it: start page, studies, new study, recruitment …
    template: str  # which is given what the page is given
    is_shown: str = ""  # dotted: () → whether there is anything to see


@dataclass(frozen=True, kw_only=True)
class Area:
    """Pages of an app or the console, which share a URL namespace and a style."""

    namespace: str
    prefix: str  # of their addresses
    urls: str  # a URLconf
    # folders of problem.html, locked.html and error pages, the first found; the last has _base.html
    templates: tuple[str, ...]
    help: str = ""  # the part of the documentation that explains them


@dataclass(frozen=True, kw_only=True)
class Feature:
    """What an app adds to the site. Registered once, in `AppConfig.ready`, as the core is."""

    name: str
    job_kinds: tuple[Kind, ...] = ()
    # by model: the fields whose files are kept, and so are in every backup
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # of studies that move to another site: models whose ids are in a field's JSON or text, as
    # surveys.moving.tables reads them; and by model the values that rows get there
    ids_within: Mapping[str, str] = field(default_factory=dict)
    moved_values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # words of log entries: what was done, {} being the subject; by the beginning of actions, the
    # choices of the log's filter; and names of details
    log_actions: Mapping[str, str] = field(default_factory=dict)
    log_areas: Mapping[str, str] = field(default_factory=dict)
    log_fields: Mapping[str, str] = field(default_factory=dict)
    # () → ProviderRules by Provider; () → sites that may frame annotators' pages, by the sites
    # that may receive their forms
    channels: str = ""
    frames: str = ""
    # () → None, makes missing demo data; () → its description, its path, whether it is made
    prepare_demo: str = ""
    describe_demo: str = ""
    areas: tuple[Area, ...] = ()
    menu: tuple[MenuEntry, ...] = ()
    # pages among those of others: by the name of a page of the console, the pages after it; views
    # of the API, by their addresses; paths of annotators' pages
    console_urls: str = ""
    # names of pages of the console, by the section of the documentation that explains them
    console_help: Mapping[str, str] = field(default_factory=dict)
    api_urls: str = ""
    annotator_urls: str = ""
    # scopes of API tokens, with their meanings; limited accounts have only such
    api_scopes: Mapping[str, str] = field(default_factory=dict)
    # functions: (study, whether it has stimuli) → a step before the stimuli, or None
    first_step: str = ""
    # (release ids) → embargoes by release id
    release_guards: str = ""
    # (annotator) → further parts of the JSON of their data
    export_person: str = ""
    # (study, digests by worker id) → None, in the transaction that replaces ids by digests
    forget_workers: str = ""
    # () → gauges of the app, for Prometheus
    gauges: str = ""
    # (now) → counts of the personal data that is due to be dropped, by what it is of
    find_due: str = ""
    drop_due: str = ""


_features: dict[str, Feature] = {}


def register(feature: Feature) -> None:
    """Add a feature to the site; one of the same name is replaced."""
    _features[feature.name] = feature


def list_features() -> list[Feature]:
    """Return the registered features, the core first."""
    return list(_features.values())


def list_areas() -> list[Area]:
    """Return the areas of all features, an area below another area first."""
    areas = [area for feature in list_features() for area in feature.areas]
    return sorted(areas, key=lambda area: len(area.prefix), reverse=True)


def find_area(path: str) -> Area | None:
    """Return the area of an address, or None."""
    return next((area for area in list_areas() if path.startswith(f"/{area.prefix}")), None)


def find_file_fields() -> dict[type[Model], tuple[str, ...]]:
    """Return the fields that name files which are kept, by model."""
    return {apps.get_model(label): names for label, names in merge_mappings("files").items()}


def merge_mappings(name: str) -> dict[str, Any]:
    """Merge the mappings that features have in a field, such as log_fields."""
    mappings = (getattr(feature, name) for feature in list_features())
    return {key: value for mapping in mappings for key, value in mapping.items()}


def load_objects(name: str) -> list[Any]:
    """Import the functions or tables that features name in a field, such as drop_due."""
    named = (getattr(feature, name) for feature in list_features())
    return [import_string(dotted) for dotted in named if dotted]
