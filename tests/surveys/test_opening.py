"""A draft takes nobody; opening it lets people come and keeps its stimuli and its scale."""

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.urls import reverse
from django.utils import timezone

from surveys.assigning import start_assignment
from surveys.configuring import configure_study
from surveys.drafting import make_draft
from surveys.errors import OpeningRefused, StudyNotOpen, StudyOpen
from surveys.importing import StudyDesign
from surveys.models import Annotator, AuditEntry, Block, Context, Item, Pair, Place, Study
from surveys.models.collection import make_token
from surveys.opening import open_study
from surveys.recruiting import invite_annotators, open_entrance
from tests.factories import make_study, numbered_stimuli, stored

pytestmark = pytest.mark.django_db

NOT_OPEN = {
    "en": "This study is not open yet",
    "hr": "Ovo istraživanje još nije otvoreno",
    "fa": "این پژوهش هنوز باز نشده است",
}


@pytest.fixture
def owner():
    return User.objects.create_user("ana")


def make(owner, n_pairs=2, **design):
    wanted = {"slug": "draft", "language": "en", "ratings_per_context": 2, **design}
    return make_draft(numbered_stimuli(n_pairs), StudyDesign(**wanted), owner)


def links(study):
    (invitation,) = invite_annotators(study, 1)
    entrance = open_entrance(study, "link").token
    prolific = open_entrance(study, "prolific", completion_code="DONE").token
    return [
        reverse("annotate:welcome", args=[invitation.token]),
        reverse("annotate:arrive", args=[entrance]),
        reverse("annotate:join", args=[entrance, make_token()]),
        reverse("annotate:arrive", args=[prolific]) + "?PROLIFIC_PID=a&STUDY_ID=b&SESSION_ID=c",
    ]


@pytest.mark.parametrize("language", NOT_OPEN)
def test_a_draft_refuses_whoever_comes_in_its_language(client, owner, language):
    study = make(owner, language=language)

    for link in links(study):
        for answer in (client.get(link, follow=True), client.post(link.split("?")[0], follow=True)):
            assert answer.status_code in (409, 400), link
        assert NOT_OPEN[language] in client.get(link, follow=True).content.decode()
    assert not Annotator.objects.exists()


def test_nobody_starts_in_a_draft(owner):
    (invitation,) = invite_annotators(make(owner), 1)

    with pytest.raises(StudyNotOpen):
        start_assignment(invitation)


def test_open_study_lets_people_come_and_is_recorded_once(client, owner):
    study = make(owner)
    opened = open_study(study)

    assert stored(open_study(study), "opened_at") == (opened.opened_at,)
    for link in links(study):
        assert client.get(link, follow=True).status_code == 200
    (entry,) = AuditEntry.objects.filter(action="study.opened")
    assert entry.details["n_pairs"] == 2
    assert entry.details["stimuli"] == study.stimuli_sha256


def test_open_study_refuses_one_without_stimuli(owner):
    study = make(owner, n_pairs=1)
    Item.objects.all().delete()
    Context.objects.all().delete()
    Pair.objects.all().delete()

    with pytest.raises(OpeningRefused, match="no stimuli"):
        open_study(study)
    assert stored(study, "opened_at") == (None,)


def test_studies_of_the_command_line_are_open_at_once():
    assert not make_study().is_draft


def test_a_drafts_design_may_change(owner):
    study = make(owner, n_pairs=4)

    configure_study(study, block_size=2, scale_maximum=4, language="sl", ratings_per_context=3)

    assert stored(study, "language", "scale_maximum") == ("sl", 4)
    assert Block.objects.filter(study=study).count() == 2
    assert Place.objects.filter(study=study, is_open=True).count() == 12
    entry = AuditEntry.objects.get(action="study.configured")
    assert entry.details["block_size"] == "20 → 2"


@pytest.mark.parametrize(
    "change", [{"language": "sl"}, {"block_size": 1}, {"seed": 7}, {"scale_maximum": 4}]
)
def test_an_open_studys_design_stays(change):
    study = make_study()
    before = Study.objects.values().get()

    with pytest.raises(StudyOpen, match="make a new study"):
        configure_study(study, title="Other", **change)

    assert Study.objects.values().get() == before
    configure_study(study, **{name: getattr(study, name) for name in change})


@pytest.mark.django_db(transaction=True)
def test_studies_from_before_drafts_are_open_and_drafts_do_not_go_back():
    study = make_study()
    migrate("0008_researchers_and_what_they_decide")
    migrate("0009_open_studies_when_ready")
    assert stored(study, "opened_at") == stored(study, "created_at")

    Study.objects.update(opened_at=None)
    with pytest.raises(CommandError, match=r"not open yet: study\. Open them"):
        migrate("0008_researchers_and_what_they_decide")
    assert stored(study, "opened_at") == (None,)
    Study.objects.update(opened_at=timezone.now())
    call_command("migrate", "surveys", verbosity=0)


def migrate(name):
    executor = MigrationExecutor(connection)
    executor.migrate([("surveys", name)])
