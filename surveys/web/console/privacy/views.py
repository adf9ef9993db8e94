"""Privacy pages for owners: identities, retention, subject access and erasure."""

from django import forms
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from surveys.access.roles import Right
from surveys.models import Annotator, Study
from surveys.participation.withdrawal import MAX_REASON_LENGTH
from surveys.privacy.erasure import erase_annotator
from surveys.privacy.retention import (
    MAX_DAYS,
    count_kept,
    drop_due,
    find_unpaid,
    mark_paid,
    set_retention,
    settle_study,
    undo_payment,
)
from surveys.privacy.subject_access import (
    export_annotator_data,
    find_identity,
    find_people,
    list_holding,
)
from surveys.web.console.access import study_page
from surveys.web.console.confirmation import ask_first
from surveys.web.forms import attempt, posted, status_of

MAX_SEARCH_LENGTH = 200


class RetentionForm(forms.Form):
    """Days until personal data is dropped."""

    days = forms.IntegerField(
        min_value=0,
        max_value=MAX_DAYS,
        required=False,
        label="Days after payment",
        help_text="Empty: ids and notes are kept without limit.",
    )


class FindForm(forms.Form):
    """Search for a person."""

    text = forms.CharField(
        max_length=MAX_SEARCH_LENGTH,
        label="Code, provider id, link, or part of the note",
        help_text="Dropped ids and notes are found if they are given in full.",
    )


class ErasureForm(forms.Form):
    """Reason for an erasure."""

    because = forms.CharField(
        max_length=MAX_REASON_LENGTH,
        label="Reason",
        help_text="Kept in the log, so without addresses or ids; such as “requested by e-mail”.",
    )


