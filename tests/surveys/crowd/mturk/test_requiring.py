import pytest

from surveys.crowd.errors import BatchRefused
from surveys.crowd.models import Qualification
from surveys.crowd.mturk.qualifications import (
    describe_requirement,
    read_countries,
    write_requirements,
)


def test_requirements_are_written_as_mturk_takes_them():
    guarded = {"ActionsGuarded": "DiscoverPreviewAndAccept"}
    at_least = {"Comparator": "GreaterThanOrEqualTo", **guarded}

    assert write_requirements() == []
    assert write_requirements(
        countries=["SI", "HR"], approval_percent=95, n_approved=0,
        private_task=Qualification(qualification_type_id="3QUALITY"),
    ) == [
        {"QualificationTypeId": "00000000000000000071", "Comparator": "In",
         "LocaleValues": [{"Country": "SI"}, {"Country": "HR"}], **guarded},
        {"QualificationTypeId": "000000000000000000L0", "IntegerValues": [95], **at_least},
        {"QualificationTypeId": "00000000000000000040", "IntegerValues": [0], **at_least},
        {"QualificationTypeId": "3QUALITY", "Comparator": "Exists", **guarded},
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SI, Croatia", "“CROATIA” is not a"),
        (" ".join(f"A{chr(65 + n % 26)} B{chr(65 + n % 26)}" for n in range(16)), "30 countries"),
    ],
)
def test_invalid_countries_are_refused(text, message):
    with pytest.raises(BatchRefused, match=message):
        read_countries(text)


def test_a_private_task_is_described_in_words():
    assert describe_requirement({"QualificationTypeId": "3QUALITY"}) == "chosen for a private task"
