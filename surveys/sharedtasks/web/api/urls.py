"""Addresses of shared tasks in the API."""

from surveys.sharedtasks.web.api.submissions import OneSubmission, Submissions
from surveys.sharedtasks.web.api.tasks import SharedTasks
from surveys.web.api.base import Views

SUBMISSION = "shared-tasks/<slug:task>/submissions/<slug:phase>/<int:number>/"
VIEWS: dict[str, Views] = {
    "shared-tasks/": ("shared_tasks", SharedTasks, {"get": "list_all"}),
    "shared-tasks/<slug:task>/": ("shared_task", SharedTasks, {"get": "show"}),
    "shared-tasks/<slug:task>/boards/": ("boards", SharedTasks, {"get": "list_boards"}),
    "shared-tasks/<slug:task>/boards/<slug:phase>/<int:subtask>/": (
        "board",
        SharedTasks,
        {"get": "show_board"},
    ),
    "shared-tasks/<slug:task>/submissions/": (
        "submissions",
        Submissions,
        {"get": "list_all", "post": "submit"},
    ),
    SUBMISSION: ("submission", OneSubmission, {"get": "show", "patch": "change"}),
    f"{SUBMISSION}choice/": ("submission_choice", OneSubmission, {"post": "choose"}),
    f"{SUBMISSION}withdrawal/": ("submission_withdrawal", OneSubmission, {"post": "withdraw"}),
}
