"""Settings that a researcher may change after the import of the stimuli, and published designs."""

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from django.db import transaction

from surveys.access.audit_log import record
from surveys.errors import ImportRefused, SettingRefused
from surveys.models import Checkpoint, Entrance, Provider, QuestionForms, Study, Variant
from surveys.models.fields import list_problems
from surveys.models.study import Writes, write_point
from surveys.study.blocks.allocation import lay_out_again
from surveys.study.blocks.quota import resize_places
from surveys.study.lifecycle import lock_draft
from surveys.study.planning.durations import SECONDS_TO_ANSWER
from surveys.study.planning.workload import count_pairs
from surveys.study.settings import DRAFT_ONLY, LAYS_OUT_BLOCKS, SCALE, SETTINGS
from surveys.study.texts import follow_defaults

if TYPE_CHECKING:  # which loads half a second longer
    from postprocess.designs.design import Design as Design

MOST_ASSIGNMENTS = 200_000  # more is a typing error
SHOWN = ("organisation", "contact")  # to annotators; required to open a study
START = "cosimlex-direct"  # the published design that is chosen at first
HOURS_OF_A_BLOCK, HOURS_OF_ALL_PAIRS = 24, 336  # for which a place is reserved


@cache
def published_designs() -> dict[str, "Design"]:
    """Return the published designs by name."""
    from postprocess.designs import list_designs
    from postprocess.designs.design import read_design

    return {name: read_design(name) for name in list_designs()}


def list_published(study: Study) -> list[tuple[str, str]]:
    """Return name and title of the published designs for the kind of items that a study has."""
    return [
        (name, design.title)
        for name, design in published_designs().items()
        if (design.item.kind, design.item.same_word) == (study.item_kind, study.same_word)
    ]


def list_fitting(study: Study) -> dict[str, set[str]]:
    """Return the questions and what can be written for the kind of items that a study has."""
    from postprocess.designs.design import FITTING

    questions, writes = FITTING[study.item_kind]  # type: ignore[index]
    return {"question": {*questions}, "writes": {*writes}}


def start_study(design: str = "", **given: Any) -> Study:
    """Return a study, not stored, with the settings of a published design and then the given ones.

    Without a name it has Cosima's start values. Labels of scales are in English, and left out for
    other languages. Raises ImportRefused for an unknown name.
    """
    designs = published_designs()
    if design and design not in designs:
        raise ImportRefused(f"Unknown design {design!r}. Choose one of {', '.join(designs)}.")
    settings = settings_of(designs[design]) if design else {}
    if given.get("language", "en").split("-")[0] != "en":
        settings |= {"scale_labels": {}}
    return Study(**{**settings, **given})


def settings_of(design: "Design") -> dict[str, Any]:
    """Return the settings that a study takes from a design; its languages are not among them."""
    scale, answers, above = design.scale, design.answers, design.rounds.second_look_above
    points = (scale.minimum, scale.maximum, scale.step)
    settings = {
        "design": design.name if design.name in published_designs() else "",
        "item_kind": design.item.kind, "same_word": design.item.same_word,
        **design.question.model_dump(), "centre": design.scores.centre,
        "layout": design.files.layout, "adjudicates": design.rounds.adjudicates,
        "second_look_above": None if above is None else _as_decimal(above),
        **dict(zip(SCALE, map(_as_decimal, points), strict=True)),
        "scale_labels": scale.labels, "allows_unjudgeable": scale.unjudgeable,
        "question_forms": QuestionForms.DICTIONARY.value, "variant": Variant.PLAIN.value,
        "ratings_per_context": answers.number, "block_size": answers.block_size,
        "n_doubled": answers.doubled, "allows_more_blocks": answers.more_blocks,
        "lease_hours": HOURS_OF_A_BLOCK if answers.block_size else HOURS_OF_ALL_PAIRS,
    }  # fmt: skip
    if design.question.writes == Writes.TRANSLATIONS.value:
        settings["publishes_words"] = True
    return settings


