"""The step Results: the runs of a study, and the forms of a recipe to run."""

from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from surveys.access.roles import Right
from surveys.models import Release, Run, Study
from surveys.query_params import read_number
from surveys.results.entries.effect import RecipeEffect, preview_recipe
from surveys.results.entries.recipe import propose_recipe, read_settings
from surveys.results.run_inspection import write_recipes
from surveys.results.runs import read_recipe, request_results
from surveys.web.console.access import is_visitor, signed_in, study_page
from surveys.web.console.results.recipe_forms import CARDS, RecipeForm, SettingsForm, write_fields
from surveys.web.console.results.release_forms import CompareForm
from surveys.web.forms import attempt, posted, status_of

RUNS_PER_PAGE = 25


@study_page(Right.WORK, also=Right.LOOK)
def results(request: HttpRequest, study: Study) -> HttpResponse:
    """List the runs of a study, with the effect of the settings in the address, if there are any.

    A POST runs the recipe of the fields, or leads to its effect.
    """
    recipe = _chosen_recipe(request, study)
    looks = "look" in request.GET and not is_visitor(request)
    data = request.GET if looks else posted(request)
    form = SettingsForm(data, study=study, settings=read_settings(recipe))
    if not looks:
        return _run_or_show(request, study, form, RecipeForm(initial={"recipe": recipe}))
    effects: list[RecipeEffect] = []
    attempt(form, lambda: effects.append(preview_recipe(study, form.recipe)))
    text = RecipeForm(initial={"recipe": form.recipe or recipe})
    return _show(request, study, form, text, effect=next(iter(effects), None))


@study_page(Right.WORK)
def recipe_text(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the same page with the TOML; a POST runs it, or leads to its effect."""
    recipe = _chosen_recipe(request, study)
    form = SettingsForm(study=study, settings=read_settings(recipe))
    text = RecipeForm(posted(request), initial={"recipe": recipe})
    return _run_or_show(request, study, form, text)


def _chosen_recipe(request: HttpRequest, study: Study) -> str:
    """Return the forms' first recipe: one of the library's, or of an earlier run."""
    recipes, first = write_recipes(), propose_recipe(study)
    if request.method == "POST":
        return first
    number = read_number(request.GET.get("run", ""))
    run = Run.objects.filter(study=study, pk=number).exclude(recipe="").first() if number else None
    return run.recipe if run else recipes.get(request.GET.get("recipe", ""), first)


def _run_or_show(
    request: HttpRequest, study: Study, form: SettingsForm, text: RecipeForm
) -> HttpResponse:
    """Run the recipe of the form that was sent, or lead to its effect."""
    sent = text if text.is_bound else form
    addresses: list[str] = []

    def perform() -> None:
        recipe = text.cleaned_data["recipe"] if text.is_bound else form.recipe
        if "look" in request.POST:
            addresses.append(_address_of_effect(study, recipe, by_text=text.is_bound))
        else:
            run = request_results(study, recipe, signed_in(request))
            messages.success(request, "The run has started; this page shows the progress.")
            addresses.append(reverse("console:run", args=[study.slug, run.pk]))

    if attempt(sent, perform):
        return redirect(addresses[0])
    return _show(request, study, form, text)


def _address_of_effect(study: Study, recipe: str, *, by_text: bool) -> str:
    """Return the address of a page with the effect of a recipe. Raises RunRefused."""
    fields = write_fields(read_recipe(study, recipe).render())
    query = urlencode({"look": "text" if by_text else "fields", **fields})
    return f"{reverse('console:results', args=[study.slug])}?{query}#effect"


def _show(
    request: HttpRequest,
    study: Study,
    form: SettingsForm,
    text: RecipeForm,
    effect: RecipeEffect | None = None,
) -> HttpResponse:
    made = Run.objects.filter(study=study).results().with_withdrawn_since().without_report()
    made = made.select_related("job__requested_by")
    released = Release.objects.filter(study=study).select_related("run")
    released = released.defer("report", "run__report")
    runs = Paginator(made, RUNS_PER_PAGE).get_page(request.GET.get("page"))
    page = {
        "study": study,
        "runs": runs,
        "release": None if runs else released.first(),
        "form": form,
        "text": text,
        "shows_text": text.is_bound or request.GET.get("look") == "text",
        "effect": effect,
        "cards": CARDS,
        "chosen": form["name"].value(),
        "compare": CompareForm(study),
        "is_busy": any(run.is_under_way for run in runs),
    }
    return render(request, "console/results/results.html", page, status=status_of(form, text))
