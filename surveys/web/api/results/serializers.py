"""Serializers of runs and releases."""

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any

from rest_framework import serializers

from surveys.models import JobState, Run
from surveys.results.inspection.guards import find_embargoes
from surveys.results.runs import is_broken_off
from surveys.web.api.fields import (
    IntegerParameter,
    JsonBoolean,
    JsonInteger,
    JsonString,
    RequestSerializer,
)

LONGEST_RECIPE = 20_000
LONGEST_DESCRIPTION = 200_000


class RecipeSerializer(serializers.Serializer[Any]):
    """A recipe of the library."""

    name = serializers.CharField()
    recipe = serializers.CharField(help_text="TOML")


class NewRunSerializer(RequestSerializer):
    """A recipe to run."""

    recipe = JsonString(max_length=LONGEST_RECIPE, help_text="a name, such as cosimlex, or TOML")


class NewReleaseSerializer(NewRunSerializer):
    """Recipe, description and options of a release."""

    description = JsonString(
        max_length=LONGEST_DESCRIPTION, allow_blank=True, default="",
        help_text="TOML: metadata that the site does not have",
    )  # fmt: skip
    n_practice = JsonInteger(
        min_value=0, max_value=10_000, default=0, help_text="pairs for a practice kit"
    )
    seed = JsonInteger(
        min_value=0, max_value=2**31 - 1, default=0, help_text="seed of their selection"
    )
    complete = JsonBoolean(
        default=False, help_text="refuse while parts of the description are missing"
    )
    name = JsonString(
        max_length=50, allow_blank=True, default="",
        help_text="of the dataset in its files, such as usim-2 for usim-2_sl.csv; cosimlex: as in "
        "the published layout; empty: that of the description, or of the study",
    )  # fmt: skip
    has_report = JsonBoolean(default=True, help_text="add the report as a document")
    has_log = JsonBoolean(default=False, help_text="add the study's log as log.tsv")
    withholds_unknown = JsonBoolean(
        default=False, help_text="mask texts whose licence is not known, too"
    )
    accepts_unscored = JsonBoolean(
        default=False, help_text="leave out pairs of which a context has no score"
    )
    ids_of = JsonInteger(
        min_value=1, max_value=2**31 - 1, allow_null=True, default=None,
        help_text="`release` of an earlier release, to use its annotator ids again",
    )  # fmt: skip


JOB_FIELDS = (
    "state", "stage", "share_done", "error", "is_broken_off", "requested_at", "finished_at",
)  # fmt: skip


RUN_STATES = [state.value for state in JobState if state != JobState.CANCELLED]


class JobSerializer(serializers.ModelSerializer[Run]):
    """The progress of a background job."""

    state = serializers.ChoiceField(RUN_STATES, source="job.state", required=False)
    stage = serializers.CharField(source="job.stage", required=False, max_length=40)
    share_done = serializers.IntegerField(
        source="job.share_done", required=False, min_value=0, max_value=2**63 - 1,
        help_text="of the stage, per cent",
    )  # fmt: skip
    error = serializers.CharField(source="job.error", required=False)
    requested_at = serializers.DateTimeField(source="job.requested_at", read_only=True)
    finished_at = serializers.DateTimeField(required=False, allow_null=True)
    is_broken_off = serializers.SerializerMethodField(
        help_text="no heartbeat within the time limit: it is about to be retried"
    )

    def get_is_broken_off(self, run: Run) -> bool:
        return is_broken_off(run)


class RunSerializer(JobSerializer):
    """A run: the post-processing of a study's ratings, with its progress.

    Pages name it by `number`, which counts within the study; URLs of the API by `id`.
    """

    n_withdrawn_since = serializers.SerializerMethodField(
        help_text="annotators with ratings in it who withdrew or were erased since: "
        "if any, create a new one"
    )

    is_rehearsal = serializers.BooleanField(
        read_only=True, help_text="it holds ratings by scripts: do not use or publish it"
    )

    class Meta:
        model = Run
        fields = (
            "id", "number", "recipe_name", "recipe", *JOB_FIELDS, "is_rehearsal",
            "n_withdrawn_since",
        )  # fmt: skip

    def get_n_withdrawn_since(self, run: Run) -> int:
        return getattr(run, "n_withdrawn_since", 0)  # a new run has no withdrawals


