"""Which tables of shared tasks operators see."""

from django.apps import apps

from surveys.sharedtasks.models import (
    CountedSubmission,
    FrozenBoard,
    RefusedUpload,
    Scoring,
    SharedTask,
    Submission,
    SubtaskScore,
    TaskPart,
    Team,
    TeamInvitation,
    TeamMember,
    Upload,
)
from surveys.web.admin.read_only import register_read_only

register_read_only(
    apps.get_app_config("sharedtasks").get_models(),
    # Scores that only the organisers of a shared task may see, and files that are not sent yet.
    unlisted={CountedSubmission, FrozenBoard, RefusedUpload, SubtaskScore, Upload},
    personal={Team, TeamInvitation, TeamMember},
    hidden={
        SharedTask: ("archive", "salt"),
        Scoring: ("gold_files", "gold_sha256"),
        # Flags are for organisers, and notes for the team alone.
        Submission: ("digest", "file", "flags", "note"),
        TaskPart: ("data", "gold", "gold_sha256", "practice_data", "practice_gold"),
        TeamInvitation: ("digest",),
    },
)
