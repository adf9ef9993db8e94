"""The effect of a recipe on ratings, compared with the ratings as they were given."""

from typing import NamedTuple

import pandas as pd

from postprocess.steps.comparison import KEYS, compare_outcomes
from postprocess.steps.exclusion import COUNTED
from postprocess.steps.post_process import Outcome


class Effect(NamedTuple):
    """What the steps of a recipe do to ratings and scores.

    `n_ratings`: all ratings; `n_used`: those behind the scores; `n_moved`: those of them that
    calibration moved; `excluded`: reason → number of excluded ratings, most frequent first.
    `annotators`, a row for each annotator of each group that the steps leave out or move: the
    columns of `Outcome.annotators`; those without used ratings come first.
    `scores`, a row for each context whose score changes: pair, context, as_given, score and
    difference (score less as_given), the largest absolute difference first.
    """

    n_ratings: int
    n_used: int
    n_moved: int
    excluded: dict[str, int]
    annotators: pd.DataFrame
    scores: pd.DataFrame


def measure_effect(as_given: Outcome, outcome: Outcome) -> Effect:
    """Compare an outcome with the recipe "raw" on the same published scale.

    Parameters
    ----------
    as_given, outcome : Outcome
        Of the same ratings table.

    Returns
    -------
    Effect

    Raises
    ------
    RatingsError
        Not the same ratings.
    """
    compared = compare_outcomes(as_given, outcome)
    ledger = outcome.ledger
    is_used = ledger["reason"] == COUNTED
    reasons = ledger["reason"][~is_used].astype(str).value_counts()
    return Effect(
        n_ratings=len(ledger),
        n_used=int(is_used.sum()),
        n_moved=int((is_used & (ledger["calibrated"] != ledger["rating"])).sum()),
        excluded={str(reason): int(n) for reason, n in reasons.items()},
        annotators=_list_affected(outcome.annotators, compared.annotators),
        scores=_list_changed(compared.scores),
    )


def _list_affected(annotators: pd.DataFrame, compared: pd.DataFrame) -> pd.DataFrame:
    """Return the annotators who are treated differently, those left out first."""
    affected = annotators.merge(compared.loc[compared["differs"], KEYS], on=KEYS)
    is_kept = (affected["n_used"] > 0).rename("is_kept")
    order = affected.join(is_kept).sort_values(["is_kept", *KEYS])
    return order.drop(columns="is_kept").reset_index(drop=True)


def _list_changed(compared: pd.DataFrame) -> pd.DataFrame:
    """Return contexts with their scores, the largest absolute difference first."""
    contexts = [
        pd.DataFrame(
            {
                "pair": compared.index,
                "context": number,
                "as_given": compared[f"sim{number}_first"].to_numpy(),
                "score": compared[f"sim{number}_second"].to_numpy(),
                "difference": compared[f"sim{number}_difference"].to_numpy(),
            }
        )
        for number in (1, 2)
        if f"sim{number}_first" in compared
    ]
    scores = pd.concat(contexts).sort_values(["pair", "context"], ignore_index=True)
    size = scores["difference"].abs().round(9)
    ranked = scores.assign(size=size).sort_values("size", ascending=False, kind="stable")
    return ranked[ranked["size"] > 0].drop(columns="size").reset_index(drop=True)
