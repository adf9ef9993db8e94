import re

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from surveys.access.audit_log import acting, record
from surveys.access.roles import grant_role
from surveys.models import AuditEntry, Invitation, Membership, Role, Study
from surveys.web.console.study.overview import STUDIES_PER_PAGE
from tests.factories.clients import client_of
from tests.factories.pages import page
from tests.factories.reviews import submit
from tests.factories.studies import make_study

PASSWORD = "correct horse"


def post_password(password):
    return Client().post(reverse("console:sign_in"), {"username": "ana", "password": password})


def test_sign_in_redirects_to_the_studies(db):
    User.objects.create_user("ana", password=PASSWORD)

    answer = post_password(PASSWORD)

    assert (answer.status_code, answer.url) == (302, reverse("console:studies"))


def test_sign_in_is_locked_after_five_wrong_passwords(db):
    User.objects.create_user("ana", password=PASSWORD)

    first = [post_password("wrong").status_code for _ in range(5)]
    later = post_password(PASSWORD)

    assert first == [200] * 4 + [429]
    assert later.status_code == 429
    assert "Wait 15 minutes" in later.content.decode()


def test_studies_lists_those_of_the_user(study, sign_in):
    make_study(1, slug="of-others")

    text = sign_in(Role.REVIEWER).get(reverse("console:studies")).content.decode()

    assert study.slug in text
    assert "of-others" not in text


@pytest.mark.every_database  # a search without regard to case
def test_studies_can_be_searched_and_show_their_state(study, sign_in):
    submit(study)
    for number in range(STUDIES_PER_PAGE):
        make_study(1, slug=f"river-{number}", title=f"Rivers {number}")
    client = sign_in(Role.OWNER)
    client.force_login(User.objects.create_superuser("op"))
    where = reverse("console:studies")

    first, second = (client.get(where, {"page": n}).content.decode() for n in (1, 2))
    found = client.get(where, {"q": "rivers 11"}).content.decode()
    none = client.get(where, {"q": "<b>lakes"}).content.decode()

    assert "river-23" in first
    assert page("overview", study) not in first
    assert "Collecting 25 %" in second
    assert re.findall(r"river-\d+(?=,)", found) == ["river-11"]
    assert "No study has “&lt;b&gt;lakes”" in none


def test_the_next_step_has_a_button_except_on_its_own_page(study, owner):
    here = owner.get(page("stimuli", study)).content.decode()
    there = owner.get(page("recruitment", study)).content.decode()

    button = f'class="button" href="{page("recruitment", study)}">Invite annotators'
    assert button in here
    assert "<strong>Next:</strong>" in there
    assert button not in there


def test_the_next_step_follows_what_was_just_done(study, owner):
    assert "Invite annotators</a>" in owner.get(page("log", study)).content.decode()

    owner.post(page("invite", study), {"n_before": 0, "count": 1})
    assert "more links are needed" in owner.get(page("log", study)).content.decode()
    owner.post(page("invite", study), {"n_before": 1, "count": 99})

    assert Invitation.objects.filter(study=study).exists()
    assert "Look at the collection</a>" in owner.get(page("log", study)).content.decode()


def test_reviewers_are_not_sent_where_they_may_not_go(study, sign_in):
    text = sign_in(Role.REVIEWER).get(page("collection", study)).content.decode()

    assert "<strong>Next:</strong>" not in text


def test_a_study_is_closed_archived_found_and_reopened(study, owner):
    refused = owner.post(page("archive", study), follow=True).content.decode()
    asked = owner.get(page("close", study)).content.decode()
    closed = owner.post(page("close", study), follow=True).content.decode()
    owner.post(page("archive", study))
    studies = reverse("console:studies")
    listed = owner.get(studies).content.decode()
    archive = owner.get(studies, {"archived": "on"}).content.decode()
    opened = owner.post(page("reopen", study), follow=True).content.decode()

    assert "Close it first" in refused
    assert "Nobody new can begin" in asked
    assert "Closed at" in closed
    assert "Archive (1)" in listed
    assert page("overview", study) not in listed
    assert page("overview", study) in archive
    assert "The study is open again." in opened


def test_a_copy_is_made_under_a_free_name(study, researcher):
    taken = researcher.post(page("duplicate", study), {"title": "Copy", "slug": study.slug})
    made = researcher.post(page("duplicate", study), {"title": "Copy", "slug": "copy"}, follow=True)

    assert taken.status_code == 422
    assert "another short name" in taken.content.decode()
    assert "The copy is a draft" in made.content.decode()