def design_of(study: Study) -> "Design":
    """Return the design of a study: the published one that it is of, or its own.

    The recipe is that of the design that the study started from, as far as its centre allows.
    Raises DesignError if its settings do not go together.
    """
    from postprocess.designs.design import Design, DesignError, ScoresSection

    start = published_designs().get(study.design)
    scores = start.scores if start else ScoresSection()
    if scores.centre != study.centre:
        scores = ScoresSection.model_validate(
            {"centre": study.centre, "recipe": "raw", "rescaled": False}
        )
    above = study.second_look_above
    low, high, step = (float(getattr(study, name)) for name in SCALE)
    entries: dict[str, Any] = {
        "item": {
            "kind": study.item_kind, "same_word": study.same_word,
            "languages": 2 if study.language2 else 1,
        },
        "question": {"question": study.question, "writes": study.writes},
        "scale": {
            "minimum": low, "maximum": high, "step": step, "labels": study.scale_labels,
            "unjudgeable": study.allows_unjudgeable,
        },
        "answers": {
            "number": study.ratings_per_context, "block_size": study.block_size,
            "doubled": study.n_doubled, "more_blocks": study.allows_more_blocks,
        },
        "rounds": {
            "second_look_above": None if above is None else float(above),
            "adjudicates": study.adjudicates,
        },
        "scores": scores, "files": {"layout": study.layout},
    }  # fmt: skip
    about = f"It started from the design {study.design}." if start else ""
    title = {"title": study.title or study.slug, "source": "", "about": about}
    design = Design.read({"name": study.slug or "own", **title, **entries}, "entry", DesignError)
    if start and start == design.model_copy(update=_title_of(start)):
        return start
    return design


def list_misfits(study: Study) -> list[str]:
    """Return why valid settings of a study do not go together, as the rules of designs say it."""
    from postprocess.designs.design import DesignError

    try:
        design_of(study)
    except DesignError as error:
        return [f"These settings do not go together: {error}."]
    return []


def _title_of(design: "Design") -> dict[str, str]:
    return {name: getattr(design, name) for name in ("name", "title", "source", "about")}


def _as_decimal(point: float) -> Decimal:
    return Decimal(write_point(Decimal(str(point))))


@transaction.atomic
def configure_study(study: Study, **settings: Any) -> Study:
    """Change settings of a study; annotators who have started keep what they agreed to.

    More ratings per context create places; fewer close unoccupied ones. Those in `DRAFT_ONLY`
    change in a draft only. Raises SettingRefused with all problems, or StudyOpen; then nothing is
    changed.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if unknown := sorted(set(settings) - set(SETTINGS)):
        raise SettingRefused(f"No such setting: {', '.join(unknown)}.")
    before = {name: getattr(study, name) for name in settings}
    for name, setting in settings.items():
        setattr(study, name, setting)
    if any(before[name] != settings[name] for name in DRAFT_ONLY if name in settings):
        lock_draft(study)
    problems = [*_list_removals(study, before), *list_problems(study)]
    if problems := problems or [*list_misfits(study), *_list_stimuli_problems(study)]:
        raise SettingRefused("\n".join(problems))
    changed = {name for name, setting in before.items() if getattr(study, name) != setting}
    if changed & {"pay", "pay_for_more"}:
        refuse_unpayable(study)
    if "writes" in changed and "seconds_per_item" not in changed:
        study.seconds_per_item += SECONDS_TO_ANSWER[Writes(study.writes)]
        study.seconds_per_item -= SECONDS_TO_ANSWER[Writes(before["writes"])]
    study.save()
    if changed & {*LAYS_OUT_BLOCKS}:
        lay_out_again(study)
    elif "ratings_per_context" in changed:
        resize_places(study)
    if changed & {"language", "variant", "question"}:
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


def _list_stimuli_problems(study: Study) -> Iterator[str]:
    """Yield why valid settings do not fit the stored stimuli and checkpoint items."""
    n_pairs, _ = count_pairs(study)
    n_blocks = -(-n_pairs // study.block_size) if study.block_size else 1
    n_assignments = study.kind.n_contexts * n_blocks * study.ratings_per_context
    if n_assignments > MOST_ASSIGNMENTS:
        yield f"This asks for {n_assignments:,} assignments, more than {MOST_ASSIGNMENTS:,}."
    ranges = Checkpoint.objects.filter(context__pair__study=study).values_list("lowest", "highest")
    points = set(study.scale_points)
    if any(not points.issuperset(ends) for ends in ranges):
        yield "The scale lacks points that the checkpoint items ask for."
