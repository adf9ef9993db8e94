"""Tables of shared tasks: the tasks, their teams, and what the teams submit."""

from surveys.sharedtasks.models.boards import PublishedBoard, SharedPlaces
from surveys.sharedtasks.models.submissions import (
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
from surveys.sharedtasks.models.tasks import (
    Counting,
    NameRule,
    Organiser,
    Phase,
    PhaseData,
    Registration,
    SharedTask,
    SharedTaskState,
    TaskPart,
    Track,
    Visibility,
)
from surveys.sharedtasks.models.teams import (
    Allowance,
    Team,
    TeamInvitation,
    TeamKind,
    TeamMember,
    TeamState,
)
