"""Forms of shared tasks: their names, data, phases, texts and rules."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet

from surveys.access.roles import find_account
from surveys.errors import AccessRefused
from surveys.models import Release
from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.models import (
    Counting,
    NameRule,
    Phase,
    PhaseData,
    Registration,
    SharedPlaces,
    SharedTask,
    SharedTaskState,
    Track,
    Visibility,
)
from surveys.sharedtasks.parts import LARGEST_FILE, PartFiles
from surveys.sharedtasks.phases import RULES, list_zones, read_local, write_local
from surveys.sharedtasks.tasks import list_changeable
from surveys.study.languages import name_language
from surveys.web.forms import SettingsForm

LONGEST_TEXT = 50_000
MEGABYTES = LARGEST_FILE // 1_000_000
ACCEPTS_PROBING = "It is intended that teams can gain so much by probing"
FULL_MINUTES = "%Y-%m-%dT%H:%M:%S"
END_HELP = "What arrives then or later is too late. Empty for no end."


class LocalTimeField(forms.CharField):
    """A local time of the shared task's zone, which the form reads as an instant."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local", "step": "1"}, format=FULL_MINUTES)

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        if not text:
            return None
        try:
            local = datetime.fromisoformat(text)
        except ValueError as error:
            raise forms.ValidationError("Write the time as 2027-01-31T23:59:59.") from error
        if local.tzinfo is not None:
            raise forms.ValidationError("Write the time without a zone.")
        return local


class TimesForm(forms.Form):
    """A form whose local times are in the zone of a shared task."""

    def __init__(self, shared_task: SharedTask, *sent: Any, **given: Any) -> None:
        super().__init__(*sent, **given)
        self.zone = shared_task.zone

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name, value in list(cleaned.items()):
            if isinstance(self.fields[name], LocalTimeField) and value is not None:
                try:
                    cleaned[name] = read_local(value, self.zone)
                except (SharedTaskRefused, OverflowError) as error:
                    self.add_error(name, str(error))
        return cleaned


class NewTaskForm(forms.Form):
    """A new shared task."""

    title = forms.CharField(max_length=200)
    slug = forms.SlugField(
        max_length=50,
        label="Address",
        help_text="Part of all its addresses, such as gwsc-2027. It cannot be changed.",
    )
    contact = forms.CharField(
        max_length=200, help_text="Of the organisers, such as an e-mail address; public."
    )


class RulesForm(forms.Form):
    """Texts and rules; of an open shared task, those that can still be changed."""

    title = forms.CharField(max_length=200)
    contact = forms.CharField(max_length=200, help_text="Public, as the title and the texts are.")
    text = forms.CharField(
        required=False,
        max_length=LONGEST_TEXT,
        label="Overview",
        widget=forms.Textarea(attrs={"rows": 12}),
        help_text="What teams predict, from what data, and who organises it. Markdown.",
    )
    terms = forms.CharField(
        required=False,
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="What teams agree to when they register: published data about teams, allowed "
        "resources, and that a group takes part once. Markdown.",
    )
    registration = forms.ChoiceField(
        choices=Registration.choices, widget=forms.RadioSelect, label="How teams come"
    )
    names = forms.ChoiceField(
        choices=NameRule.choices, widget=forms.RadioSelect, label="How teams are named"
    )
    zone = forms.ChoiceField(
        choices=list_zones, help_text="In which times are entered, and days of attempts end."
    )
    required_languages = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Results without them are refused.",
    )
    best_of = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=100,
        label="Average over the best languages",
        help_text="A number of languages; empty for all.",
    )
    places = forms.ChoiceField(
        choices=SharedPlaces.choices[:2], widget=forms.RadioSelect, label="Places of equal scores"
    )
    requires_description = forms.BooleanField(
        required=False, label="Results without a description of the system are not ranked"
    )
    contact_days = forms.IntegerField(
        min_value=0,
        max_value=3650,
        label="Days until members and contacts are deleted",
        help_text="Counted from the publication of the results.",
    )

    def __init__(self, shared_task: SharedTask, sent: Any = None) -> None:
        changeable = list_changeable(shared_task)
        shown = {name: getattr(shared_task, name) for name in self.base_fields}
        super().__init__(sent, initial=shown)
        languages = [part.name for part in shared_task.parts.all()]
        self.fields["required_languages"].choices = [  # type: ignore[attr-defined]
            (tag, name_language(tag) or tag) for tag in languages
        ]
        for name in list(self.fields):
            if name not in changeable or (name == "required_languages" and not languages):
                del self.fields[name]


