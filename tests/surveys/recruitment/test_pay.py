"""Pay that nobody can get: an open link without a code, refused by every action."""

import pytest

from surveys.errors import SettingRefused
from surveys.models import Entrance, Study
from surveys.recruitment.links import close_entrance, open_entrance
from surveys.study.design import configure_study
from tests.factories.studies import stored

pytestmark = [pytest.mark.django_db, pytest.mark.every_database]
PAID = [{"pay": "2 €"}, {"pay_for_more": "1 €"}]


@pytest.mark.parametrize("paid", PAID)
def test_an_open_link_of_a_paid_study_needs_a_code(study, paid):
    configure_study(study, **paid)

    with pytest.raises(SettingRefused, match="the open link a completion code"):
        open_entrance(study, "link")

    assert not Entrance.objects.exists()
    assert open_entrance(study, "link", completion_code="DONE1").closed_at is None


@pytest.mark.parametrize("paid", PAID)
def test_pay_is_not_promised_while_an_open_link_has_no_code(study, paid):
    entrance = open_entrance(study, "link")

    with pytest.raises(SettingRefused, match="the open link a completion code"):
        configure_study(study, **paid)

    assert stored(study, "pay", "pay_for_more") == ("", "")
    close_entrance(entrance)
    configure_study(study, **paid)
    with pytest.raises(SettingRefused):
        open_entrance(study, "link")
    assert stored(entrance, "closed_at") != (None,)


def test_the_code_stays_while_pay_is_promised(study):
    entrance = open_entrance(study, "link", completion_code="DONE1")
    configure_study(study, pay="2 €")

    with pytest.raises(SettingRefused, match="the open link a completion code"):
        open_entrance(study, "link", completion_code="")

    assert stored(entrance, "completion_code") == ("DONE1",)


def test_the_study_in_the_database_decides(study):
    configure_study(Study.objects.get(), pay="2 €")

    with pytest.raises(SettingRefused):
        open_entrance(study, "link")


def test_other_changes_stay_possible_where_pay_was_promised_before(study):
    open_entrance(study, "link")
    Study.objects.update(pay="2 €")

    configure_study(study, title="New")
    configure_study(study, title="Newer", pay="2 €")

    assert stored(study, "title", "pay") == ("Newer", "2 €")


@pytest.mark.parametrize("amount", [" ", "\n"])
def test_blank_pay_promises_nothing(study, amount):
    Study.objects.update(pay=amount)

    assert open_entrance(study, "link").closed_at is None


def test_channels_that_identify_annotators_need_no_more(study):
    configure_study(study, pay="2 €")

    assert open_entrance(study, "prolific").closed_at is None
