"""The recipe: all parameters of all steps of post-processing, in one versioned file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from postprocess.errors import UserError
from postprocess.formats.files import PvalueStyle
from postprocess.formats.toml import Document, Section, TomlError, parse_toml
from postprocess.statistics import Resample
from postprocess.steps import FOLDER, list_recipes
from postprocess.table.scale import RatingsError, Scale

FORMAT: Final = 1  # of the file; raise it if old recipes would change their meaning

Positive = Annotated[float, Field(gt=0)]
FromZero = Annotated[float, Field(ge=0)]
Correlation = Annotated[float, Field(ge=-1, le=1)]


class RecipeError(UserError):
    """An invalid recipe; the message names each setting and the problem."""


class _Section(Section):
    """A table of the file; its defaults are validated, too."""

    model_config = ConfigDict(validate_default=True)


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
        """Return the section as a `Scale`."""
        return Scale(self.minimum, self.maximum, self.step)

    @classmethod
    def of(cls, scale: Scale) -> Self:
        """Return the section for a scale."""
        return cls(minimum=scale.minimum, maximum=scale.maximum, step=scale.step)


class ExclusionSection(_Section):
    """Ratings and annotators that are left out before any other step."""

    rejected_engagement: bool = True
    most_failed_checkpoints: Annotated[int, Field(ge=0)] | None = None


class CalibrationSection(_Section):
    """Shifting annotators whose mean is far from their group's, in points of the scale."""

    enabled: bool = True
    threshold: FromZero = 1
    step: Positive = 1


class FilteringSection(_Section):
    """Leaving out annotators who agree too little with their group."""

    enabled: bool = True
    k: FromZero = 1
    minimum_rho: Correlation | None = None
    gain_share: Annotated[float, Field(gt=0, lt=1)] | None = None
    constant_from: Annotated[int, Field(ge=2)] | None = None


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
        """Return the scale of the scores; its step is not used."""
        return Scale(self.minimum, self.maximum, self.maximum - self.minimum)


class FilesSection(_Section):
    """The format of small p-values; see `PvalueStyle`."""

    scientific_below: FromZero = 1e-7
    trailing_zeros: bool = True

    def as_style(self) -> PvalueStyle:
        """Return the section as a `PvalueStyle`."""
        return PvalueStyle(self.scientific_below, self.trailing_zeros)


class ReportSection(_Section):
    """Bootstrap samples, random splits and the seed of the report.

    `resample`: what the intervals of agreement and of the reliability of change generalise over.
    `pdf`: whether to write a PDF too, which takes longer than everything else.
    """

    n_resamples: Annotated[int, Field(ge=0)] = 300
    resample: Resample = "items"
    n_splits: Annotated[int, Field(ge=1)] = 200
    seed: Annotated[int, Field(ge=0)] = 0
    pdf: bool = True


class Recipe(_Section, Document):
    """The computation of scores from ratings. Defaults are the conventions of the published files.

    Sources: adapted from Hill et al. (2015) for calibration and filtering; Armendariz et al. (2020)
    for rescaling and the figures.
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
        """Return the same recipe for ratings on another scale."""
        return self.model_copy(update={"scale": ScaleSection.of(scale)})


def read_recipe(source: str, changes: Sequence[str] = ()) -> Recipe:
    """Read a recipe by name or from a file, and change single settings.

    Parameters
    ----------
    source : str
        One of `list_recipes()`, or the path of a file.
    changes : sequence of str
        Such as "calibration.threshold=0.5", with a TOML value after the equals sign.

    Raises
    ------
    RecipeError
        An unknown recipe or setting, invalid TOML, or an impossible value.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> read_recipe("raw", ["rescaling.maximum=1"]).rescaling.maximum
    1.0
    """
    path = FOLDER / f"{source}.toml" if source in list_recipes() else Path(source)
    if not path.suffix:
        raise RecipeError(
            f'unknown recipe "{source}"; name one of {", ".join(list_recipes())}, or a file '
            "such as mine.toml"
        )
    return parse_recipe(path.read_bytes(), changes)


def parse_recipe(data: bytes, changes: Sequence[str] = ()) -> Recipe:
    """Read a recipe from the content of a file; see `read_recipe`. Raises RecipeError."""
    try:
        settings = parse_toml(data)
    except TomlError as error:
        raise RecipeError(f"the recipe is not valid TOML: {error}") from error
    for change in changes:
        _change(settings, change)
    return Recipe.read(settings, "setting", RecipeError)


def _change(settings: dict[str, Any], change: str) -> None:
    name, equals, value = change.partition("=")
    *sections, setting = name.strip().split(".")
    if not equals:
        raise RecipeError(f'"{change}" sets nothing; write it as calibration.threshold=0.5')
    for section in sections:
        settings = settings.setdefault(section, {})
        if not isinstance(settings, dict):
            raise RecipeError(f'"{name}": {section} is not a section of the recipe')
    try:
        settings[setting] = parse_toml(f"x = {value}")["x"]
    except TomlError as error:
        raise RecipeError(
            f'"{change}": {value.strip() or "nothing"} is not a TOML value'
        ) from error
