"""A team in the browser, without JavaScript; its pages fit their screens, and axe finds nothing."""

import re
from itertools import cycle

import pytest

from tests.end_to_end.browser import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.page_checks import violations, violations_of_look
from tests.end_to_end.site import Site
from tests.factories.sharedtasks import predictions, result_file

# Prints the id of a session of a captain, the addresses of all pages of teams, and two links.
MADE = """
from datetime import timedelta
from django.contrib.auth.models import User
from tests.factories.clients import client_of
from django.urls import reverse
from django.utils import timezone
from surveys.access.api_tokens import make_token
from surveys.sharedtasks.models import Upload
from tests.factories.sharedtasks import score_all
from surveys.sharedtasks.teams.description import accept_terms
from surveys.sharedtasks.teams.links import invite_team, make_link, make_member_link
from surveys.sharedtasks.teams.members import add_member
from surveys.sharedtasks.uploads import check_files
from surveys.sharedtasks.web.urls import OF_A_TEAM, urlpatterns
from tests.factories.sharedtasks import (
    make_data, make_phase, make_shared_task, make_team, predictions, result_file, send,
)
now = timezone.now()
ana = User.objects.create_superuser("organiser-of-teams")
task = make_shared_task(
    ana, slug="teams", title="A shared task with a rather long name", terms="Be *fair*.",
    registration="form", opened_at=now,
)
make_data(task)
team = make_team(task, "Sea Otters of the Northern Adriatic")
accept_terms(team, now=now)
captain = team.members.get()
other = make_team(make_shared_task(slug="elsewhere"), "a-rather-long-name-of-an-account")
second = add_member(team, other.members.get().participant, is_captain=False)
make_member_link(captain, now=now)
practice = make_phase(
    task, "practice", data="practice", opens_at=now - timedelta(days=1), closes_at=None,
    visibility="board",
)
user = captain.participant.user
sent = [result_file(predictions(seed, 4), subtask) for seed in (1, 2) for subtask in (1, 2)]
for one in sent:
    send(team, practice, [one], now=now)
score_all()
upload = check_files(team, practice, [result_file(predictions(3, 4))], by=user, now=now)
client = client_of(user)
print(client.cookies["sessionid"].value)
found = {
    "slug": "teams", "upload_id": upload.pk, "phase": "practice", "number": 1,
    "member_id": second.pk, "link_id": 1,
}
for pattern in urlpatterns:
    if pattern.name in OF_A_TEAM:
        values = {name: found[name] for name in pattern.pattern.converters}
        address = reverse(f"sharedtasks:{pattern.name}", kwargs=values)
        answer = client.get(address, headers={"host": "127.0.0.1"})
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            print(address)
for name in ("account", "change_password", "tokens"):
    print(reverse(f"sharedtasks:{name}"))
token, _ = make_token(user, "every night, from the cluster", ["sharedtasks:write"])
print(reverse("sharedtasks:revoke_token", args=[token.pk]))
print(make_link(team, by=ana, now=now))
print(invite_team(task, "Herons", by=ana, now=now)[1])
"""
OPEN = ("/tasks/", "/tasks/sign-in/", "/tasks/invitation/nothing/", "/tasks/teams/register/")
LOOKS = [(DESKTOP, "light", "dark"), (PHONE, "dark", "light")]
SECRET = "correct horse battery"


@pytest.fixture(scope="module")
def team_pages(shared_site: Site) -> list[str]:
    """Return a session of a captain, addresses of pages, and two links to join teams."""
    return shared_site.manage("shell", "--no-imports", "-c", MADE).split()


def find_faults(watched: WatchedPage, size, colours, others) -> list[str]:
    """Return what is wrong with the page that is shown, in two widths and colour schemes."""
    found = violations(watched)
    for width in (DESKTOP, PHONE):
        watched.appear(width, colours)
        if watched.sideways_scroll:
            found.append(f"wider than {width[0]} pixels")
    watched.appear(size, others)
    return found + violations_of_look(watched)


def test_every_page_fits_its_screen_and_axe_finds_nothing(chromium, shared_site: Site, team_pages):
    session, *addresses, joining, _ = team_pages
    watched, faults = WatchedPage(chromium, DESKTOP), {}
    stranger = WatchedPage(chromium, DESKTOP)
    watched.visit_signed_in(f"{shared_site.url}/tasks/", session)
    visits = [(watched, f"{shared_site.url}{address}") for address in addresses]
    visits += [(stranger, f"{shared_site.url}{address}") for address in OPEN]
    for (reader, address), look in zip([*visits, (stranger, joining)], cycle(LOOKS), strict=False):
        reader.appear(*look[:2])
        reader.page.goto(address)
        if found := find_faults(reader, *look):
            faults[address] = found

    assert len(addresses) >= 15
    assert faults == {}
    assert watched.complaints == []


def test_a_team_submits_without_javascript(chromium, shared_site: Site, team_pages):
    watched = WatchedPage(chromium, PHONE, scripts=False)
    page, (name, content) = watched.page, result_file(predictions(1, 4))
    wrong = content.replace(b".", b",", 1)

    def press(button: str) -> None:
        watched.follow(page.get_by_role("button", name=button))

    def send(sent: bytes) -> None:
        page.get_by_role("link", name="Submit", exact=True).click()
        files = {"name": name, "mimeType": "text/tab-separated-values", "buffer": sent}
        page.get_by_label("Result files").set_input_files(files)
        press("Check the files")

    page.goto(team_pages[-1])
    page.get_by_label("Name of your account").fill("heron")
    page.get_by_label("Password", exact=True).fill(SECRET)
    page.get_by_label("Password confirmation").fill(SECRET)
    page.get_by_label("I have read the terms").check()
    press("Join the team")
    assert page.get_by_role("heading", name="Herons").is_visible()
    send(wrong)
    assert page.get_by_role("heading", name="The files were refused").is_visible()
    send(content)
    assert page.get_by_text("This will be attempt 1").is_visible()
    press("Submit")
    submission = page.url
    assert submission.endswith("/tasks/teams/team/submissions/practice/1/")
    page.go_back()
    assert page.url == submission or page.get_by_text("This will be attempt 1").is_visible()
    page.goto(submission)
    with page.expect_download() as downloading:
        page.get_by_role("link", name="Download the files").click()
    assert re.fullmatch(r"teams_practice_1\.zip", downloading.value.suggested_filename)
    press("Sign out")
    assert page.url.endswith("/tasks/sign-in/")
