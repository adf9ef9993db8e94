"""Tables of shared tasks: the tasks, their teams, and what the teams submit."""

from surveys.models.sharedtasks.submissions import (
    NO_ATTEMPTS,
    CountedSubmission,
    FrozenBoard,
    RefusedUpload,
    Scoring,
    ScoringState,
    Submission,
    SubmissionState,
    SubtaskScore,
    Upload,
)
from surveys.models.sharedtasks.tasks import (
    Counting,
    NameRule,
    Organiser,
    Phase,
    PhaseData,
    Registration,
    SharedTask,
    SharedTaskState,
    TaskPart,
    Visibility,
)
from surveys.models.sharedtasks.teams import (
    Allowance,
    Team,
    TeamInvitation,
    TeamKind,
    TeamMember,
    TeamState,
)
