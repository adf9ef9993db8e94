"""Pages before the first item: instructions, practice item, comprehension check."""

from collections.abc import Callable
from functools import wraps

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.models import Assignment, StudyText, TextKind
from surveys.participation.introduction import (
    Step,
    check_comprehension,
    complete_step,
    find_due_step,
)
from surveys.study.protocol import protocol_of
from surveys.study.texts import current_text, read_check, read_practice
from surveys.web.annotate.decorators import (
    HTTP_UNPROCESSABLE,
    annotator_page,
    find_assignment,
    own_link,
    redirect_to_due,
)
from surveys.web.rendering.item_forms import CheckForm
from surveys.web.rendering.item_pages import RATING_PAGE, WORDS_PAGE, ItemPage, describe_text
from surveys.web.rendering.markdown import render_markdown
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
        complete_step(assignment, Step.INSTRUCTIONS)
        return redirect_to_due(token)
    page = {
        "face": face_of_assignment(assignment),
        "token": token,
        "own_link": own_link(assignment),
    }
    return render(request, "annotate/instructions.html", page)


def practice_page(page: ItemPage, then: str) -> Callable[..., HttpResponse]:
    """Return the view of a page of the practice item; its answers are not stored."""

    @step_page(Step.PRACTICE)
    def practice(request: HttpRequest, assignment: Assignment) -> HttpResponse:
        sent = request.POST if request.method == "POST" else None
        form = page.make_form(face_of_assignment(assignment), sent)
        if form.is_valid():
            return redirect(then, assignment.token)
        return render_practice(request, page.template, assignment, form=form)

    return practice


practice_words = practice_page(WORDS_PAGE, "annotate:practice_rating")
practice_rating = practice_page(RATING_PAGE, "annotate:practice_answer")


@step_page(Step.PRACTICE)
def practice_answer(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show a good answer to the practice item; a POST completes the step."""
    if request.method == "POST":
        complete_step(assignment, Step.PRACTICE)
        return redirect_to_due(assignment.token)
    return render_practice(request, "annotate/practice_answer.html", assignment)


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
        "text": text,
        "has_changed": is_refused and not form.errors,
        "n_tries": n_tries,
        "n_tries_left": max(1, assignment.study.n_check_tries - n_tries),
    }
    status = HTTP_UNPROCESSABLE if is_refused else 200
    return render(request, "annotate/check.html", page, status=status)


def render_practice(
    request: HttpRequest, template: str, assignment: Assignment, form: Form | None = None
) -> HttpResponse:
    """Render a page of the practice item with the templates of items."""
    study = assignment.study
    item = read_practice(protocol_of(study.pk, study.revision).texts[TextKind.PRACTICE].body)
    if item is None:  # removed since the page was requested
        return redirect_to_due(assignment.token)
    page = {
        **describe_text(item, study, is_marked=template != WORDS_PAGE.template),
        "face": face_of_assignment(assignment),
        "form": form,
        "item": item,
        "token": assignment.token,
        "is_practice": True,
        "explanation": render_markdown(item.explanation),
    }
    is_refused = form is not None and form.is_bound
    return render(request, template, page, status=HTTP_UNPROCESSABLE if is_refused else 200)