class ReleaseRunSerializer(RunSerializer):
    """A release and its progress."""

    release = serializers.IntegerField(
        source="release_id", allow_null=True, help_text="null until it is made; for ids_of"
    )
    verification = serializers.CharField(
        source="release.verification", allow_null=True, read_only=True,
        help_text="whether all figures of its files follow from its ratings; null until it is made",
    )  # fmt: skip
    verified_at = serializers.DateTimeField(
        source="release.verified_at", allow_null=True, read_only=True,
        help_text="when they were last computed again; null: never",
    )  # fmt: skip
    n_figures = serializers.IntegerField(
        source="release.n_figures", allow_null=True, read_only=True,
        help_text="different figures that follow from the ratings",
    )  # fmt: skip
    n_differences = serializers.IntegerField(
        source="release.n_differences", allow_null=True, read_only=True,
        help_text="places that do not; if any, do not publish it",
    )  # fmt: skip
    reservations = serializers.ListField(
        child=serializers.CharField(), source="release.reservations", read_only=True,
        allow_null=True, help_text="what could not be checked; if any, find out why",
    )  # fmt: skip
    is_embargoed = serializers.SerializerMethodField(
        help_text="whether its files hold the gold of a shared task that is not over; do not share"
    )

    class Meta(RunSerializer.Meta):
        fields = (  # type: ignore[assignment]
            *RunSerializer.Meta.fields,
            "release", "verification", "verified_at", "n_figures", "n_differences",
            "reservations", "is_embargoed",
        )  # fmt: skip

    @cached_property
    def embargoed(self) -> Collection[int]:
        """The ids of the shown releases that are under an embargo; one query."""
        runs: Iterable[Any] = (self.parent.instance if self.parent else [self.instance]) or ()
        return find_embargoes([run.release_id for run in runs if run.release_id])

    def get_is_embargoed(self, run: Run) -> bool:
        return run.release_id in self.embargoed


class VerificationSerializer(JobSerializer):
    """A verification of a release, with its progress."""

    n_figures = serializers.IntegerField(
        source="report.n_figures", allow_null=True, read_only=True,
        help_text="different figures that follow from the ratings; null until it is done",
    )  # fmt: skip
    n_differences = serializers.IntegerField(
        source="report.n_differences", allow_null=True, read_only=True,
        help_text="places that do not; null until it is done",
    )  # fmt: skip
    n_reservations = serializers.IntegerField(
        source="report.n_reservations", allow_null=True, read_only=True,
        help_text="what could not be checked, see the release; null until it is done",
    )  # fmt: skip

    class Meta:
        model = Run
        fields = ("id", *JOB_FIELDS, "n_figures", "n_differences", "n_reservations")


class DifferenceSerializer(serializers.Serializer[Any]):
    """A place in the files of a release that does not follow from its ratings."""

    file = serializers.CharField()
    place = serializers.CharField(help_text="row and column; empty: the whole file")
    published = serializers.CharField(help_text="what is written there")
    computed = serializers.CharField(help_text="what the ratings give")


class LedgerFilterSerializer(RequestSerializer):
    """Filters of a ratings ledger."""

    annotator = JsonString(required=False, max_length=60, allow_blank=True)
    pair = IntegerParameter(required=False, min_value=1, max_value=999_999_999)
    context = serializers.ChoiceField(  # type: ignore[assignment]
        [("1", "1"), ("2", "2")], required=False
    )
    reason = JsonString(
        required=False,
        max_length=100,
        allow_blank=True,
        help_text="why it was excluded; * for any reason",
    )
    page = IntegerParameter(required=False, min_value=1, max_value=10**7)


class LedgerSerializer(serializers.Serializer[Any]):
    """A page of a ratings ledger."""

    n_found = serializers.IntegerField()
    number = serializers.IntegerField(help_text="number of this page")
    n_pages = serializers.IntegerField()
    rows = serializers.ListField(child=serializers.DictField())


class ApartSerializer(serializers.Serializer[Any]):
    """Differences between two runs of the same ratings."""

    summary = serializers.DictField()
    pairs = serializers.ListField(child=serializers.DictField())
    annotators = serializers.ListField(child=serializers.DictField())


class DescriptionSerializer(serializers.Serializer[Any]):
    """A description of the study to complete."""

    description = serializers.CharField(help_text="TOML: what the site knows; complete the rest")