@study_page(Right.OWN)
def privacy(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the personal data of a study, and set how long it is kept."""
    form = RetentionForm(posted(request), initial={"days": study.retention_days})
    if attempt(form, lambda: set_retention(study, form.cleaned_data["days"])):
        messages.success(request, "Saved.")
        return redirect("console:privacy", study.slug)
    page = {"study": study, "form": form, "find": FindForm(), "kept": count_kept(study)}
    return render(request, "console/privacy/privacy.html", page, status=status_of(form))


@study_page(Right.OWN)
def find(request: HttpRequest, study: Study) -> HttpResponse:
    """Search for a person, by POST, so that the search is in no URL or server log."""
    form = FindForm(posted(request))
    people = find_people(study, form.cleaned_data["text"]) if form.is_valid() else None
    if people and len(people.annotators) == 1 and not people.invitations:
        return redirect("console:person", study.slug, people.annotators[0].code)
    page = {"study": study, "form": form, "found": people}
    return render(request, "console/privacy/find_person.html", page, status=status_of(form))


@study_page(Right.OWN)
def pay(request: HttpRequest, study: Study) -> HttpResponse:
    """Confirm and mark finished annotators as paid, if there are as many as the page showed."""
    n_unpaid = find_unpaid(study).count()
    if request.method == "GET" or request.POST.get("n_unpaid") != str(n_unpaid):
        return ask_first(
            request,
            study,
            title="Mark annotators as paid",
            text=f"Finished annotators not marked as paid: {n_unpaid:,}.\n\nAll are marked as paid "
            "today, and the days of retention count from today. It can be undone on the page of "
            "each annotator.",
            button=f"Mark {n_unpaid:,} as paid",
            back=reverse("console:privacy", args=[study.slug]),
            fields={"n_unpaid": str(n_unpaid)},
        )
    messages.success(request, f"Marked as paid: {mark_paid(study)}.")
    return redirect("console:privacy", study.slug)


@study_page(Right.OWN)
def settle(request: HttpRequest, study: Study) -> HttpResponse:
    """Confirm and record that the study is settled, or reopen it."""
    if request.method == "GET":
        return _ask_to_settle(request, study)
    settle_study(study, is_settled=_says_yes(request, "is_settled"))
    return redirect("console:privacy", study.slug)


@study_page(Right.OWN)
def drop(request: HttpRequest, study: Study) -> HttpResponse:
    """Confirm and drop the personal data that is due."""
    if request.method == "GET":
        return _ask_to_drop(request, study)
    due = drop_due(study)
    counts = f"annotators {len(due.people):,}, unused links {len(due.links):,}"
    messages.success(request, f"Dropped: {counts}.")
    return redirect("console:privacy", study.slug)


def _ask_to_settle(request: HttpRequest, study: Study) -> HttpResponse:
    days = study.retention_days
    return ask_first(
        request,
        study,
        title="Settle the study",
        text="Confirm that no more annotators are expected and all are paid.\n\nThe days of "
        "retention count from today for everybody, including annotators who never finished, and "
        f"for unused links. Days set now: {'none' if days is None else days}.\n\n"
        "The study can be reopened, but dropped data does not come back.",
        button="Settle the study",
        back=reverse("console:privacy", args=[study.slug]),
        fields={"is_settled": "yes"},
    )


def _ask_to_drop(request: HttpRequest, study: Study) -> HttpResponse:
    kept, days = count_kept(study), study.retention_days
    return ask_first(
        request,
        study,
        title="Drop personal data",
        text=f"Annotators whose provider id and note are dropped: {kept.n_people_due:,} of "
        f"{kept.n_people:,}. Unused links whose note is dropped: {kept.n_links_due:,} of "
        f"{kept.n_links:,}. Answers stay.\n\nDays after payment set now: "
        f"{'none' if days is None else days}.\n\nThis cannot be undone.",
        button="Drop what is due",
        back=reverse("console:privacy", args=[study.slug]),
    )


@study_page(Right.OWN, "GET")
def person(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """Show the identity of an annotator, with export, payment and erasure."""
    annotator = _find(study, code)
    releases, runs = list_holding(annotator)
    page = {
        "study": study,
        "annotator": annotator,
        "known": find_identity(annotator),
        "is_unpaid": find_unpaid(study).filter(pk=annotator.pk).exists(),
        "releases": releases,
        "runs": runs,
    }
    return render(request, "console/privacy/person.html", page)


@study_page(Right.OWN, "POST")
def export_person(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """Download everything that is stored about one annotator."""
    name = f"person_{code}.json"
    return HttpResponse(
        export_annotator_data(_find(study, code)),
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@study_page(Right.OWN, "POST")
def pay_person(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """Mark one annotator as paid, or as not paid."""
    annotator = _find(study, code)
    if _says_yes(request, "is_paid"):
        mark_paid(study, annotator)
    else:
        undo_payment(annotator)
    return redirect("console:person", study.slug, code)


@study_page(Right.OWN)
def erase(request: HttpRequest, study: Study, code: str) -> HttpResponse:
    """Show the effects of erasing an annotator's data; a POST erases it."""
    annotator = _find(study, code)
    form = ErasureForm(posted(request))
    if attempt(form, lambda: erase_annotator(annotator, form.cleaned_data["because"])):
        messages.success(request, "The annotator’s data was erased.")
        return redirect("console:person", study.slug, code)
    releases, runs = list_holding(annotator)
    page = {
        "study": study,
        "annotator": annotator,
        "form": form,
        "n_answers": annotator.responses.filter(engaged_at__isnull=False).count(),
        "n_usable": annotator.assignments.counted().count(),
        "releases": releases,
        "runs": runs,
    }
    return render(request, "console/privacy/erase.html", page, status=status_of(form))


def _says_yes(request: HttpRequest, name: str) -> bool:
    """Return the value of a yes/no button; raise BadRequest for any other value."""
    value = request.POST.get(name)
    if value not in {"yes", "no"}:
        raise BadRequest
    return value == "yes"


def _find(study: Study, code: str) -> Annotator:
    people = Annotator.objects.select_related("worker", "consent", "study")
    return get_object_or_404(people, study=study, code=code)
