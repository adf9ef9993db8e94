"""What the finished demo study and shared task show and publish, made once for all of it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from surveys.access.api_tokens import make_token
from surveys.models import Study
from surveys.rehearsal.finished.study import prepare_finished_study
from surveys.sharedtasks.demo import prepare_shared_task
from surveys.web.console.urls import urlpatterns
from surveys.webhooks.messages import add_webhook
from tests.factories.batch_states import make_crowd
from tests.factories.batches import plan
from tests.factories.clients import client_of
from tests.factories.organised import make_organised
from tests.factories.selections import make_draft
from tests.factories.studies import make_study
from tests.frozen.texts import check_frozen, decode, round_scores
from tests.frozen.walking import crawl, read_archive, share

pytestmark = pytest.mark.needs("sharedtasks", "crowd", "contexts")

GALLERY = "postprocess.reporting.figures.gallery"
NOWHERE = "http://127.0.0.1:9"


@pytest.mark.usefixtures("fixed", "empty_database")
def test_what_the_finished_demo_shows(subtests, settings, monkeypatch):
    for form in ("svg", "png"):  # drawn and frozen elsewhere
        monkeypatch.setattr(f"{GALLERY}.render_{form}", lambda figure, **texts: b"<svg></svg>")
    settings.EMAIL_HOST, settings.ZENODO_URL, settings.ZENODO_TOKEN = "127.0.0.1", NOWHERE, "token"
    studies = [prepare_finished_study(), make_study(2, slug="draft")]
    prepare_shared_task()
    Study.objects.filter(slug="draft").update(opened_at=None)
    operator = User.objects.create_superuser("op")

    with subtests.test("console"):
        check_frozen("console", share(open_console(operator, studies)))
    with subtests.test("shared task"):
        check_frozen("sharedtask_pages", round_scores(share(open_shared_tasks(operator))))
    with subtests.test("files of the shared task"):
        check_frozen("boards", round_scores(decode(download_shared_task())))


def open_console(operator: User, studies: list[Study]) -> dict[str, str | bytes]:
    """Return every page of the studies, and those of batches and of candidates."""
    crowd = make_study(4, slug="crowd", ratings_per_context=12, block_size=4)
    begun, planned = make_crowd(crowd), plan(crowd)
    candidates = make_draft(operator, slug="candidates")
    make_token(operator, "script", ["runs:read"])
    add_webhook(studies[0], "https://lab.example.org/", ["run.finished"])
    starts = [
        reverse(f"console:{pattern.name}", args=[study.slug])
        for study in studies
        for pattern in urlpatterns
        if set(pattern.pattern.converters) == {"slug"}
    ]
    starts += [
        reverse("console:arm_batch", args=[crowd.slug, planned.pk]),
        reverse("console:batch", args=[crowd.slug, begun.pk]),
        reverse("console:batches", args=[crowd.slug]),
        reverse("console:contexts", args=[candidates.slug]),
    ]
    below = [*starts[-2:], *(reverse("console:overview", args=[study.slug]) for study in studies)]
    below += [f"/console/{name}/" for name in ("new", "audit", "tokens", "password")]
    pages = crawl(client_of(operator), ["/console/", *starts], *below)
    return pages | crawl(Client(), ["/console/sign-in/"])


def open_shared_tasks(operator: User) -> dict[str, str | bytes]:
    """Return the pages of the public, a team and organisers."""
    make_organised()
    pages = crawl(client_of(operator), ["/console/shared-tasks/"], "/console/shared-tasks/")
    pages |= crawl(Client(), ["/tasks/"], "/tasks/")
    captain = User.objects.get(username="otters")
    own = ("/tasks/running/team/", "/tasks/account/")
    return pages | crawl(client_of(captain), own, *own)


def download_shared_task() -> dict[str, bytes]:
    """Return the files of the archive and of a kit; the scorer in them is code."""
    files = {}
    for part in ("archive.zip", "kit/evaluation/"):
        answer = Client().get(f"/tasks/demo/{part}")
        content = b"".join(answer.streaming_content if answer.streaming else [answer.content])
        files |= {f"{part} {name}": file for name, file in read_archive(content).items()}
    return {name: file for name, file in files.items() if not name.endswith(".py")}
