"""The step Results: the runs of a study, and the forms of a recipe to run."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from surveys.access.roles import Right
from surveys.models import Run, RunState, Study
from surveys.query_params import read_number
from surveys.results.entries.effect import RecipeEffect, preview_recipe
from surveys.results.entries.recipe import read_settings
from surveys.results.run_inspection import write_presets
from surveys.results.runs import request_results
from surveys.tasks import start_run
from surveys.web.console.access import signed_in, study_page
from surveys.web.console.forms import attempt, posted, status_of
from surveys.web.console.results.forms import CompareForm
from surveys.web.console.results.recipe_forms import CARDS, RecipeForm, SettingsForm

RUNS_PER_PAGE = 25


@study_page(Right.WORK, also=Right.LOOK)
def results(request: HttpRequest, study: Study) -> HttpResponse:
    """List the runs of a study; a POST runs the recipe of the fields, or shows its effect."""
    recipe = _chosen_recipe(request, study)
    form = SettingsForm(posted(request), study=study, settings=read_settings(recipe))
    return _run_or_show(request, study, form, RecipeForm(initial={"recipe": recipe}))


@study_page(Right.WORK)
def recipe_text(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the same page with the TOML; a POST runs it, or shows its effect."""
    recipe = _chosen_recipe(request, study)
    form = SettingsForm(study=study, settings=read_settings(recipe))
    text = RecipeForm(posted(request), initial={"recipe": recipe})
    return _run_or_show(request, study, form, text, shows_text=True)


def _chosen_recipe(request: HttpRequest, study: Study) -> str:
    """Return the recipe from which the forms start: that of a preset or of an earlier run."""
    presets = write_presets()
    if request.method == "POST":
        return presets["cosimlex"]
    number = read_number(request.GET.get("run", ""))
    run = Run.objects.filter(study=study, pk=number).exclude(recipe="").first() if number else None
    return run.recipe if run else presets.get(request.GET.get("preset", ""), presets["cosimlex"])


def _run_or_show(
    request: HttpRequest,
    study: Study,
    form: SettingsForm,
    text: RecipeForm,
    *,
    shows_text: bool = False,
) -> HttpResponse:
    """Run the recipe of the form that was sent, or show its effect."""
    sent = text if text.is_bound else form
    started: list[Run] = []
    effects: list[RecipeEffect] = []

    def perform() -> None:
        recipe = text.cleaned_data["recipe"] if text.is_bound else form.recipe
        if "look" in request.POST:
            effects.append(preview_recipe(study, recipe))
        else:
            started.append(request_results(study, recipe, signed_in(request)))
            start_run(started[0].pk)

    if attempt(sent, perform) and started:
        messages.success(request, "The run has started; this page shows the progress.")
        return redirect("console:run", study.slug, started[0].pk)
    if form.is_bound and form.recipe:
        text = RecipeForm(initial={"recipe": form.recipe})
    elif effects:
        settings = read_settings(text.cleaned_data["recipe"])
        form = SettingsForm(study=study, settings=settings)
    made = Run.objects.filter(study=study).results().with_withdrawn_since()
    made = made.select_related("requested_by")
    runs = Paginator(made, RUNS_PER_PAGE).get_page(request.GET.get("page"))
    page = {
        "study": study,
        "runs": runs,
        "form": form,
        "text": text,
        "shows_text": shows_text,
        "effect": effects[0] if effects else None,
        "cards": CARDS,
        "chosen": form["name"].value(),
        "compare": CompareForm(study),
        "is_busy": any(run.state in (RunState.WAITING, RunState.RUNNING) for run in runs),
    }
    return render(request, "console/results/results.html", page, status=status_of(sent))
