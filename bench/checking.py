"""Comparison of acknowledged and stored judgements."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from sites import QUOTA, Load, Stored


class Acknowledged(NamedTuple):
    """A judgement confirmed by the site; the token was typed as its first word."""

    user: str
    item: str
    token: str

    @property
    def rating(self) -> int:
        """Return the generator's rating: the judgement's number in the annotator's row, mod 7."""
        return int(self.token.rpartition("t")[2]) % 7


class Finding(NamedTuple):
    """Counts; all but the first four and `at_quota` must be 0."""

    acknowledged: int
    stored: int
    left_over: int
    contexts: int
    lost: int
    mixed_up: int
    doubled: int
    unacknowledged: int
    over_quota: int
    at_quota: int

    def faults(self, load: Load) -> str:
        """Return a description of the errors, empty if there are none."""
        counts = self._asdict()
        names = ("lost", "mixed_up", "doubled", "unacknowledged", "over_quota")
        wrong = [f"{counts[name]} {name}" for name in names if counts[name]]
        if load.fills_the_quota and self.at_quota < self.contexts:
            wrong.append(f"{self.at_quota} of {self.contexts} contexts at quota")
        return ", ".join(wrong)


def check(acks: Iterable[Acknowledged], rows: Iterable[Stored], n_contexts: int) -> Finding:
    """Compare them. `filled` answers, whose first word is not a token, only count for the quota.

    `left_over` are ratings in assignments that were not finished: stored, but not counted.
    """
    acks, rated = list(acks), [row for row in rows if row.rating is not None]
    stored = {row.word1: row for row in rated if row.word1 != "lorem"}
    counted = Counter(row.item for row in rated if row.is_counted)
    of_pair = Counter((row.annotator, row.pair) for row in rated)
    tokens = Counter(row.word1 for row in rated if row.word1 != "lorem")
    there = [(ack, stored[ack.token]) for ack in acks if ack.token in stored]
    return Finding(
        acknowledged=len(acks),
        stored=tokens.total(),
        left_over=sum(not row.is_counted for row in rated),
        contexts=n_contexts,
        lost=len(acks) - len(there),
        mixed_up=sum((row.item, row.rating) != (ack.item, ack.rating) for ack, row in there),
        doubled=max(tokens.total() - len(tokens), of_pair.total() - len(of_pair)),
        unacknowledged=len(tokens.keys() - {ack.token for ack in acks}),
        over_quota=sum(max(0, n - QUOTA) for n in counted.values()),
        at_quota=sum(n == QUOTA for n in counted.values()),
    )
