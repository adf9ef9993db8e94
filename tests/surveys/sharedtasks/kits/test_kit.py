"""The kit of a phase: not before it begins, the same bytes, and gold of practice data alone."""

import io
import zipfile
from datetime import timedelta

import pytest
from django.core.cache import cache

from surveys.sharedtasks.errors import SharedTaskRefused
from surveys.sharedtasks.kits.kit import pack_kit, pack_kit_for_organisers
from surveys.sharedtasks.parts import add_part, remove_part
from tests.factories.sharedtasks import START, make_phase, make_shared_task
from tests.factories.task_files import part_files

pytestmark = [pytest.mark.django_db, pytest.mark.shared_task(of="task_of_a_part")]


@pytest.fixture
def task_of_a_part():
    shared_task = make_shared_task(state="draft", opened_at=None, text="Predict.")
    add_part(shared_task, "sl", part_files(instructions="Read."))
    return shared_task


def files_of(kit):
    with zipfile.ZipFile(io.BytesIO(kit)) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def test_a_kit_is_out_when_its_phase_begins(shared_task):
    phase = make_phase(shared_task)

    with pytest.raises(SharedTaskRefused, match="not out yet"):
        pack_kit(phase, now=START - timedelta(seconds=1))

    assert pack_kit(phase, now=START) == pack_kit_for_organisers(phase)


def test_a_kit_has_gold_of_practice_data_alone(shared_task):
    test, practice = make_phase(shared_task), make_phase(shared_task, "practice", data="practice")
    files = part_files()

    of_test, of_practice = (files_of(pack_kit(one, now=START)) for one in (test, practice))

    assert of_practice["gold/gold_sl.tsv"] == files.practice_gold
    assert of_practice["data/data_sl.tsv"] == files.practice_data
    assert of_test["data/data_sl.tsv"] == files.data
    assert of_test["instructions/sl/instructions.md"] == b"Read."
    assert not [name for name in of_test if name.startswith("gold")]
    assert not [name for name, content in of_test.items() if files.gold in content]


def test_the_same_input_gives_the_same_bytes(shared_task):
    phase = make_phase(shared_task)
    first = pack_kit(phase, now=START)
    cache.clear()

    assert pack_kit(phase, now=START) == first
    phase.attempts_total = 3
    assert pack_kit(phase, now=START) != first


def test_practice_data_that_was_replaced_is_in_the_kit(shared_task):
    """Also if the test data is the same, and the organisers looked at the kit before."""
    phase = make_phase(shared_task, "practice", data="practice")
    pack_kit_for_organisers(phase)
    remove_part(shared_task.parts.get())
    other = part_files(n_practice=5)
    add_part(shared_task, "sl", other)

    files = files_of(pack_kit_for_organisers(phase))

    assert files["gold/gold_sl.tsv"] == other.practice_gold
    assert files["data/data_sl.tsv"] == other.practice_data
    assert "instructions/sl/instructions.md" not in files
