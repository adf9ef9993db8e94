"""Webhooks of a study: URLs of programs that are notified of events."""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from surveys.access.roles import Right
from surveys.errors import WebhookRefused
from surveys.models import Delivery, Study, Webhook, WebhookEvent
from surveys.web.console.access import study_page
from surveys.web.console.confirmation import ask_first
from surveys.web.forms import attempt, posted, status_of
from surveys.webhooks.hosts import MAX_URL_LENGTH
from surveys.webhooks.messages import add_webhook, change_webhook, remove_webhook, send_test

MESSAGES_PER_PAGE = 25
LABELS = {
    WebhookEvent.ASSIGNMENT_FINISHED: "an annotator has finished a questionnaire",
    WebhookEvent.BLOCK_FINISHED: "all places of a block are finished",
    WebhookEvent.RUN_FINISHED: "a run, a release or another job is done or has failed",
}


class WebhookForm(forms.Form):
    """URL and events of a new webhook."""

    url = forms.CharField(
        max_length=MAX_URL_LENGTH,
        label="URL",
        help_text="It must begin with https and lead to a public host.",
        widget=forms.TextInput(attrs={"placeholder": "https://lab.example.org/cosima"}),
    )
    events = forms.MultipleChoiceField(
        choices=[(event.value, f"{event.value}: {LABELS[event]}") for event in WebhookEvent],
        widget=forms.CheckboxSelectMultiple,
        label="Notify when",
    )


class ChangeForm(forms.Form):
    """What to do with a webhook."""

    what = forms.ChoiceField(choices=[(name, name) for name in ("test", "enable", "disable")])


@study_page(Right.OWN)
def webhooks(request: HttpRequest, study: Study) -> HttpResponse:
    """List the webhooks of a study; a POST adds one and alone shows its secret."""
    form = WebhookForm(posted(request))
    added: list[Webhook] = []

    def add() -> None:
        fields = form.cleaned_data
        added.append(add_webhook(study, fields["url"].strip(), fields["events"]))

    if attempt(form, add):
        form = WebhookForm()
    page = {
        "study": study,
        "webhooks": Webhook.objects.filter(study=study),
        "form": form,
        "added": added[0] if added else None,
    }
    return render(request, "console/account/webhooks.html", page, status=status_of(form))


@study_page(Right.OWN)
def webhook(request: HttpRequest, study: Study, webhook_id: int) -> HttpResponse:
    """Show a webhook and its messages; a POST tests, enables or disables it."""
    webhook = get_object_or_404(Webhook, study=study, pk=webhook_id)
    form = ChangeForm(posted(request))
    if form.is_valid():
        _change(request, webhook, form.cleaned_data["what"])
        return redirect("console:webhook", study.slug, webhook.pk)
    sent = Delivery.objects.filter(webhook=webhook).select_related("job")
    page = {
        "study": study,
        "webhook": webhook,
        "form": form,
        "rows": Paginator(sent, MESSAGES_PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "console/account/webhook.html", page, status=status_of(form))


@study_page(Right.OWN)
def remove(request: HttpRequest, study: Study, webhook_id: int) -> HttpResponse:
    """Confirm (GET) or remove (POST) a webhook."""
    webhook = get_object_or_404(Webhook, study=study, pk=webhook_id)
    if request.method == "GET":
        return ask_first(
            request,
            study,
            title="Remove the webhook",
            text=f"{webhook.url}\n\nNo more messages are sent to it, and the list of its messages "
            "is deleted. This cannot be undone. To stop messages for a while, disable it.",
            button="Remove the webhook",
            back=reverse("console:webhook", args=[study.slug, webhook.pk]),
        )
    remove_webhook(webhook)
    messages.success(request, "The webhook is removed.")
    return redirect("console:webhooks", study.slug)


def _change(request: HttpRequest, webhook: Webhook, what: str) -> None:
    """Test, enable or disable a webhook, and report the result."""
    try:
        if what == "test":
            send_test(webhook)
            messages.success(request, "A test message is on its way. Load the page again to see "
                             "whether it was delivered.")  # fmt: skip
        else:
            change_webhook(webhook, is_active=what == "enable")
            messages.success(request, f"The webhook is {what}d.")
    except WebhookRefused as error:
        messages.error(request, str(error))
