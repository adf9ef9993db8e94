from collections.abc import Iterable


class SurveyError(Exception):
    """What an action refuses. Its message tells the reader what to do; doors show it as it is."""

    status = 409

    def __init__(
        self, message: str, *, completion: object = None, retry_after: int | None = None
    ) -> None:
        """`completion` is what whoever was sent by a provider hands back there.

        `retry_after` is in how many seconds the same may be tried again.
        """
        super().__init__(message)
        self.completion = completion
        self.retry_after = retry_after


class ImportRefused(SurveyError):
    """Stimuli or the design of their study are wrong; everything found is told, one a line."""

    def __init__(
        self, message: str, *, found: Iterable[tuple[str, int | None, str | None]] = ()
    ) -> None:
        """`found` is each problem with its row and column, as far as it has them."""
        super().__init__(message)
        self.found = list(found)


class StudyNotOpen(SurveyError):
    """Somebody wants to take part in a study that is still a draft."""


class StudyOpen(SurveyError):
    """What only a draft takes: annotators may have seen the study already."""


class OpeningRefused(SurveyError):
    """A draft that cannot be opened as it is."""


class StudyExists(SurveyError):
    """The study holds other stimuli or another design already."""


class NoPlaceLeft(SurveyError):
    """Every questionnaire of the study has as many annotators as it asks for."""


class ArrivalRefused(SurveyError):
    """An arrival from a provider that does not say who comes."""

    status = 400


class TooManyArrivals(SurveyError):
    """More people start through an entrance within an hour than it takes."""

    status = 429


class OwnLinkNeeded(SurveyError):
    """An arrival with a known id that does not show that the id is the person's own."""

    status = 403


class LinkRevoked(SurveyError):
    """A link that a researcher has made invalid, or an entrance that is closed."""

    status = 410


class TextChanged(SurveyError):
    """What somebody answers to has changed since it was shown to them; it is to be shown again."""


class AssignmentEnded(SurveyError):
    """An assignment that was returned or withdrawn takes no more answers."""


class RepeatRefused(SurveyError):
    """A block cannot be collected again as asked for."""


class InvitationRefused(SurveyError):
    """A list of people to invite that cannot be used."""


class TextRefused(SurveyError):
    """A text of a study that the survey could not show."""


class SettingRefused(SurveyError):
    """A setting of a study that is impossible."""


class RatingRefused(SurveyError):
    """A rating that the study's scale does not have."""


class RatingsMissing(SurveyError):
    """An assignment or a study still lacks ratings that the action needs."""


class StimuliChanged(SurveyError):
    """What is stored is no longer the text that was imported."""


class ReleaseRefused(SurveyError):
    """A release that cannot be made as asked for."""


class RehearsalFailed(SurveyError):
    """The rehearsed site did not answer as a survey does."""


class AccessRefused(SurveyError):
    """A change of roles that would leave a study without an owner, or asks for nobody."""


class ErasureRefused(SurveyError):
    """Personal data that cannot be dropped, or kept for a time, as asked for."""


class RunRefused(SurveyError):
    """Post-processing that cannot be run as asked for."""


class RunTaken(SurveyError):
    """Another process performs the run by now; what this one made is dropped."""


class VerdictRefused(SurveyError):
    """A verdict on an answer that cannot be given as asked for."""


class TokenRefused(SurveyError):
    """A token for programs that cannot be made as asked for."""


class KeyReused(SurveyError):
    """One idempotency key for two different requests."""


class WebhookRefused(SurveyError):
    """An address that is not told anything, or nothing to tell it."""


class TargetRefused(SurveyError):
    """A target of MTurk that is none, or that the site must not ask."""


class GatewayRefused(SurveyError):
    """What a target, or a rail in front of it, has refused; the message is shown as it is."""


class GatewayDown(SurveyError):
    """A target that does not answer, or not now; whether it did what was asked is not known."""

    status = 503


class TargetBusy(GatewayDown):
    """The same work is under way at the target; it is to be tried again when that is over."""


class FeesUnknown(SurveyError):
    """A day for which the settings have no fees."""


class BatchRefused(SurveyError):
    """Places that cannot be offered for pay as asked for, or a batch that is not armed."""


class CeilingReached(BatchRefused):
    """Money that would pass the ceiling of its batch."""


class PaymentRefused(SurveyError):
    """A payment that would be made twice, or for what was not done."""


class HitRefused(SurveyError):
    """A worker who cannot do the HIT they have accepted; they are asked to return it."""


class ReportRefused(SurveyError):
    """A provider's list of submissions that cannot be read; everything found is told."""


class BackupRefused(SurveyError):
    """A backup that cannot be made, read, or restored here."""


class DatabaseTooNew(SurveyError):
    """A database that newer code has changed."""

    status = 503


class DatabaseTooOld(SurveyError):
    """A database that lacks what this code needs."""

    status = 503