def test_overview_shows_missing_steps(study, sign_in):
    text = sign_in(Role.OWNER).get(page("overview", study)).content.decode()

    assert "still to come" in text
    assert "Nothing is released yet" in text
    assert f'<a href="{page("results", study)}">Results</a>' in text


def test_overview_links_only_pages_that_reviewers_may_open(study, sign_in):
    text = sign_in(Role.REVIEWER).get(page("overview", study)).content.decode()

    assert page("review", study) in text
    assert page("design", study) not in text


@pytest.mark.parametrize(
    ("name", "more", "step"),
    [("text", ["consent"], "Design"), ("invite", [], "Recruitment"), ("design", [], "Design")],
)
def test_the_menu_marks_only_the_current_step(name, more, step, study, sign_in):
    text = sign_in(Role.OWNER).get(page(name, study, *more)).content.decode()

    menus = "".join(re.findall(r"<nav.*?</nav>", text, re.DOTALL))
    current = re.findall(r'aria-current="\w+">(.*?)</a>', menus, re.DOTALL)
    assert [strip_tags(link).strip() for link in current] == [step]


@pytest.mark.parametrize(
    ("name", "more", "ways"),
    [
        ("overview", [], []), ("design", [], []), ("text", ["consent"], ["Design"]),
        ("mails", [], ["Recruitment"]), ("send_invitations", [], ["Recruitment", "E-mail"]),
        ("duplicate", [], ["My study"]),
    ],
)  # fmt: skip
def test_pages_below_the_menu_have_a_way_back(name, more, ways, study, sign_in):
    Study.objects.update(title="My study")

    text = sign_in(Role.OWNER).get(page(name, study, *more)).content.decode()

    found = re.search(r'<nav class="back".*?</nav>', text, re.DOTALL)[0]
    assert re.findall(r">([^<]+)</a>", found) == ways


def test_every_icon_exists(study, sign_in):
    text = sign_in(Role.OWNER).get(page("overview", study)).content.decode()

    used = re.findall(r"icons[.\w]*\.svg#([\w-]+)", text)
    drawn = re.findall(
        r'id="([\w-]+)"', (settings.BASE_DIR / "static/images/icons.svg").read_text()
    )
    assert {*used} >= {"stimuli", "log"}
    assert {*used} <= {*drawn}


@pytest.mark.parametrize("n", [1, 3])
def test_the_number_of_queries_does_not_grow_with_studies(n, db, django_assert_num_queries):
    user = User.objects.create_user("ana")
    for number in range(n):
        grant_role(make_study(1, slug=f"study-{number}"), user, Role.OWNER)
    client = client_of(user)

    with django_assert_num_queries(6):
        client.get(reverse("console:studies"))


def test_people_grants_and_revokes_a_role(study, sign_in):
    client, mate = sign_in(Role.OWNER), User.objects.create_user("mate")

    answer = client.post(page("people", study), {"username": "mate", "role": "reviewer"})
    assert answer.status_code == 302
    assert Membership.objects.get(user=mate).role == "reviewer"

    client.post(page("leave", study, mate.pk))
    assert not Membership.objects.filter(user=mate).exists()
    done = AuditEntry.objects.values_list("actor", "action", "subject", "details")
    assert list(done)[:2] == [
        ("ana", "member.revoked", "mate", {}),
        ("ana", "member.granted", "mate", {"role": "reviewer"}),
    ]


def test_people_keeps_the_last_owner(study, sign_in):
    client = sign_in(Role.OWNER)
    owner = User.objects.get(username="ana")

    lowered = client.post(page("people", study), {"username": "ana", "role": "reviewer"})
    left = client.post(page("leave", study, owner.pk))

    assert (lowered.status_code, left.status_code) == (422, 409)
    assert "only owner" in left.content.decode()
    assert Membership.objects.get(user=owner).role == Role.OWNER


def test_log_shows_actions_and_users(study, researcher):
    with acting("the command line"):
        record("study.configured", study, "", ratings_per_context="10 → 12")

    text = researcher.get(page("log", study), {"action": "study."}).content.decode()

    assert "the command line" in text
    assert "Ratings per context: 10 → 12" in text
    assert "Gave " not in text


def test_log_is_paginated(study, owner):
    for number in range(60):
        record("text.set", study, f"change {number}")

    first, last = (owner.get(page("log", study), {"page": n}).content.decode() for n in (1, 99))

    assert "change 59" in first
    assert "change 0<" not in first
    assert "change 0<" in last
