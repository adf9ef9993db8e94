from django.contrib.auth.views import LogoutView
from django.urls import path

from surveys.sharedtasks.web.access import Page, public_page
from surveys.sharedtasks.web.public import archive, boards, overview, published, results
from surveys.sharedtasks.web.team import (
    accounts,
    home,
    members,
    submissions,
    submitting,
)
from surveys.web.sign_in import limit_sign_ins

app_name = "sharedtasks"
# No shared task has the first part of these URLs as its name: `sharedtasks.tasks.RESERVED`.
ACCOUNTS: dict[str, tuple[str, Page]] = {
    "sign_in": ("sign-in/", limit_sign_ins(accounts.SignIn.as_view())),
    "sign_out": ("sign-out/", LogoutView.as_view(next_page="sharedtasks:sign_in")),
    "account": ("account/", accounts.account),
    "change_password": ("account/password/", accounts.change_password),
    "tokens": ("account/tokens/", accounts.tokens),
    "revoke_token": ("account/tokens/<int:token_id>/revoke/", accounts.revoke_own_token),
    "invitation": ("invitation/<str:token>/", accounts.invitation),
}
BOARD = "<slug:slug>/board/<slug:phase>/<int:subtask>/"
PUBLISHED = "<slug:slug>/published/<slug:name>/"
RESULT = "<slug:slug>/results/<slug:code>/"
PUBLIC: dict[str, tuple[str, Page]] = {
    "tasks": ("", overview.tasks),
    "overview": ("<slug:slug>/", overview.overview),
    "kit": ("<slug:slug>/kit/<slug:name>/", overview.kit),
    "register": ("<slug:slug>/register/", accounts.register),
    "board": (BOARD, boards.board),
    "board_file": (f"{BOARD}board.<str:ending>", boards.board_file),
    "result": (RESULT, results.result),
    "result_predictions": (
        f"{RESULT}predictions_<int:subtask>_<str:language>.<str:form>", results.predictions,
    ),
    "result_mteb": (f"{RESULT}mteb_<int:subtask>.json", results.for_mteb),
    "result_hub": (f"{RESULT}eval_results.yaml", results.for_hub),
    "published": (PUBLISHED, published.published),
    "published_file": (f"{PUBLISHED}<str:file>.tsv", published.published_file),
    "archive": ("<slug:slug>/archive/", archive.archive),
    "archive_zip": ("<slug:slug>/archive.zip", archive.archive_zip),
    "archived": ("<slug:slug>/archive/<path:path>", archive.archived),
}  # fmt: skip
SUBMISSION = "submissions/<slug:phase>/<int:number>/"
OF_A_TEAM: dict[str, tuple[str, Page]] = {
    "team": ("", home.home),
    "terms": ("terms/", home.terms),
    "submit": ("submit/", submitting.choose_files),
    "checked": ("submit/<int:upload_id>/", submitting.checked),
    "submissions": ("submissions/", submissions.submissions),
    "submission": (SUBMISSION, submissions.submission),
    "download": (f"{SUBMISSION}files/", submissions.download),
    "withdraw_submission": (f"{SUBMISSION}withdraw/", submissions.withdraw),
    "choice": ("choice/", submissions.choice),
    "description": ("description/", home.description),
    "members": ("members/", members.members),
    "make_invitation": ("members/links/", members.make_invitation),
    "revoke_invitation": ("members/links/<int:link_id>/revoke/", members.revoke_invitation),
    "promote": ("members/<int:member_id>/captain/", members.promote),
    "remove": ("members/<int:member_id>/remove/", members.remove),
    "rename": ("name/", members.rename),
    "withdraw": ("withdraw/", members.withdraw),
}
TEAM = "<slug:slug>/team/"
urlpatterns = [
    *(path(address, view, name=name) for name, (address, view) in ACCOUNTS.items()),
    *(path(address, public_page(view), name=name) for name, (address, view) in PUBLIC.items()),
    *(path(TEAM + address, view, name=name) for name, (address, view) in OF_A_TEAM.items()),
]
