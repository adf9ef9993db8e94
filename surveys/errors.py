from collections.abc import Iterable
from datetime import datetime
from typing import Any


class SurveyError(Exception):
    """An action's refusal. The message tells the reader what to do; it is shown as it is."""

    status = 409

    def __init__(
        self,
        message: str,
        *,
        heading: str = "",
        completion: object = None,
        retry_after: int | None = None,
    ) -> None:
        """`heading` is the heading of the annotators' page, if nobody made an error.

        `completion` is the code that the annotator takes back to the provider, `retry_after` the
        number of seconds after which the request may be repeated.
        """
        super().__init__(message)
        self.heading = heading
        self.completion = completion
        self.retry_after = retry_after

    def describe(self) -> list[dict[str, Any]]:
        """Return the messages for the API's answer, each with its subject."""
        return [{"message": line} for line in str(self).splitlines()]


class ImportRefused(SurveyError):
    """The stimuli or the design are invalid; the message lists every problem, one per line."""

    def __init__(
        self, message: str, *, problems: Iterable[tuple[str, int | None, str | None]] = ()
    ) -> None:
        """`problems` lists each problem with its row and column, where it has them."""
        super().__init__(message)
        self.problems = list(problems)

    def describe(self) -> list[dict[str, Any]]:
        """Return each problem with its row and column."""
        names = "message", "row", "column"
        problems = [dict(zip(names, problem, strict=True)) for problem in self.problems]
        return problems or super().describe()


class AlreadyAnswered(SurveyError):
    """An annotator's answer differs from the stored one, which counts."""


class StudyNotOpen(SurveyError):
    """An annotator arrives at a study that is still a draft."""


class StudyOpen(SurveyError):
    """A change that only a draft permits: annotators may have seen the study already."""


class OpeningRefused(SurveyError):
    """A draft that cannot be opened yet."""


class ClosingRefused(SurveyError):
    """A study that cannot be closed or archived yet."""


class StudyExists(SurveyError):
    """The name belongs to a study with other stimuli or another design."""


class NoPlaceLeft(SurveyError):
    """Fewer questionnaires are free than are needed."""


class ArrivalRefused(SurveyError):
    """An arrival from a provider without valid identifiers."""

    status = 400


class TooManyArrivals(SurveyError):
    """More starts through an entrance within an hour than the limit allows."""

    status = 429


class OwnLinkNeeded(SurveyError):
    """An arrival with a known id and without proof that the id is the annotator's own."""

    status = 403


class LinkRevoked(SurveyError):
    """A link that was revoked, or an entrance that is closed."""

    status = 410


class TextChanged(SurveyError):
    """The page changed after it was shown; the annotator must read it again."""


class AssignmentEnded(SurveyError):
    """An assignment that was returned or withdrawn accepts no more answers."""


class RepeatRefused(SurveyError):
    """A block that cannot be collected again as requested."""


class SecondLookRefused(SurveyError):
    """A second look that cannot be opened or closed, or is still open."""


class InvitationRefused(SurveyError):
    """A list of invitations that cannot be used."""


class TextRefused(SurveyError):
    """A text of a study that the survey could not show."""


class SettingRefused(SurveyError):
    """An invalid setting of a study."""


class RatingRefused(SurveyError):
    """A rating that is not a point of the study's scale."""


class RatingsMissing(SurveyError):
    """An assignment or a study without all the ratings that the action needs."""


class StimuliChanged(SurveyError):
    """The stored stimuli differ from those that were imported."""


class ReleaseRefused(SurveyError):
    """A release that cannot be made as requested."""


class RehearsalFailed(SurveyError):
    """The rehearsed site did not respond as a survey does."""


class AccessRefused(SurveyError):
    """A change of roles that names no user, or would leave a study without an owner."""


class ErasureRefused(SurveyError):
    """Personal data that cannot be deleted, or retained for a time, as requested."""


class RunRefused(SurveyError):
    """A run that cannot be started as requested."""


class JobBusy(SurveyError):
    """A job that cannot be queued while the same is under way."""


class JobTaken(SurveyError):
    """Another process performs the job now, or the job has ended; this result is discarded."""


class TryLater(SurveyError):
    """Something that a job needs does not respond now."""

    status = 503


class TooEarly(SurveyError):
    """A job that must wait until an instant; this does not count as a try."""

    def __init__(self, due_at: datetime) -> None:
        super().__init__(f"Not before {due_at}.")
        self.due_at = due_at


class VerdictRefused(SurveyError):
    """A verdict that cannot be given as requested."""


class AdjudicationRefused(SurveyError):
    """An item that a person may not decide, or an answer to it that cannot be."""


class TokenRefused(SurveyError):
    """An API token that cannot be created as requested."""


class KeyReused(SurveyError):
    """One idempotency key for two different requests."""


class WebhookRefused(SurveyError):
    """A webhook URL or event list that is not allowed."""


class GatewayRefused(SurveyError):
    """A request that another service, or the safeguard in front, refused."""


class GatewayDown(TryLater):
    """A service that does not respond; whether it performed the request is unknown."""


class DepositRefused(SurveyError):
    """A release that cannot be deposited, or a draft that this site must not change."""


class MailRefused(SurveyError):
    """E-mail that cannot be queued: it is off, or the text or the study does not permit it."""


class BackupRefused(SurveyError):
    """A backup that cannot be made, read, or restored here."""


class DatabaseOfOtherVersion(SurveyError):
    """A database with migrations that this version does not have."""

    status = 503


class DatabaseNotMigrated(SurveyError):
    """A database that lacks migrations of this code."""

    status = 503


class NotCalculated(SurveyError):
    """The job process did not answer in time, or has ended."""

    status = 503
