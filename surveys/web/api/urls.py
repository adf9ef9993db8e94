"""URLs of the API."""

from django.urls import path, re_path

from surveys.features import load_objects
from surveys.web.api import reference
from surveys.web.api.access.people import Log, People
from surveys.web.api.access.webhooks import Webhooks
from surveys.web.api.base import Views
from surveys.web.api.collection.views import Invitations, Progress, Responses, SecondAnswers
from surveys.web.api.results.comparisons import Collections, Comparisons
from surveys.web.api.results.views import Recipes, Releases, Runs
from surveys.web.api.review.views import Reviews, Settings
from surveys.web.api.studies.rows import Rows
from surveys.web.api.studies.views import OneStudy, Stimuli, Studies

app_name = "api"
VIEWS: dict[str, Views] = {
    "studies/": ("studies", Studies, {"get": "list_all", "post": "create"}),
    "recipes/": ("recipes", Recipes, {"get": "list_all"}),
}
OF_A_STUDY: dict[str, Views] = {
    "": ("study", OneStudy, {"get": "show"}),
    "pairs/": ("pairs", OneStudy, {"get": "list_pairs"}),
    "pairs/<int:pair_id>/": ("row", Rows, {"get": "show"}),
    "pairs/<int:pair_id>/revision/": ("row_revision", Rows, {"post": "revise"}),
    "pairs/<int:pair_id>/removal/": ("row_removal", Rows, {"post": "remove"}),
    "stimuli/": ("stimuli", Stimuli, {"put": "replace"}),
    "design/": ("design", OneStudy, {"get": "show_design", "patch": "change_design"}),
    "texts/": ("texts", OneStudy, {"get": "show_texts", "patch": "change_texts"}),
    "consent-review/": ("consent_review", OneStudy, {"post": "review_consent"}),
    "opening/": ("opening", OneStudy, {"post": "open"}),
    "progress/": ("progress", Progress, {"get": "show"}),
    "invitations/": ("invitations", Invitations, {"get": "list_all", "post": "create"}),
    "invitations/<int:invitation_id>/revocation/": ("revocation", Invitations, {"post": "revoke"}),
    "responses/": ("responses", Responses, {"get": "list_all"}),
    "responses.csv": ("responses_csv", Responses, {"get": "export_csv"}),
    "responses.parquet": ("responses_parquet", Responses, {"get": "export_parquet"}),
    "second-answers/": ("second_answers", SecondAnswers, {"get": "list_all"}),
    "reviews/": ("reviews", Reviews, {"get": "list_all"}),
    "reviews/claims/": ("review_claims", Reviews, {"post": "claim"}),
    "reviews/adjudications/": ("adjudications", Reviews, {"get": "list_adjudications"}),
    "reviews/disputes/": ("disputes", Reviews, {"get": "list_disputes"}),
    "reviews/progress/": ("review_progress", Reviews, {"get": "show_progress"}),
    "reviews/settings/": ("review_settings", Settings, {"get": "show", "patch": "change"}),
    "reviews/<int:review_id>/": ("review", Reviews, {"get": "show"}),
    "reviews/<int:review_id>/effect/": ("review_effect", Reviews, {"post": "weigh"}),
    "reviews/<int:review_id>/verdict/": ("verdict", Reviews, {"post": "judge", "delete": "undo"}),
    "reviews/<int:review_id>/settlement/": ("settlement", Reviews, {"post": "settle"}),
    "runs/": ("runs", Runs, {"get": "list_all", "post": "create"}),
    "runs/<int:run_id>/": ("run", Runs, {"get": "show"}),
    "runs/<int:run_id>/retry/": ("retry", Runs, {"post": "retry"}),
    "runs/<int:run_id>/report/": ("run_report", Runs, {"get": "show_report"}),
    "runs/<int:run_id>/files/": ("run_files", Runs, {"get": "send_files"}),
    "runs/<int:run_id>/ledger/": ("ledger", Runs, {"get": "search_ledger"}),
    "runs/<int:run_id>/compared-with/<int:other_id>/": ("comparison", Runs, {"get": "compare"}),
    "collections/": ("collections", Collections, {"get": "list_all", "post": "create"}),
    "collections/<int:collection_id>/": ("collection", Collections, {"delete": "remove"}),
    "comparisons/": ("comparisons", Comparisons, {"get": "list_all", "post": "create"}),
    "comparisons/<int:run_id>/": ("compared", Comparisons, {"get": "show"}),
    "comparisons/<int:run_id>/report/": ("compared_report", Comparisons, {"get": "show_report"}),
    "comparisons/<int:run_id>/files/": ("compared_files", Comparisons, {"get": "send_files"}),
    "releases/": ("releases", Releases, {"get": "list_all", "post": "create"}),
    "releases/<int:run_id>/": ("release", Releases, {"get": "show"}),
    "releases/<int:run_id>/files/": ("release_files", Releases, {"get": "send_files"}),
    "releases/<int:run_id>/verification/": (
        "verification",
        Releases,
        {"get": "show_verification", "post": "verify"},
    ),
    "releases/<int:run_id>/differences/": ("differences", Releases, {"get": "list_differences"}),
    "description/": ("description", Releases, {"get": "describe"}),
    "people/": ("people", People, {"get": "list_all", "post": "grant"}),
    "people/<int:member_id>/": ("member", People, {"delete": "remove"}),
    "log/": ("log", Log, {"get": "list_all"}),
    "webhooks/": ("webhooks", Webhooks, {"get": "list_all", "post": "create"}),
    "webhooks/<int:webhook_id>/": (
        "webhook",
        Webhooks,
        {"get": "show", "patch": "change", "delete": "remove"},
    ),
    "webhooks/<int:webhook_id>/deliveries/": ("deliveries", Webhooks, {"get": "list_deliveries"}),
}
for views_of_app in load_objects("api_urls"):
    VIEWS |= views_of_app
VIEWS |= {f"studies/<slug:slug>/{address}": views for address, views in OF_A_STUDY.items()}
urlpatterns = [
    path("", reference.reference, name="reference"),
    path("schema/", reference.schema, name="schema"),
    *(
        path(address, views.as_view(actions, action_name=name), name=name)
        for address, (name, views, actions) in VIEWS.items()
    ),
    re_path(r"^[\s\S]", reference.not_found, name="not_found"),  # `.` does not match a line break
]
