"""The recipe: every step of post-processing with all its parameters, as one versioned file."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from postprocess.commands.validation_messages import explain_refusal
from postprocess.formats.files import PvalueStyle
from postprocess.formats.toml import TomlError, parse_toml
from postprocess.statistics.resampling import Resample
from postprocess.table.ratings import RatingsError, Scale

FOLDER = Path(__file__).parent / "recipes"
FORMAT: Final = 1  # of the file, raised when a recipe written before would mean something else

Positive = Annotated[float, Field(gt=0)]
FromZero = Annotated[float, Field(ge=0)]
Correlation = Annotated[float, Field(ge=-1, le=1)]


class RecipeError(ValueError):
    """A recipe that cannot be used; the message names each setting and what is wrong with it."""


class _Section(BaseModel):
    """A table of the file: nothing unknown in it, no infinity, and never changed."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, strict=True, validate_default=True
    )


class ScaleSection(_Section):
    """A rating scale, in points."""

    minimum: float = 0
    maximum: float = 6
    step: Positive = 1

    @model_validator(mode="after")
    def _is_a_scale(self) -> Self:
        try:
            self.as_scale()
        except RatingsError as error:
            raise ValueError(str(error)) from error
        return self

    def as_scale(self) -> Scale:
        """The scale as the steps take it."""
        return Scale(self.minimum, self.maximum, self.step)

    @classmethod
    def of(cls, scale: Scale) -> Self:
        """The section that says a scale."""
        return cls(minimum=scale.minimum, maximum=scale.maximum, step=scale.step)


class ExclusionSection(_Section):
    """Who is left out before the ratings are looked at."""

    rejected_engagement: bool = True
    most_failed_checkpoints: Annotated[int, Field(ge=0)] | None = None


class CalibrationSection(_Section):
    """Moving annotators whose mean lies far from their group's; points of the scale."""

    enabled: bool = True
    threshold: FromZero = 1
    step: Positive = 1


class FilteringSection(_Section):
    """Leaving out annotators who agree too little with their group."""

    enabled: bool = True
    k: FromZero = 1
    minimum_rho: Correlation | None = None
    gain_share: Annotated[float, Field(gt=0, lt=1)] | None = None


class RescalingSection(_Section):
    """The ends of the published scale."""

    minimum: float = 0
    maximum: float = 10

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        if self.minimum >= self.maximum:
            raise ValueError("the minimum must be below the maximum")
        return self

    def as_scale(self) -> Scale:
        """The scale of the scores; its step has no meaning."""
        return Scale(self.minimum, self.maximum, self.maximum - self.minimum)


class FilesSection(_Section):
    """How small p-values are written: see `PvalueStyle`."""

    scientific_below: FromZero = 1e-7
    trailing_zeros: bool = True

    def as_style(self) -> PvalueStyle:
        """Return the section as the writers of files take it."""
        return PvalueStyle(self.scientific_below, self.trailing_zeros)


class ReportSection(_Section):
    """Chance in the figures of the report: bootstrap samples, random splits, and its seed.

    `resample`: what the intervals of agreement and of the reliability of change are over.
    `pdf`: whether the report is set for print as well, which takes longer than all the rest.
    """

    n_resamples: Annotated[int, Field(ge=0)] = 300
    resample: Resample = "items"
    n_splits: Annotated[int, Field(ge=1)] = 200
    seed: Annotated[int, Field(ge=0)] = 0
    pdf: bool = True


class Recipe(_Section):
    """How ratings become scores. The defaults are the conventions of the published files.

    Sources: Hill et al. (2015) for calibration and filtering; Armendariz et al. (2020) for
    rescaling and the figures.
    """

    format: Literal[1] = FORMAT
    name: Annotated[str, Field(min_length=1, max_length=60)] = "cosimlex"
    scale: ScaleSection = ScaleSection()
    exclusion: ExclusionSection = ExclusionSection()
    calibration: CalibrationSection = CalibrationSection()
    filtering: FilteringSection = FilteringSection()
    rescaling: RescalingSection = RescalingSection()
    files: FilesSection = FilesSection()
    report: ReportSection = ReportSection()

    def on_scale(self, scale: Scale) -> Self:
        """The same recipe for ratings given on another scale."""
        return self.model_copy(update={"scale": ScaleSection.of(scale)})

    def render(self) -> str:
        """The recipe as a file: every setting, always in the same order."""
        return tomli_w.dumps(self.model_dump(exclude_none=True))

    def digest(self) -> str:
        """The SHA-256 of the file."""
        return hashlib.sha256(self.render().encode()).hexdigest()


def list_presets() -> list[str]:
    """The names of the recipes that come with the library."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def read_recipe(source: str, changes: Sequence[str] = ()) -> Recipe:
    """The recipe that a name or a file holds, with single settings changed.

    Parameters
    ----------
    source : str
        One of `list_presets()`, or the path of a file.
    changes : sequence of str
        Such as "calibration.threshold=0.5"; what follows the equals sign is a TOML value.

    Raises
    ------
    RecipeError
        No such recipe, no TOML, an unknown setting or an impossible value.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> read_recipe("raw", ["rescaling.maximum=1"]).rescaling.maximum
    1.0
    """
    path = FOLDER / f"{source}.toml" if source in list_presets() else Path(source)
    if not path.suffix:
        raise RecipeError(
            f'there is no recipe "{source}"; name one of {", ".join(list_presets())}, or a file '
            "such as mine.toml"
        )
    return parse_recipe(path.read_bytes(), changes)


def parse_recipe(data: bytes, changes: Sequence[str] = ()) -> Recipe:
    """The recipe of a file's content; see `read_recipe`. Raises RecipeError."""
    try:
        settings = parse_toml(data)
    except TomlError as error:
        raise RecipeError(f"the recipe is no TOML: {error}") from error
    for change in changes:
        _change(settings, change)
    try:
        return Recipe.model_validate(settings)
    except ValidationError as error:
        raise RecipeError(explain_refusal(error, "setting")) from error


def _change(settings: dict[str, Any], change: str) -> None:
    name, equals, value = change.partition("=")
    *sections, setting = name.strip().split(".")
    if not equals:
        raise RecipeError(f'"{change}" sets nothing; write it as calibration.threshold=0.5')
    for section in sections:
        settings = settings.setdefault(section, {})
        if not isinstance(settings, dict):
            raise RecipeError(f'"{name}": {section} is no section of the recipe')
    try:
        settings[setting] = parse_toml(f"x = {value}")["x"]
    except TomlError as error:
        raise RecipeError(f'"{change}": {value.strip() or "nothing"} is no TOML value') from error