class TrackForm(SettingsForm):
    """A subtask."""

    class Meta(SettingsForm.Meta):
        model = Track
        fields = ("number", "title", "metric", "column", "column2", "is_percent")


class ReleasePartForm(forms.Form):
    """A release whose data and gold are copied."""

    release = forms.ModelChoiceField(Release.objects.none())

    def __init__(self, releases: QuerySet[Release], *sent: Any) -> None:
        super().__init__(*sent)
        self.fields["release"].queryset = releases  # type: ignore[attr-defined]


class UploadPartForm(forms.Form):
    """The files of a language."""

    language = forms.CharField(
        max_length=35, label="Language code", help_text="Such as sl, pt-BR, or en-ar for a pair."
    )
    test_data = forms.FileField(
        label="Test data", help_text=f"data_sl.tsv, as releases have it; up to {MEGABYTES} MB."
    )
    test_gold = forms.FileField(
        label="Gold of the test data",
        help_text="gold_sl.tsv: sim_context1, sim_context2 and change, with a row for each pair.",
    )
    practice_data = forms.FileField(required=False, label="Practice data (optional)")
    practice_gold = forms.FileField(required=False, label="Gold of the practice data (optional)")
    instructions = forms.CharField(
        required=False,
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        label="What annotators read (optional)",
        help_text="Markdown; part of the kit.",
    )
    reliability = forms.FloatField(
        required=False,
        min_value=0.001,
        max_value=1,
        label="Reliability R of the changes (optional)",
        help_text="Of the test pairs alone, if it is known; its root is the score ceiling.",
    )
    human = forms.FloatField(
        required=False,
        min_value=-1,
        max_value=1,
        label="Human figure of subtask 2 (optional)",
        help_text="Mean correlation (Spearman) of one person with the mean of the others.",
    )

    def read_files(self) -> PartFiles:
        """Return what was sent."""
        sent = self.cleaned_data

        def read(name: str) -> bytes:
            return sent[name].read() if sent[name] else b""

        return PartFiles(
            read("test_data"),
            read("test_gold"),
            read("practice_data"),
            read("practice_gold"),
            sent["instructions"],
            sent["reliability"],
            sent["human"],
        )


class RulesOfPhasesForm(TimesForm):
    """Rules of phases; in a shared task that is open, also whether probing may gain much."""

    accepts_probing = forms.BooleanField(required=False, label=ACCEPTS_PROBING)

    def __init__(self, shared_task: SharedTask, *sent: Any, **given: Any) -> None:
        super().__init__(shared_task, *sent, **given)
        if shared_task.state == SharedTaskState.DRAFT:  # it is asked where the task is opened
            del self.fields["accepts_probing"]
        else:
            self.fields["accepts_probing"] = self.fields.pop("accepts_probing")  # the last one

    def read(self) -> dict[str, Any]:
        """Return the rules, and whether probing may gain much."""
        rules = dict(self.cleaned_data)
        accepts_probing = rules.pop("accepts_probing", False)
        return {"rules": rules, "accepts_probing": accepts_probing}


