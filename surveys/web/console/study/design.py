"""The step Design: settings and texts of a study, and its opening."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.access.roles import Right
from surveys.models import Provider, QuestionForms, Study, StudyText, TextKind
from surveys.models.fields import field_of, label_of
from surveys.models.study import OWN, write_point
from surveys.query_params import read_number
from surveys.recruitment.consent_notice import Facts, make_notice
from surveys.recruitment.links import open_entrance
from surveys.recruitment.providers import PLAIN_LINK
from surveys.recruitment.reminders import list_links, list_placeholder_values
from surveys.study.design import configure_study, list_published, published_designs
from surveys.study.exercises import read_check, read_practice
from surveys.study.letters import PLACEHOLDERS, fill_letter
from surveys.study.lifecycle import list_missing, open_study, review_consent
from surveys.study.planning.power import estimate_power
from surveys.study.planning.workload import count_pairs
from surveys.study.settings import KIND, OF_RATINGS, QUESTION
from surveys.study.stimuli.sources import list_doubtful
from surveys.study.texts import (
    MAY_BE_EMPTY,
    check_text,
    default_body,
    has_default_texts,
    read_text,
    read_texts,
    set_text,
)
from surveys.web.console.access import Page, is_visitor, study_page
from surveys.web.console.study.design_forms import (
    DesignForm,
    OpeningForm,
    PublishedForm,
    TextForm,
)
from surveys.web.console.study.text_forms import ROWS, RowsForm
from surveys.web.forms import attempt, posted, status_of
from surveys.web.rendering.item_pages import describe_item
from surveys.web.rendering.markdown import render_markdown
from surveys.web.rendering.study_page import direction_of, render_text

LEADS_TO = {"opening": "console:opening", "preview": "console:preview"}


class TextLine(NamedTuple):
    """A text of a study in the list of texts."""

    kind: TextKind
    text: StudyText
    is_default: bool


@study_page(Right.WORK, also=Right.LOOK)
def design(request: HttpRequest, study: Study) -> HttpResponse:
    """Show and save the design; a POST with `calculate` or `estimate` stores nothing.

    `?design=` fills the form of a draft with a published design.
    """
    chosen = request.GET.get("design", "") if study.is_draft else ""
    published = published_designs().get(chosen) if chosen in dict(list_published(study)) else None
    form = DesignForm(posted(request), study=study, published=published)
    may_store = not request.POST.keys() & {"calculate", "estimate"}
    if "estimate" in request.POST:
        attempt(form, lambda: estimate_power(study))
    if may_store and attempt(form, lambda: configure_study(study, **form.settings)):
        messages.success(request, "The design is saved.")
        return redirect(LEADS_TO.get(request.POST.get("then", ""), "console:design"), study.slug)
    page = {
        "study": study,
        "form": form,
        "plan": form.plan,
        "power": form.power,
        "published": PublishedForm(study=study, initial={"design": chosen or study.design}),
        "is_calculated": form.is_bound and not form.errors,
        "kind": describe_kind(study, [n for n in (*KIND, *QUESTION) if n not in form.fields]),
        "locked": describe_locked(study),
        "texts": list_texts(study),
        "has_defaults": has_default_texts(study.language),
    }
    if is_visitor(request):
        shown = {**page, "settings": form.describe()}
        return render(request, "console/study/design_shown.html", shown)
    return render(request, "console/study/design.html", page, status=status_of(form))


@study_page(Right.WORK, "GET")
def workload(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the workload of the numbers in the query string, to replace that part of the page."""
    form = DesignForm(request.GET, study=study)
    page = {"plan": form.plan, "power": form.power, "study": study}
    return render(request, "console/study/_plan.html", page)


