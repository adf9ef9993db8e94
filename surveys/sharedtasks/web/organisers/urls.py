from django.urls import path

from surveys.sharedtasks.web.organisers import (
    data,
    decisions,
    phases,
    published,
    scores,
    submissions,
    tasks,
    teams,
)
from surveys.web.console.access import Page

app_name = "organisers"
OF_A_TASK: dict[str, tuple[str, Page]] = {
    "overview": ("", tasks.overview),
    "data": ("data/", data.data),
    "add_release": ("data/release/", data.add_release),
    "add_files": ("data/files/", data.add_files),
    "add_track": ("data/subtasks/", data.add_subtask),
    "remove_track": ("data/subtasks/<int:number>/remove/", data.remove_subtask),
    "remove_data": ("data/<str:language>/remove/", data.remove_data),
    "phases": ("phases/", phases.phases),
    "add_phase": ("phases/new/", phases.add),
    "gwsc": ("phases/gwsc/", phases.gwsc),
    "phase": ("phases/of/<slug:name>/", phases.phase),
    "remove_phase": ("phases/of/<slug:name>/remove/", phases.remove),
    "kit": ("phases/of/<slug:name>/kit/", phases.kit),
    "codabench": ("phases/codabench/", phases.codabench),
    "bundle": ("phases/codabench/<int:subtask>/", phases.bundle),
    "rules": ("rules/", tasks.rules),
    "opening": ("opening/", tasks.opening),
    "teams": ("teams/", teams.teams),
    "invite_team": ("teams/new/", teams.invite),
    "team": ("teams/<int:team_id>/", teams.team),
    "link_team": ("teams/<int:team_id>/link/", teams.link_team),
    "accept_team": ("teams/<int:team_id>/accept/", teams.accept),
    "decline_team": ("teams/<int:team_id>/decline/", teams.decline),
    "exclude_team": ("teams/<int:team_id>/exclude/", decisions.exclude),
    "readmit_team": ("teams/<int:team_id>/readmit/", decisions.readmit),
    "merge_team": ("teams/<int:team_id>/merge/", decisions.merge),
    "allow_attempts": ("teams/<int:team_id>/attempts/", decisions.allow),
    "revoke_link": ("teams/links/<int:link_id>/take-back/", teams.revoke),
    "password_link": ("teams/members/<int:member_id>/password/", teams.password_link),
    "remove_member": ("teams/members/<int:member_id>/remove/", teams.leave),
    "submissions": ("submissions/", submissions.submissions),
    "days": ("submissions/days/", submissions.days),
    "baselines": ("submissions/baselines/", submissions.baselines),
    "own_files": ("submissions/own/", submissions.own_files),
    "submission": ("submissions/<int:submission_id>/", submissions.submission),
    "rescore": ("submissions/<int:submission_id>/score/", submissions.score_again),
    "submission_files": ("submissions/<int:submission_id>/files/", submissions.files),
    "scores": ("scores/", scores.scores),
    "correct": ("scores/correct/", scores.correct),
    "finalise": ("scores/finalise/", scores.finalise),
    "archive": ("scores/archive/", scores.make_archive),
    "publish": ("scores/publish/", scores.publish_results),
    "retract": ("scores/take-back/", scores.take_back),
    "scoring": ("scores/<int:number>/", scores.scoring),
    **{
        f"{name}_scores": (f"scores/<int:number>/{name}/", scores.decision_page(name))
        for name in scores.DECISIONS
    },
    "repeat_scores": ("scores/<int:number>/repeat/", scores.repeat),
    "import_published": ("scores/published/", published.import_published),
    "delete_published": ("scores/published/<slug:name>/delete/", published.delete_published),
    "organisers": ("organisers/", tasks.organisers),
    "remove_organiser": ("organisers/<int:user_id>/remove/", tasks.leave),
    "log": ("log/", tasks.log),
}
TASK = "<slug:slug>/"
urlpatterns = [
    path("", tasks.tasks, name="tasks"),
    path("new/", tasks.new_task, name="new_task"),
    *(path(TASK + address, view, name=name) for name, (address, view) in OF_A_TASK.items()),
]
