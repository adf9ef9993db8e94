"""Database tables, one module per part of a study's life."""

from surveys.models.access import (
    AccountSession,
    ApiToken,
    AuditEntry,
    Delivery,
    IdempotencyRecord,
    LimitedAccount,
    Membership,
    Role,
    SharedMark,
    SignInBudget,
    Webhook,
    WebhookEvent,
)
from surveys.models.comparisons import CollectionKind, Family, ImportedCollection
from surveys.models.jobs import Job, JobState, TimerRun
from surveys.models.later_rounds import Adjudication, SecondAnswer, SecondLook
from surveys.models.participation import Annotator, Assignment, AssignmentState, Response
from surveys.models.quota import Place, Reservation
from surveys.models.recruitment import (
    Arrival,
    Entrance,
    Invitation,
    MailDelivery,
    Provider,
    ProviderState,
    ReconciliationResult,
    Visit,
    Worker,
)
from surveys.models.results import (
    Deposit,
    Release,
    RepositoryKind,
    Run,
    RunKind,
    WrittenDescription,
)
from surveys.models.review import (
    Review,
    ReviewClaim,
    ReviewSettings,
    ReviewState,
    Verdict,
    VerdictKind,
)
from surveys.models.stimuli import (
    Block,
    Checkpoint,
    Context,
    Item,
    Pair,
    Questionnaire,
    Round,
    StimuliOrigin,
)
from surveys.models.study import (
    AssigningPolicy,
    ConsentNotice,
    QuestionForms,
    Study,
    StudyText,
    TextKind,
    Variant,
)
