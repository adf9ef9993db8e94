"""A small shared task, as kits and bundles need it."""

from datetime import UTC, datetime

from postprocess.formats.stimuli import render_stimuli
from postprocess.kits.rules import KitPart, PhaseRules, TaskRules, Visibility
from tests.postprocess.release.releases import numbered_row

RULES = TaskRules(
    title="Words in *context*",
    text="How similar are two words?",
    terms="Be fair.",
    contact="organisers@example.org",
    address="https://example.org/tasks/words/",
    zone="Etc/GMT+12",
)
PRACTICE = PhaseRules(
    "practice",
    is_practice=True,
    opens_at=datetime(2027, 1, 1, tzinfo=UTC),
    visibility=Visibility.BOARD,
)
TEST = PhaseRules(
    "evaluation",
    is_practice=False,
    opens_at=datetime(2027, 1, 15, 12, tzinfo=UTC),
    closes_at=datetime(2027, 2, 1, 11, 59, 59, tzinfo=UTC),
    attempts_total=9,
    attempts_a_day=3,
)


def make_data(n_pairs, first=1):
    rows = [numbered_row(number) for number in range(first, first + n_pairs)]
    return render_stimuli(rows).encode()


def make_gold(n_pairs):
    rows = [f"{n}\t{n * n % 7}\t{n * n % 7 - n}" for n in range(n_pairs)]
    return "\n".join(["sim_context1\tsim_context2\tchange", *rows, ""]).encode()


def practice_parts(n_pairs=4, **more):
    return [
        KitPart(language, make_data(n_pairs, 100), make_gold(n_pairs), **more)
        for language in ("fi", "sl")
    ]


def parts_of_test(n_pairs=12):
    return [KitPart(language, make_data(n_pairs)) for language in ("fi", "sl")]
