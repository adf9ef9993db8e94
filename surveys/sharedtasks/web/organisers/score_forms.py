"""Forms about corrected gold and final boards."""

from collections.abc import Sequence
from typing import Any

from django import forms

from surveys.sharedtasks.final_results.eligibility import UnrankedSubmission
from surveys.sharedtasks.models import TaskPart
from surveys.sharedtasks.web.organisers.team_forms import LONGEST_REASON
from surveys.study.languages import name_language


class CorrectionForm(forms.Form):
    """Corrected gold of one or more languages, and the reason."""

    reason = forms.CharField(
        max_length=LONGEST_REASON, help_text="Boards show it, with the date of the correction."
    )

    def __init__(self, parts: Sequence[TaskPart], *sent: Any) -> None:
        super().__init__(*sent)
        self.languages = [part.language for part in parts]
        for language in self.languages:
            self.fields[f"gold_{language}"] = forms.FileField(
                required=False, label=f"Corrected gold, {name_language(language) or language}"
            )

    def read_gold(self) -> dict[str, bytes]:
        """Return the files that were sent, by language."""
        sent = {tag: self.cleaned_data.get(f"gold_{tag}") for tag in self.languages}
        return {language: file.read() for language, file in sent.items() if file}


class FinaliseForm(forms.Form):
    """The results that will not be ranked; an organiser confirms each result."""

    settled = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="These results will not be ranked. Tick each one to confirm it",
    )

    def __init__(self, unranked: Sequence[UnrankedSubmission], *sent: Any) -> None:
        super().__init__(*sent)
        field: Any = self.fields["settled"]
        field.choices = [(row.key, _name(row)) for row in unranked]
        if not unranked:
            del self.fields["settled"]


def _name(row: UnrankedSubmission) -> str:
    counted = row.counted
    where = f"{counted.phase.name}, subtask {counted.subtask}"
    return f"{counted.team.name}, {where}: {row.reason}"
