"""Which tables operators see; Django looks for this module."""

from django.apps import apps
from django.contrib import admin
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from surveys.models import (
    AccountSession,
    Annotator,
    ApiToken,
    Arrival,
    Assignment,
    Block,
    ConsentNotice,
    IdempotencyRecord,
    Invitation,
    Item,
    Job,
    LimitedAccount,
    Place,
    Release,
    ReviewClaim,
    Run,
    SharedMark,
    SignInBudget,
    Visit,
    Webhook,
    Worker,
)
from surveys.web.admin.read_only import register_read_only

admin.site.unregister((StaticDevice, TOTPDevice))  # their pages show and change keys
register_read_only(
    apps.get_app_config("surveys").get_models(),
    unlisted={
        AccountSession, Annotator, Arrival, Block, ConsentNotice, Item, Place, ReviewClaim,
        SharedMark, SignInBudget, Worker,
    },
    personal={Invitation, LimitedAccount, Visit},
    hidden={
        ApiToken: ("digest",),
        Assignment: ("token",),
        IdempotencyRecord: ("answer", "digest"),
        Job: ("request",),  # may hold e-mail addresses while the job is under way
        Release: ("key",),
        Run: ("archive", "ledger"),
        Visit: ("worker",),
        Webhook: ("secret",),
    },
)  # fmt: skip
