from django.urls import path

from surveys.web.console.access import Page
from surveys.web.console.sharedtasks import data, phases, scores, submissions, tasks, teams

app_name = "organisers"
OF_A_TASK: dict[str, tuple[str, Page]] = {
    "overview": ("", tasks.overview),
    "data": ("data/", data.data),
    "add_release": ("data/release/", data.add_release),
    "add_files": ("data/files/", data.add_files),
    "remove_data": ("data/<str:language>/remove/", data.remove_data),
    "phases": ("phases/", phases.phases),
    "add_phase": ("phases/new/", phases.add),
    "gwsc": ("phases/gwsc/", phases.gwsc),
    "phase": ("phases/of/<slug:name>/", phases.phase),
    "remove_phase": ("phases/of/<slug:name>/remove/", phases.remove),
    "rules": ("rules/", tasks.rules),
    "opening": ("opening/", tasks.opening),
    "teams": ("teams/", teams.teams),
    "invite_team": ("teams/new/", teams.invite),
    "team": ("teams/<int:team_id>/", teams.team),
    "link_team": ("teams/<int:team_id>/link/", teams.link_team),
    "accept_team": ("teams/<int:team_id>/accept/", teams.accept),
    "decline_team": ("teams/<int:team_id>/decline/", teams.decline),
    "revoke_link": ("teams/links/<int:link_id>/take-back/", teams.revoke),
    "password_link": ("teams/members/<int:member_id>/password/", teams.password_link),
    "remove_member": ("teams/members/<int:member_id>/remove/", teams.leave),
    "submissions": ("submissions/", submissions.submissions),
    "scores": ("scores/", scores.scores),
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
