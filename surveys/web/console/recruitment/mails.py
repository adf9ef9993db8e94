"""Recruitment: sending invitations and reminders by e-mail, and the log of e-mails."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from surveys.access.roles import Right
from surveys.models import Invitation, JobState, MailDelivery, Study, TextKind
from surveys.query_params import read_number
from surveys.recruitment.mails import (
    cancel_waiting,
    explain_refusal,
    list_recipients,
    queue_mails,
    retry_failed,
    stop_mail,
    write_letters,
)
from surveys.study.texts import read_text
from surveys.web.console.access import Page, study_page
from surveys.web.console.confirmation import ask_first
from surveys.web.console.recruitment.link_forms import SendForm
from surveys.web.forms import attempt, posted, status_of

MAILS_A_PAGE = 25


@study_page(Right.OWN, "GET")
def mails(request: HttpRequest, study: Study) -> HttpResponse:
    """Show how many invitations and reminders can be sent, and the log of queued e-mails."""
    deliveries = MailDelivery.objects.filter(study=study).select_related("invitation", "job")
    rows = Paginator(deliveries, MAILS_A_PAGE).get_page(request.GET.get("page"))
    sent = deliveries.filter(sent_at__isnull=False)
    kinds = [
        {"name": kind, "page": f"send_{kind}s", "n": len(list_recipients(study, kind))}
        for kind in sorted(TextKind.mails())
    ]
    page = {
        "study": study,
        "rows": rows,
        "kinds": kinds,
        "refusal": explain_refusal(study),
        "n_waiting": deliveries.filter(job__state=JobState.WAITING).count(),
        "n_failed": deliveries.failed().count(),
        "counts": list(sent.order_by().values_list("kind").annotate(Count("pk"))),
    }
    return render(request, "console/recruitment/mails.html", page)


def send_page(kind: TextKind) -> Page:
    """Return the view that shows the first e-mail of a kind, and queues all e-mails."""

    @study_page(Right.OWN)
    def send(request: HttpRequest, study: Study) -> HttpResponse:
        form = SendForm(posted(request))

        def act() -> None:
            version = read_number(form.cleaned_data["version"])
            n_queued = queue_mails(study, kind, version=version)
            messages.success(request, f"E-mails queued: {n_queued:,}.")

        if attempt(form, act):
            return redirect("console:mails", study.slug)
        recipients = list_recipients(study, kind)
        page = {
            "study": study,
            "form": form,
            "kind": kind,
            "recipients": recipients,
            "letter": next(write_letters(study, kind, recipients[:1]), None),
            "version": read_text(study, kind).version,
            "refusal": explain_refusal(study),
        }
        return render(request, "console/recruitment/send_mails.html", page, status=status_of(form))

    return send


@study_page(Right.OWN)
def retry_mails(request: HttpRequest, study: Study) -> HttpResponse:
    """Confirm (GET) or queue (POST) refused e-mails again."""
    if request.method == "POST":
        n_again = retry_failed(study)
        messages.success(request, f"E-mails queued again: {n_again:,}.")
        return redirect("console:mails", study.slug)
    return ask_first(
        request,
        study,
        title="Try failed e-mails again",
        text="All e-mails that failed are queued again, unless they may have arrived.",
        button="Try again",
        back=reverse("console:mails", args=[study.slug]),
    )


@study_page(Right.OWN)
def cancel_mails(request: HttpRequest, study: Study) -> HttpResponse:
    """Confirm (GET) or remove (POST) the waiting e-mails from the queue."""
    back = reverse("console:mails", args=[study.slug])
    if request.method == "GET":
        return ask_first(
            request,
            study,
            title="Cancel waiting e-mails",
            text="E-mails that are still waiting are not sent. They can be queued again later.",
            button="Cancel waiting e-mails",
            back=back,
        )
    messages.success(request, f"E-mails cancelled: {cancel_waiting(study)}.")
    return redirect(back)


@study_page(Right.OWN)
def no_mail(request: HttpRequest, study: Study, invitation_id: int) -> HttpResponse:
    """Confirm (GET) or record (POST) that the recipient of a link asked for no e-mail."""
    invitation = get_object_or_404(Invitation.objects.by_people(study), pk=invitation_id)
    back = reverse("console:invitation", args=[study.slug, invitation.pk])
    if request.method == "GET":
        return ask_first(
            request,
            study,
            title="Send no e-mail to this person",
            text="Cosima no longer sends an invitation or reminder to the address of this link. "
            "The link keeps working.\n\nThis cannot be undone.",
            button="Send no e-mail",
            back=back,
        )
    stop_mail(invitation)
    messages.success(request, "No e-mail will be sent to this person.")
    return redirect(back)
