class SurveyError(Exception):
    """What an action refuses. Its message tells the reader what to do; doors show it as it is."""

    status = 409


class ImportRefused(SurveyError):
    """Stimuli or the design of their study are wrong; everything found is told, one a line."""


class StudyExists(SurveyError):
    """The study holds other stimuli or another design already."""


class NoPlaceLeft(SurveyError):
    """Every questionnaire of the study has as many annotators as it asks for."""


class RatingRefused(SurveyError):
    """A rating that the study's scale does not have."""


class RatingsMissing(SurveyError):
    """An assignment or a study still lacks ratings that the action needs."""


class StimuliChanged(SurveyError):
    """What is stored is no longer the text that was imported."""


class RehearsalFailed(SurveyError):
    """The rehearsed site did not answer as a survey does."""