class PhaseForm(RulesOfPhasesForm):
    """The rules of a phase."""

    name = forms.SlugField(
        max_length=40, help_text="Part of addresses, such as evaluation; no spaces."
    )
    data = forms.ChoiceField(  # type: ignore[assignment]
        choices=PhaseData.choices, widget=forms.RadioSelect
    )
    subtasks = forms.TypedMultipleChoiceField(coerce=int, widget=forms.CheckboxSelectMultiple)
    opens_at = LocalTimeField(label="Beginning")
    closes_at = LocalTimeField(required=False, label="End", help_text=END_HELP)
    attempts_total = forms.IntegerField(
        required=False, min_value=1, max_value=10_000, label="Attempts of a team",
        help_text="In all; empty for no limit.",
    )  # fmt: skip
    attempts_a_day = forms.IntegerField(
        required=False, min_value=1, max_value=10_000, label="Attempts of a team a day",
        help_text="Empty for no limit.",
    )  # fmt: skip
    visibility = forms.ChoiceField(
        choices=Visibility.choices, widget=forms.RadioSelect, label="Who sees scores"
    )
    counting = forms.ChoiceField(
        choices=Counting.choices,
        widget=forms.RadioSelect,
        label="What counts",
        help_text="The best of many is too high a figure of a system, by luck alone.",
    )

    def __init__(self, shared_task: SharedTask, *sent: Any, phase: Phase | None = None) -> None:
        choices = [(str(track.number), str(track)) for track in shared_task.tracks.all()]
        initial = {
            "data": PhaseData.TEST,
            "subtasks": [number for number, _ in choices],
            "visibility": Visibility.HIDDEN,
            "counting": Counting.CHOSEN,
        }
        super().__init__(shared_task, *sent, initial=initial if phase is None else _show(phase))
        self.fields["subtasks"].choices = choices  # type: ignore[attr-defined]


class EndForm(RulesOfPhasesForm):
    """The end of a phase that has begun."""

    closes_at = LocalTimeField(required=False, label="End", help_text=END_HELP)

    def __init__(self, shared_task: SharedTask, *sent: Any, phase: Phase) -> None:
        shown = {"closes_at": _show(phase)["closes_at"]}
        super().__init__(shared_task, *sent, initial=shown)


class GwscForm(TimesForm):
    """The times of the three phases of GWSC."""

    practice_opens_at = LocalTimeField(label="Practice begins", help_text="It has no end.")
    opens_at = LocalTimeField(label="The evaluation begins")
    closes_at = LocalTimeField(
        label="The evaluation ends",
        help_text="What arrives then or later is too late. The post-evaluation begins then, and "
        "has no end.",
    )


class OrganiserForm(forms.Form):
    """An account that is to organise a shared task."""

    username = forms.CharField(max_length=150, label="Name of the account")

    def clean_username(self) -> User:
        try:
            return find_account(self.cleaned_data["username"])
        except AccessRefused as error:
            raise forms.ValidationError(
                "No account of a researcher has this name. Operators create accounts."
            ) from error


class OpeningForm(forms.Form):
    """The confirmation with which a shared task opens."""

    accepts_probing = forms.BooleanField(required=False, label=ACCEPTS_PROBING)

    def __init__(self, *sent: Any, asks: bool) -> None:
        super().__init__(*sent)
        if not asks:
            del self.fields["accepts_probing"]


def _show(phase: Phase) -> dict[str, Any]:
    times = ("opens_at", "closes_at")
    shown = {name: getattr(phase, name) for name in RULES if name not in times}
    shown["subtasks"] = [str(subtask) for subtask in phase.subtasks]
    for name in times:
        at = getattr(phase, name)
        shown[name] = at and write_local(at, phase.shared_task.zone)
    return shown


def name_releases(releases: Iterable[Release]) -> list[tuple[int, str]]:
    """Return releases as choices, with their studies."""
    return [(release.pk, _name(release)) for release in releases]


def _name(release: Release) -> str:
    study = release.study
    name = f"{study.title or study.slug}, {study.language}, {release.name}"
    return f"REHEARSAL: {name}" if release.is_rehearsal else name
