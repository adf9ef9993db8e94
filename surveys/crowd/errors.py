"""Refusals of paid crowds."""

from surveys.errors import GatewayDown, SurveyError


class TargetRefused(SurveyError):
    """An unknown MTurk target, or one that the site must not contact."""


class TargetBusy(GatewayDown):
    """The same work is in progress at the target; try again afterwards."""


class BatchRefused(SurveyError):
    """Places that cannot be offered for pay as requested, or a batch that is not approved."""


class CeilingReached(BatchRefused):
    """A payment that would exceed the ceiling of its batch."""


class PaymentRefused(SurveyError):
    """A payment that would be made twice, or for work that was not done."""


class HitRefused(SurveyError):
    """A worker who cannot do the HIT they accepted; they are asked to return it."""


class ReportRefused(SurveyError):
    """A provider's list of submissions has errors; the message lists all."""
