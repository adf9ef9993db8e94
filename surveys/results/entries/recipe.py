"""The settings of a recipe as entries of a form."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from surveys.errors import RunRefused
from surveys.models import Study
from surveys.results.ratings_table import released_design, scale_of
from surveys.results.run_inspection import write_recipes

if TYPE_CHECKING:
    from postprocess.steps.recipe import Recipe

Settings = dict[str, Any]
OF_THE_STUDY = ("format", "scale")  # not a choice of the recipe's author


def read_settings(recipe: str) -> Settings:
    """Return the settings of a recipe by name, such as "calibration.threshold".

    Settings of the study, such as the scale, are left out. Raises RunRefused.
    """
    from postprocess.steps.recipe import RecipeError, parse_recipe

    try:
        return _flatten(parse_recipe(recipe.encode()))
    except RecipeError as error:
        raise RunRefused(str(error)) from error


def write_recipe(study: Study, settings: Mapping[str, Any]) -> str:
    """Return the TOML of a recipe with these settings, on the study's scale.

    A setting that is None is left out. Raises RunRefused with a line for each invalid setting,
    which begins with its name and a colon.
    """
    from postprocess.steps.recipe import Recipe, RecipeError

    entries: dict[str, Any] = {}
    for name, value in settings.items():
        section, _, setting = name.rpartition(".")
        if value is not None:
            (entries.setdefault(section, {}) if section else entries)[setting] = value
    try:
        recipe = Recipe.read(entries, "setting", RecipeError)
    except RecipeError as error:
        raise RunRefused(str(error)) from error
    return recipe.on_scale(scale_of(study)).render()


def propose_recipe(study: Study) -> str:
    """Return the TOML of the recipe that a study's results start from: that of its design."""
    design = released_design(study)
    return design.as_recipe().render() if design else write_recipes()["cosimlex"]


def find_changed(recipe: str) -> tuple[str, list[str]]:
    """Return the library's recipe of the same name, and the settings in which the two differ.

    The first is empty if the library has none of that name. Raises RunRefused.
    """
    from postprocess.steps import list_recipes
    from postprocess.steps.recipe import read_recipe

    settings = read_settings(recipe)
    recipe_name = str(settings["name"])
    if recipe_name not in list_recipes():
        return "", []
    original = _flatten(read_recipe(recipe_name))
    return recipe_name, [name for name, value in settings.items() if original[name] != value]


def _flatten(recipe: "Recipe") -> Settings:
    settings: Settings = {}
    for section, entries in recipe.model_dump().items():
        if section in OF_THE_STUDY:
            continue
        if isinstance(entries, dict):
            settings |= {f"{section}.{name}": value for name, value in entries.items()}
        else:
            settings[section] = entries
    return settings
