import pytest

from surveys.errors import WebhookRefused
from surveys.models import Delivery, Webhook
from surveys.webhooks.messages import add_webhook, send_test
from tests.factories.arrivals import squeeze
from tests.factories.pages import page

pytestmark = pytest.mark.django_db
URL = "https://lab.example.org/cosima"


@pytest.fixture
def webhook(study):
    return add_webhook(study, URL, ["run.finished"])


def text_of(answer):
    return answer.content.decode()


def test_a_webhook_is_added_and_its_secret_shown_once(study, owner):
    added = owner.post(page("webhooks", study), {"url": URL, "events": ["run.finished"]})

    webhook = Webhook.objects.get()
    assert (webhook.url, webhook.events) == (URL, ["run.finished"])
    assert webhook.secret in text_of(added)
    for name, more in (("webhooks", ()), ("webhook", (webhook.pk,))):
        shown = text_of(owner.get(page(name, study, *more)))
        assert URL in shown
        assert webhook.secret not in shown


def test_a_test_message_is_stored_and_listed(study, owner, webhook):
    answer = owner.post(page("webhook", study, webhook.pk), {"what": "test"}, follow=True)

    delivery = Delivery.objects.get()
    assert (delivery.event, delivery.webhook) == ("test", webhook)
    assert delivery.payload["study"] == study.slug
    assert "A test message is on its way" in text_of(answer)
    assert ">Waiting</span>" in text_of(answer)


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"attempts": 1, "job": None, "delivered_at": "2026-11-23T10:00Z"}, "Delivered</span>"),
        ({"attempts": 1, "error": "Not 2xx."}, "Not delivered</span>Not 2xx."),
        ({"attempts": 7, "error": "Not 2xx.", "job": None}, "Given up</span>Not 2xx."),
    ],
)
def test_messages_are_listed_with_their_state(fields, state, study, owner, webhook):
    Delivery.objects.filter(pk=send_test(webhook).pk).update(**fields)

    shown = squeeze(owner.get(page("webhook", study, webhook.pk)))

    assert f">{state}" in shown


def test_a_webhook_is_disabled_and_enabled(study, owner, webhook):
    where = page("webhook", study, webhook.pk)

    owner.post(where, {"what": "disable"})
    webhook.refresh_from_db()
    assert not webhook.is_active
    with pytest.raises(WebhookRefused, match="Enable it first"):
        send_test(webhook)
    refused = owner.post(where, {"what": "test"}, follow=True)
    assert "Enable it first" in text_of(refused)
    assert not Delivery.objects.exists()

    owner.post(where, {"what": "enable"})
    webhook.refresh_from_db()
    assert webhook.is_active


def test_a_webhook_is_removed_after_a_confirmation(study, owner, webhook):
    where = page("remove_webhook", study, webhook.pk)

    assert URL in text_of(owner.get(where))
    assert Webhook.objects.exists()
    owner.post(where)
    assert not Webhook.objects.exists()
