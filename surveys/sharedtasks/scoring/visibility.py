"""Who may see which scores of a shared task, and under which names. Every door asks here."""

from dataclasses import dataclass
from typing import Any

from surveys.sharedtasks.models import (
    FrozenBoard,
    NameRule,
    Phase,
    PhaseData,
    SharedTask,
    SharedTaskState,
    Team,
    TeamKind,
    Visibility,
)

OF_CORRELATIONS = ("pearson", "spearman")
ENDS = ("low", "high")  # of an interval: with a score, a second equation of the gold


@dataclass(frozen=True)
class Viewer:
    """A reader of a shared task's pages: an organiser, a member of a team, or anybody."""

    team: Team | None = None
    is_organiser: bool = False


ANYBODY = Viewer()


def may_see_scores(phase: Phase, viewer: Viewer, team: Team | None = None) -> bool:
    """Return whether a viewer may see the scores of a team in a phase.

    Without a team: whether they may see those of all teams, which is the board of the phase. Doors
    show of a visible score only what `show_figures` returns.
    """
    shared_task = phase.shared_task
    if viewer.is_organiser:
        return True
    if shared_task.state == SharedTaskState.DRAFT:
        return False
    if phase.visibility == Visibility.BOARD or is_published(phase):
        return True
    if phase.closes_at is None and shared_task.is_published:  # it has no final boards
        return True
    is_own = team is not None and viewer.team is not None and viewer.team.pk == team.pk
    return phase.visibility == Visibility.OWN and is_own


def is_published(phase: Phase) -> bool:
    """Return whether the final boards of a phase are public."""
    is_public = phase.shared_task.state == SharedTaskState.PUBLISHED
    return is_public and FrozenBoard.objects.filter(phase=phase).exists()


def is_gold_public(phase: Phase) -> bool:
    """Return whether figures of a phase may have all their digits.

    From nine scores with full digits the gold of a small part can be computed, and from twelve with
    intervals. That of practice data is in the kit.
    """
    return phase.shared_task.is_published or phase.data == PhaseData.PRACTICE


def show_figures(figures: dict[str, Any], phase: Phase) -> dict[str, Any]:
    """Return figures as they may leave the server.

    Until the gold is public, scores have three decimals, halves away from zero, and there are no
    intervals and correlations.
    """
    if is_gold_public(phase):
        return dict(figures)
    shown = {name: figure for name, figure in figures.items() if name not in OF_CORRELATIONS}
    shown |= dict.fromkeys(shown.keys() & ENDS)
    return {**shown, "score": round_figure(figures["score"])}


def round_figure(figure: float | None) -> float | None:
    """Return a figure with three decimals, halves away from zero.

    >>> round_figure(0.6125), round_figure(-0.0001), round_figure(None)
    (0.613, 0.0, None)
    """
    from postprocess.scoring.ranking import round_score

    return None if figure is None else float(round_score(figure) + 0)


def shows_code(
    shared_task: SharedTask, *, kind: str, hides_name: bool, publishes_scores: bool
) -> bool:
    """Return whether pages have a team's code instead of its name; see `Team`.

    Published ones have it if the team asked for that, or if it has not agreed to the publication of
    its scores. Where organisers require no description, which has this consent, the terms decide.
    """
    if not shared_task.is_published:
        return hides_name or shared_task.names == NameRule.CODES
    return hides_name or (_must_agree(shared_task, kind) and not publishes_scores)


def name_published(team: Team) -> str:
    """Return the name of a team on published boards, which may be its code; see `shows_code`."""
    has_consent = team.publishes_scores or not _must_agree(team.shared_task, team.kind)
    return team.name if has_consent and not team.hides_name else team.code


def _must_agree(shared_task: SharedTask, kind: str) -> bool:
    """Return whether a team of a kind must agree to the publication of its scores."""
    return shared_task.requires_description and kind == TeamKind.TEAM
