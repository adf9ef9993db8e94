import hashlib
import hmac
import json
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from django.core.management import call_command
from django.utils import timezone

from surveys.features import MESSAGE_PAUSES, Lane
from surveys.jobs.perform import perform, perform_due
from surveys.jobs.queue import enqueue
from surveys.models import AuditEntry, Delivery, Job, Webhook
from surveys.results.runs import request_results
from surveys.study.blocks.allocation import repeat_block
from surveys.webhooks.messages import (
    DELIVERY,
    NOT_REACHED,
    add_webhook,
    change_webhook,
    remove_webhook,
)
from tests.factories.jobs import let_time_pass, perform_run
from tests.factories.programs import errors_of
from tests.factories.studies import QUICK, finish, start

pytestmark = pytest.mark.usefixtures("figures_rendered_once")

LOCAL = "127.0.0.1"
EVENTS = ["assignment.finished", "block.finished", "run.finished"]
PATH = "studies/study/webhooks/"


@pytest.fixture(autouse=True)
def allowed_hosts(settings):
    """Allow webhooks to this machine, where the servers of these tests run."""
    settings.WEBHOOK_HOSTS = [LOCAL, "lab.example.org"]


@contextmanager
def listening(status=200):
    """Run a server that stores the requests it receives; yield its URL and the requests."""
    heard = []

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.append((dict(self.headers), body))
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Listener)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield heard, f"http://127.0.0.1:{server.server_port}/hook"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_webhook_is_added_changed_and_removed(study, program):
    asking = program()

    made = asking.post(PATH, {"url": "https://lab.example.org/x", "events": EVENTS[:1]})
    one = f"{PATH}{made.json()['id']}/"
    shown = asking.get(one).json()
    changed = asking.send("patch", one, {"is_active": False, "events": EVENTS}).json()

    assert made.status_code == 201
    assert made.json()["secret"].startswith("whsec_")
    assert "secret" not in shown
    assert (changed["is_active"], changed["events"]) == (False, EVENTS)
    assert asking.send("delete", one).status_code == 204
    assert asking.get(one).status_code == 404
    actions = AuditEntry.objects.filter(action__startswith="webhook").order_by("pk")
    assert list(actions.values_list("action", "actor")) == [
        ("webhook.added", "ana"), ("webhook.changed", "ana"), ("webhook.removed", "ana"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "url",
    ["http://lab.example.org/x", "ftp://localhost/", "https://", "https://a:b@lab.example.org/",
     "http://127.0.0.1:8800/control/reset/", "https://localhost/", "https://169.254.169.254/",
     "lab.example.org", "https://lab.example.org:x/", "file:///etc/passwd", "https://[x/", " "],
)  # fmt: skip
def test_an_invalid_webhook_url_is_refused(study, program, url, settings):
    settings.WEBHOOK_HOSTS = []
    answer = program().post(PATH, {"url": url, "events": EVENTS})

    assert answer.status_code == 409 or (url == " " and answer.status_code in (409, 422))
    assert errors_of(answer)
    assert not Webhook.objects.exists()


def test_only_allowed_hosts_receive_webhooks(study, program, settings):
    settings.WEBHOOK_HOSTS = ["inside.example.org"]
    asking = program()

    inside = asking.post(PATH, {"url": "http://inside.example.org/", "events": EVENTS})
    outside = asking.post(PATH, {"url": "https://lab.example.org/", "events": EVENTS})

    assert (inside.status_code, outside.status_code) == (201, 409)


def test_finished_blocks_send_signed_messages(study, django_capture_on_commit_callbacks):
    with listening() as (heard, url):
        webhook = add_webhook(study, url, EVENTS)
        with django_capture_on_commit_callbacks(execute=True):
            for _ in range(4):
                finish(start(study))

    told_of = [json.loads(body) for _, body in heard]
    assert [one["event"] for one in told_of] == [*EVENTS[:1] * 4, "block.finished"]
    assert told_of[0]["data"].keys() == {
        "study", "block", "round", "questionnaire", "annotator", "finished_at",
    }  # fmt: skip
    headers, body = heard[0]
    at, mac = (part[2:].removeprefix("=") for part in headers["Cosima-Signature"].split(","))
    expected = hmac.new(webhook.secret.encode(), f"{at}.".encode() + body, hashlib.sha256)
    assert hmac.compare_digest(mac, expected.hexdigest())
    assert abs(int(at) - timezone.now().timestamp()) < 60
    assert not Delivery.objects.filter(delivered_at=None).exists()


def test_a_repeated_block_is_finished_again(study, django_capture_on_commit_callbacks):
    add_webhook(study, "https://lab.example.org/", EVENTS[1:])
    for _ in range(4):
        finish(start(study))
    repeat_block(study.blocks.get(), reason="bad", author="ana")
    assert Delivery.objects.count() == 1

    for _ in range(4):
        finish(start(study))

    rounds = Delivery.objects.order_by("pk").values_list("payload__round", flat=True)
    assert list(rounds) == [1, 2]


@pytest.mark.parametrize("ratings", [0, 4])
def test_the_end_of_a_run_sends_a_message(study, ratings):
    add_webhook(study, "https://lab.example.org/", EVENTS)
    for _ in range(ratings):
        finish(start(study))

    run = request_results(study, QUICK, None)
    perform_run(run.pk)

    run.refresh_from_db()
    payload = Delivery.objects.get(event="run.finished").payload
    assert (payload["run"], payload["number"], payload["state"]) == (run.pk, 1, run.state)


def test_only_subscribed_events_are_sent(study):
    add_webhook(study, "https://lab.example.org/", ["run.finished"])
    off = add_webhook(study, "https://lab.example.org/", EVENTS)
    Webhook.objects.filter(pk=off.pk).update(is_active=False)

    finish(start(study))

    assert not Delivery.objects.exists()


def test_finishing_makes_one_more_query_without_webhooks(study, django_assert_num_queries):
    from surveys.webhooks.messages import store_assignment_messages

    assignment = start(study)

    with django_assert_num_queries(1):
        store_assignment_messages(assignment)


def due_delivery(study, url):
    webhook = add_webhook(study, url, EVENTS)
    return Delivery.objects.create(
        webhook=webhook, event=EVENTS[0], subject="x", payload={}, job=enqueue(DELIVERY)
    )


@pytest.mark.parametrize("status", [302, 404, 500])
def test_a_failed_delivery_is_retried_later(study, status):
    with listening(status) as (heard, url):
        delivery = due_delivery(study, url)
        perform(delivery.job_id)
        perform(delivery.job_id)  # too early

    delivery = Delivery.objects.get()
    assert len(heard) == 1  # no redirection was followed
    assert (delivery.attempts, delivery.error) == (1, "The response did not have a 2xx status.")
    assert delivery.next_at > timezone.now() + timedelta(seconds=30)


def test_a_delivery_is_given_up_after_the_last_retry(study):
    delivery = due_delivery(study, "http://127.0.0.1:1/")
    for _ in range(len(MESSAGE_PAUSES) + 2):
        perform(delivery.job_id)
        let_time_pass()
        Webhook.objects.update(failed_at=None)

    delivery = Delivery.objects.get()
    assert (delivery.attempts, delivery.next_at) == (len(MESSAGE_PAUSES) + 1, None)
    assert delivery.error == NOT_REACHED


def test_a_successful_delivery_is_not_repeated(study):
    with listening() as (heard, url):
        delivery = due_delivery(study, url)
        perform(delivery.job_id)
        perform(delivery.job_id)

    assert len(heard) == 1


def test_a_changed_host_list_applies_to_queued_messages(study, settings):
    with listening() as (heard, url):
        delivery = due_delivery(study, url)
        settings.WEBHOOK_HOSTS = ["inside.example.org"]
        perform(delivery.job_id)

    delivery.refresh_from_db()
    assert heard == []
    assert delivery.error.startswith("Give a URL with https")


def test_a_command_sends_due_messages(study, capsys):
    with listening() as (heard, url):
        due_delivery(study, url)
        call_command("do_background_work")

    assert len(heard) == 1
    assert capsys.readouterr().out == "Jobs: 1.\n"


def test_an_unreachable_url_delays_the_others_once(study):
    closed = [due_delivery(study, "http://127.0.0.1:1/") for _ in range(2)]
    Delivery.objects.filter(pk=closed[1].pk).update(
        webhook=closed[0].webhook, subject="another message"
    )

    with listening() as (heard, url):
        due_delivery(study, url)
        perform_due(Lane.SHORT)

    assert len(heard) == 1
    tried, put_off = Delivery.objects.filter(webhook=closed[0].webhook).order_by("pk")
    assert (tried.attempts, put_off.attempts, put_off.job.n_tries) == (1, 0, 0)
    assert timezone.now() < put_off.next_at <= timezone.now() + timedelta(minutes=1)


def test_messages_of_a_disabled_webhook_wait_until_it_is_enabled(study):
    with listening() as (heard, url):
        webhook = due_delivery(study, url).webhook
        change_webhook(webhook, is_active=False)
        perform_due(Lane.SHORT)
        assert heard == []

        change_webhook(webhook, is_active=True)
        perform_due(Lane.SHORT)

    assert len(heard) == 1


def test_a_message_of_a_removed_webhook_is_not_sent(study):
    with listening() as (heard, url):
        remove_webhook(due_delivery(study, url).webhook)
        perform_due(Lane.SHORT)

    assert (heard, Job.objects.get().state) == ([], "done")


@pytest.mark.parametrize(
    ("hosts", "name", "error"),
    [
        ([], "127.1", "This site sends nothing to 127.1; ask its operator."),
        (["192.0.2.0/24"], "localhost", NOT_REACHED),
    ],
)
def test_webhooks_do_not_reach_the_servers_own_machine(study, settings, hosts, name, error):
    with listening() as (heard, url):
        delivery = due_delivery(study, url)
        Webhook.objects.update(url=url.replace("http:", "https:").replace(LOCAL, name))
        settings.WEBHOOK_HOSTS = hosts
        perform(delivery.job_id)

    delivery.refresh_from_db()
    assert heard == []
    assert delivery.error == error


def test_deliveries_are_listed(study, program):
    delivery = due_delivery(study, "http://127.0.0.1:1/")

    rows = program().get(f"{PATH}{delivery.webhook_id}/deliveries/").json()["results"]

    assert [(row["id"], row["event"]) for row in rows] == [(delivery.pk, EVENTS[0])]
