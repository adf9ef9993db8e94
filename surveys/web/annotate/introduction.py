"""Pages before the first item: instructions, practice item, comprehension check."""

from collections.abc import Callable
from functools import wraps

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from surveys.models import Assignment, StudyText, TextKind
from surveys.participation.introduction import (
    Step,
    check_comprehension,
    complete_step,
    find_due_step,
    list_steps,
)
from surveys.query_params import read_number
from surveys.recruitment.completion_codes import latest_reserved_visit
from surveys.study.exercises import PracticeItem, read_check, read_practice
from surveys.study.rules import study_rules_of
from surveys.study.texts import current_text
from surveys.web.annotate.completion import explain_pay
from surveys.web.annotate.decorators import (
    HTTP_UNPROCESSABLE,
    annotator_page,
    find_assignment,
    own_link,
    redirect_to_due,
)
from surveys.web.rendering.item_forms import CheckForm
from surveys.web.rendering.item_pages import RATING_PAGE, WORDS_PAGE, ItemPage
from surveys.web.rendering.practice import describe_practice, find_item_number, write_query
from surveys.web.rendering.steps import show_steps
from surveys.web.rendering.study_page import StudyDisplay, display_of

StepView = Callable[[HttpRequest, Assignment], HttpResponse]


def step_page(step: Step) -> Callable[[StepView], Callable[..., HttpResponse]]:
    """Decorate the view of a step; redirect an annotator at another step to the due page."""

    def decorate(view: StepView) -> Callable[..., HttpResponse]:
        @annotator_page
        @wraps(view)
        def page(request: HttpRequest, token: str) -> HttpResponse:
            assignment = find_assignment(token)
            if find_due_step(assignment) != step:
                return redirect_to_due(token)
            return view(request, assignment)

        return page

    return decorate


@annotator_page
def instructions(request: HttpRequest, token: str) -> HttpResponse:
    """Show the instructions, before the first item or at any later time."""
    assignment = find_assignment(token)
    if request.method == "POST":
        complete_step(assignment, Step.INSTRUCTIONS, text_id=read_text_id(request))
        return redirect_to_due(token)
    is_due, study = find_due_step(assignment) == Step.INSTRUCTIONS, assignment.study
    page = {
        "face": face_of_assignment(assignment),
        "token": token,
        "steps": show_steps(study, list_steps(study), Step.INSTRUCTIONS) if is_due else [],
        "own_link": own_link(assignment),
    }
    return render(request, "annotate/instructions.html", page)


def practice_page(page: ItemPage, then: str) -> Callable[..., HttpResponse]:
    """Return the view of a page of a practice item; its answers are not stored."""

    @step_page(Step.PRACTICE)
    def practice(request: HttpRequest, assignment: Assignment) -> HttpResponse:
        if page is WORDS_PAGE and assignment.study.kind.n_pages == 1:
            query = write_query(find_item_number(request, read_items(assignment)))
            return redirect(reverse(then, args=[assignment.token]) + query)
        sent = request.POST if request.method == "POST" else None
        form = page.make_form(face_of_assignment(assignment), sent)
        if form.is_valid():
            number = find_item_number(request, read_items(assignment))
            chosen = {"chosen": form.cleaned_data["rating"]} if page is RATING_PAGE else {}
            url = reverse(then, args=[assignment.token])
            return redirect(url + write_query(number, **chosen))
        return render_practice(request, page.template, assignment, form=form)

    return practice


practice_words = practice_page(WORDS_PAGE, "annotate:practice_rating")
practice_rating = practice_page(RATING_PAGE, "annotate:practice_answer")


@step_page(Step.PRACTICE)
def practice_answer(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show a good answer to a practice item; a POST leads to the next item or step."""
    if request.method != "POST":
        return render_practice(request, "annotate/practice_answer.html", assignment)
    items = read_items(assignment)
    if (number := find_item_number(request, items)) < len(items):
        return redirect(
            reverse("annotate:practice", args=[assignment.token]) + write_query(number + 1)
        )
    complete_step(assignment, Step.PRACTICE, text_id=read_text_id(request))
    return redirect_to_due(assignment.token)


def read_items(assignment: Assignment) -> tuple[PracticeItem, ...]:
    """Return the practice items of an assignment's study."""
    return read_practice(find_practice(assignment).body, assignment.study.item_rules)


def find_practice(assignment: Assignment) -> StudyText:
    """Return the practice text of an assignment's study."""
    study = assignment.study
    return study_rules_of(study.pk, study.revision).texts[TextKind.PRACTICE]


@step_page(Step.CHECK)
def check(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Ask questions about the instructions, with a limited number of tries."""
    text = current_text(assignment.study, TextKind.CHECK)
    questions = read_check(text.body)
    form = CheckForm(request.POST if request.method == "POST" else None, questions=questions)
    if form.is_bound and request.POST.get("text") != str(text.pk):
        form = CheckForm(questions=questions)  # the questions have changed: show the new ones
    if form.is_valid():
        n_tries = form.cleaned_data["n_tries"]
        wrong = check_comprehension(
            assignment, form.given_answers, n_tries=n_tries, text_id=text.pk
        )
        form.refuse(wrong)
        assignment = find_assignment(assignment.token)
        if find_due_step(assignment) != Step.CHECK:
            return redirect_to_due(assignment.token)
    return render_check(request, assignment, text, form)


def read_text_id(request: HttpRequest) -> int | None:
    """Return the version of a text that a page showed, from its form."""
    return read_number(request.POST.get("text", ""))


def face_of_assignment(assignment: Assignment) -> StudyDisplay:
    return display_of(assignment.study.pk, assignment.study.revision)


def render_check(
    request: HttpRequest, assignment: Assignment, text: StudyText, form: CheckForm
) -> HttpResponse:
    """Render the questions, with the errors of answers that were sent."""
    n_tries = assignment.annotator.n_check_tries
    is_refused = request.method == "POST"
    page = {
        "face": face_of_assignment(assignment),
        "token": assignment.token,
        "form": form,
        "first_fault": form.first_fault,
        "steps": show_steps(assignment.study, list_steps(assignment.study), Step.CHECK),
        "text": text,
        "has_changed": is_refused and not form.errors,
        "n_tries": n_tries,
        "n_tries_left": max(1, assignment.study.n_check_tries - n_tries),
        **explain_pay(assignment, latest_reserved_visit(assignment)),
    }
    status = HTTP_UNPROCESSABLE if is_refused else 200
    return render(request, "annotate/check.html", page, status=status)


def render_practice(
    request: HttpRequest, template: str, assignment: Assignment, form: Form | None = None
) -> HttpResponse:
    """Render a page of the practice item with the templates of items."""
    study, items = assignment.study, read_items(assignment)
    if not items:  # removed since the page was requested
        return redirect_to_due(assignment.token)
    face, item = face_of_assignment(assignment), items[find_item_number(request, items) - 1]
    page = {
        **describe_practice(face, study, item, template, request),
        "face": face,
        "form": form,
        "version": find_practice(assignment).pk,
        "steps": show_steps(study, list_steps(study), Step.PRACTICE),
        "token": assignment.token,
    }
    is_refused = form is not None and form.is_bound
    return render(request, template, page, status=HTTP_UNPROCESSABLE if is_refused else 200)
