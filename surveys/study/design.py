"""Settings that a researcher may change after the import of the stimuli."""

from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from surveys.access.audit_log import record
from surveys.errors import SettingRefused
from surveys.models import Checkpoint, Entrance, Provider, Study
from surveys.models.study import write_point
from surveys.study.layout.blocks import lay_out_again
from surveys.study.layout.quota import fit_places
from surveys.study.lifecycle import LOCKED, lock_draft
from surveys.study.planning.workload import count_pairs
from surveys.study.stimuli.load import (
    DESIGN_MINIMUMS,
    StudyDesign,
    list_number_problems,
    list_scale_problems,
)
from surveys.study.texts import follow_defaults

MAX_LABEL_LENGTH = 60
MAX_ASSIGNMENTS = 200_000  # more is a typing error
MINIMUMS = {**DESIGN_MINIMUMS, "n_check_tries": 0, "n_checkpoints": 0, "seconds_per_item": 1}
SETTINGS = (
    "title", "public_title", "organisation", "contact", "ethics", "legal_basis", "authority",
    "data_protection_officer", "digits", "pay", "pay_for_more",
    "ratings_per_context", "lease_hours", "assigning_policy", "scale_labels", "question_forms",
    "variant", "allows_unjudgeable", "sends_choice", "allows_more_blocks", "erases_withdrawn",
    "publishes_words", "n_check_tries", "n_checkpoints", "seconds_per_item",
)  # fmt: skip
SHOWN = ("organisation", "contact")  # to annotators; required to open a study


@transaction.atomic
def configure_study(study: Study, **settings: Any) -> Study:
    """Change settings of a study; annotators who have started keep what they agreed to.

    More ratings per context create places; fewer close unoccupied ones. The settings in `LOCKED`
    change in a draft only. Raises SettingRefused with all problems, or StudyOpen; then nothing is
    changed.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if unknown := sorted(set(settings) - set(SETTINGS) - set(LOCKED)):
        raise SettingRefused(f"No such setting: {', '.join(unknown)}.")
    before = {name: getattr(study, name) for name in settings}
    for name, setting in settings.items():
        setattr(study, name, setting)
    if any(before[name] != settings[name] for name in LOCKED if name in settings):
        lock_draft(study)
    if problems := [*_list_removals(study, before), *list_problems(study)]:
        raise SettingRefused("\n".join(problems))
    study.scale_labels = {write_point(Decimal(p)): t for p, t in study.scale_labels.items()}
    changed = {name for name, setting in before.items() if getattr(study, name) != setting}
    if changed & {"pay", "pay_for_more"}:
        refuse_unpayable(study)
    study.save()
    if changed & {"block_size", "seed"}:
        lay_out_again(study)
    elif "ratings_per_context" in changed:
        fit_places(study)
    if changed & {"language", "variant"}:
        follow_defaults(study)
    if changed:
        changes = {name: f"{before[name]} → {getattr(study, name)}" for name in sorted(changed)}
        record("study.configured", study, **changes)
    return study


def refuse_unpayable(study: Study) -> None:
    """Raise SettingRefused if a study promises pay and has an open link without a code."""
    links = Entrance.objects.filter(study=study, provider=Provider.LINK, completion_code="")
    if (study.pay + study.pay_for_more).strip() and links.filter(closed_at=None).exists():
        raise SettingRefused(
            "The study promises pay, but an open link keeps nobody’s identity, so nobody can be "
            "paid. Give the open link a completion code, which annotators send you for their pay, "
            "use personal links instead, or remove the pay from the design."
        )


def _list_removals(study: Study, before: dict[str, Any]) -> list[str]:
    """Return a problem for each emptied setting that annotators of an open study see."""
    if study.is_draft:
        return []
    return [
        f"the study is open: its {name} can change, and cannot be taken away."
        for name in SHOWN
        if str(before.get(name, "")).strip() and not getattr(study, name).strip()
    ]


def list_problems(study: Study) -> list[str]:
    """Return everything that is invalid about the settings of a study."""
    scale = study.scale_minimum, study.scale_maximum, study.scale_step
    if problems := list_scale_problems(*scale):
        return problems
    if problems := [
        *_list_label_problems(study),
        *_list_checkpoint_problems(study),
        *list_number_problems(study, MINIMUMS),
    ]:
        return problems
    n_pairs, _ = count_pairs(study)
    n_assignments = 2 * -(-n_pairs // study.block_size) * study.ratings_per_context
    if n_assignments > MAX_ASSIGNMENTS:
        return [f"this asks for {n_assignments:,} assignments, more than {MAX_ASSIGNMENTS:,}."]
    try:
        study.clean_fields()
    except ValidationError as error:
        return [
            f"{name.replace('_', ' ')}: {' '.join(messages)}"
            for name, messages in error.message_dict.items()
        ]
    return StudyDesign.of(study).problems()


def _list_label_problems(study: Study) -> list[str]:
    labels = study.scale_labels
    if not isinstance(labels, dict) or not all(isinstance(text, str) for text in labels.values()):
        return ['the labels must be texts by points of the scale, such as {"0": "not at all"}.']
    problems, points = [], []
    for written, label in labels.items():
        point = _read_point(written)
        if point not in study.scale_points:
            problems.append(f"the label {label!r} is for {written}, which the scale does not have.")
        elif point in points:
            problems.append(f"the point {written} has two labels.")
        points.append(point)
        if not label.strip() or len(label) > MAX_LABEL_LENGTH:
            problems.append(
                f"the label for {written} must have from 1 to {MAX_LABEL_LENGTH} characters."
            )
    return problems


def _list_checkpoint_problems(study: Study) -> list[str]:
    """Return a problem if the known range of a checkpoint item is not on the scale."""
    ranges = Checkpoint.objects.filter(context__pair__study=study).values_list("lowest", "highest")
    points = set(study.scale_points)
    if any(not points.issuperset(ends) for ends in ranges):
        return ["the scale lacks points that the checkpoint items of the study ask for."]
    return []


def _read_point(written: str) -> Decimal | None:
    """Return a finite number, or None: a signalling NaN cannot even be compared."""
    try:
        point = Decimal(written)
    except InvalidOperation:
        return None
    return point if point.is_finite() else None