@study_page(Right.WORK, also=Right.LOOK)
def text(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """Show, preview and save a text that annotators read."""
    if kind not in TextKind.values:
        raise Http404
    text_kind = TextKind(kind)
    now = read_text(study, text_kind)
    shown = find_version(study, text_kind, request.GET.get("version", ""), now)
    direction = direction_of(study.language)
    form = TextForm(posted(request), kind=text_kind, body=shown, direction=direction)
    is_right = attempt(form, lambda: save_or_check(request, study, text_kind, form.text))
    if is_right and "look" not in request.POST:
        return redirect("console:text", study.slug, kind)
    has_rows = text_kind in ROWS
    rows = RowsForm(study=study, kind=text_kind, body=shown) if has_rows else None
    page = {
        "form": form,
        "rows": rows,
        **show_text(study, text_kind, form.text, is_right=is_right or not form.is_bound),
    }
    return show_text_page(request, study, now, page, status=status_of(form))


def rows_page(kind: TextKind) -> Page:
    """Return the view that shows, previews and saves a text of TOML from a form of its rows."""

    @study_page(Right.WORK)
    def rows_of_text(request: HttpRequest, study: Study) -> HttpResponse:
        now = read_text(study, kind)
        direction = direction_of(study.language)
        rows = RowsForm(posted(request), study=study, kind=kind, body=now.body)
        is_right = attempt(rows, lambda: save_or_check(request, study, kind, rows.body))
        if is_right and "look" not in request.POST:
            return redirect("console:text", study.slug, kind.value)
        form = TextForm(kind=kind, body=rows.body if is_right else now.body, direction=direction)
        shown = show_text(study, kind, form.text, is_right=is_right or not rows.is_bound)
        page = {"form": form, "rows": rows, **shown}
        return show_text_page(request, study, now, page, status=status_of(rows))

    return rows_of_text


def save_or_check(request: HttpRequest, study: Study, kind: TextKind, body: str) -> None:
    """Save a text, or only check it if the request asks for a preview. Raises TextRefused."""
    if "look" in request.POST:
        check_text(kind, body, study.item_rules)
        return
    set_text(study, kind, body)
    note = "" if kind in TextKind.mails() else " Annotators read it from now on."
    messages.success(request, f"The {kind.value} is saved.{note}")


def show_text_page(
    request: HttpRequest, study: Study, now: StudyText, page: dict[str, Any], *, status: int
) -> HttpResponse:
    """Render the page of a text with its forms, preview and versions."""
    kind = TextKind(now.kind)
    common = {
        "study": study,
        "kind": kind,
        "now": now,
        "versions": StudyText.objects.filter(study=study, kind=kind).order_by("-version")[:50],
        "may_be_empty": kind in MAY_BE_EMPTY,
        "placeholders": PLACEHOLDERS if kind in TextKind.mails() else {},
        "example": find_example(study, kind) if kind in MAY_BE_EMPTY else "",
    }
    return render(request, "console/study/text.html", {**common, **page}, status=status)


def find_example(study: Study, kind: TextKind) -> str:
    """Return the English default of a text in TOML, or else that of CoSimLex."""
    default = default_body("en", kind, study.variant, study.text_set)
    return default or default_body("en", kind, study.variant)


@study_page(Right.WORK)
def opening(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the consent text and the settings to be locked; a POST opens the study."""
    consent = read_text(study, TextKind.CONSENT)
    form = OpeningForm(posted(request), consent=consent)
    if attempt(form, lambda: review_and_open(study, form)):
        messages.success(request, "The study is open.")
        then = "console:open_link" if form.cleaned_data["opens_link"] else "console:design"
        return redirect(then, study.slug)
    n_pairs, _ = count_pairs(study)
    page = {
        "study": study,
        "n_pairs": n_pairs,
        "locked": describe_locked(study),
        "plan": DesignForm(study=study).plan,
        "has_defaults": has_default_texts(study.language),
        "missing": list_missing(study, but_review=True),
        "doubtful": list_doubtful(study),
        "consent": consent,
        "consent_text": render_text(study, consent),
        "notice": make_notice(Facts.of(study, PLAIN_LINK)),
        "form": form,
    }
    return render(request, "console/study/opening.html", page, status=status_of(form))


@transaction.atomic
def review_and_open(study: Study, form: OpeningForm) -> None:
    """Record the review of the consent text, and open the study, with an open link if it is wanted.

    A no-op if the study is open.
    """
    if not study.is_draft:
        return
    if form.cleaned_data["has_reviewed"]:
        review_consent(study, form.cleaned_data["version"])
    open_study(study)
    if form.cleaned_data["opens_link"]:
        open_entrance(study, Provider.LINK)


def describe_locked(study: Study) -> list[tuple[str, str]]:
    """Return name and value of the settings that opening locks."""
    low, high, step = (
        write_point(point) for point in (study.scale_minimum, study.scale_maximum, study.scale_step)
    )
    return [
        *describe_kind(study),
        ("Language of the texts", study.language),
        *(
            [("Scale", f"{low} to {high}, in steps of {step}")]
            if not study.collects_translations
            else []
        ),
        *(
            [("Words in the question", study.get_question_forms_display())]
            if study.has_question_forms
            else []
        ),
        *([("Texts and wording", study.get_variant_display())] if study.kind.n_pages == 2 else []),
        ("Pairs in a block, at most", str(study.block_size or "all")),
        ("Seed", str(study.seed)),
    ]


def describe_kind(study: Study, names: Iterable[str] = (*KIND, *QUESTION)) -> list[tuple[str, str]]:
    """Return name and value of what a study has from its design, as far as it has it."""
    values = {name: getattr(study, name) for name in names}
    return [
        (label_of(Study, name), "yes" if value is True else write_choice(name, value))
        for name, value in values.items()
        if value and not (study.collects_translations and name in OF_RATINGS)
    ]


def write_choice(name: str, value: Any) -> str:
    """Return a value of a study's setting in words."""
    choices = dict(field_of(Study, name).flatchoices)
    return str(choices.get(value, write_point(value) if isinstance(value, Decimal) else value))


def list_texts(study: Study) -> list[TextLine]:
    """Return the current texts of a study."""
    return [
        TextLine(kind, text, is_default=text.variant != OWN)
        for kind, text in read_texts(study).items()
    ]


def find_version(study: Study, kind: TextKind, version: str, now: StudyText) -> str:
    """Return the body of the version requested, or of the current text."""
    number = read_number(version)
    if number is None:
        return now.body
    earlier = StudyText.objects.filter(study=study, kind=kind, version=number).first()
    return (earlier or now).body


def show_text(study: Study, kind: TextKind, body: str, *, is_right: bool) -> dict[str, Any]:
    """Return the preview of a text as annotators see it, without a body if it is invalid."""
    shown: dict[str, Any] = {
        "text_language": study.language,
        "direction": direction_of(study.language),
    }
    if not is_right or not body:
        return shown
    if kind == TextKind.PRACTICE and (items := read_practice(body, study.item_rules)):
        lacks_forms = not all(item.has_dictionary_forms for item in items)
        return {
            **shown,
            "items": [
                {
                    **describe_item(item.item, study, is_marked=True),
                    "item": item,
                    "ours": [write_point(p) for p in item.find_ours(study.scale_points)],
                    "explanation": render_markdown(item.explanation),
                }
                for item in items
            ],
            "lacks_forms": lacks_forms and study.question_forms == QuestionForms.DICTIONARY,
        }
    if kind == TextKind.CHECK:
        return {**shown, "questions": read_check(body)}
    if kind in TextKind.mails():
        values = {**list_placeholder_values(study), **list_links("EXAMPLE")}
        return {**shown, "letter": fill_letter(body, values)}
    scale = study.scale_points if kind == TextKind.INSTRUCTIONS else ()
    return {**shown, "html": render_markdown(body, scale)}
