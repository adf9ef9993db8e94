"""URLs of the API."""

from django.urls import path, re_path

from surveys.web.api import reference
from surveys.web.api.access import people, webhooks
from surveys.web.api.base import ApiView
from surveys.web.api.collection import views as collection
from surveys.web.api.results import views as runs
from surveys.web.api.review import views as reviews
from surveys.web.api.studies import rows
from surveys.web.api.studies import views as studies

app_name = "api"
VIEWS: dict[str, type[ApiView]] = {"studies/": studies.Studies, "recipes/": runs.Recipes}
OF_A_STUDY: dict[str, type[ApiView]] = {
    "": studies.OneStudy,
    "pairs/": studies.Pairs,
    "pairs/<int:pair_id>/": rows.Row,
    "pairs/<int:pair_id>/revision/": rows.RowRevision,
    "pairs/<int:pair_id>/removal/": rows.RowRemoval,
    "stimuli/": studies.Stimuli,
    "design/": studies.Design,
    "texts/": studies.Texts,
    "consent-review/": studies.ConsentReview,
    "opening/": studies.Opening,
    "progress/": collection.Progress,
    "invitations/": collection.Invitations,
    "invitations/<int:invitation_id>/revocation/": collection.Revocation,
    "responses/": collection.Responses,
    "responses.csv": collection.ResponsesCsv,
    "responses.parquet": collection.ResponsesParquet,
    "reviews/": reviews.Reviews,
    "reviews/claims/": reviews.Claims,
    "reviews/disputes/": reviews.Disputes,
    "reviews/progress/": reviews.ReviewProgress,
    "reviews/settings/": reviews.ReviewSettings,
    "reviews/<int:review_id>/": reviews.OneReview,
    "reviews/<int:review_id>/verdict/": reviews.OneVerdict,
    "reviews/<int:review_id>/settlement/": reviews.Settlement,
    "runs/": runs.Runs,
    "runs/<int:run_id>/": runs.OneRun,
    "runs/<int:run_id>/retry/": runs.Retry,
    "runs/<int:run_id>/report/": runs.RunReport,
    "runs/<int:run_id>/files/": runs.RunFiles,
    "runs/<int:run_id>/ledger/": runs.Ledger,
    "runs/<int:run_id>/compared-with/<int:other_id>/": runs.Comparison,
    "releases/": runs.Releases,
    "releases/<int:run_id>/": runs.OneRelease,
    "releases/<int:run_id>/files/": runs.ReleaseFiles,
    "description/": runs.Description,
    "people/": people.People,
    "people/<int:member_id>/": people.Member,
    "log/": people.Log,
    "webhooks/": webhooks.Webhooks,
    "webhooks/<int:webhook_id>/": webhooks.OneWebhook,
    "webhooks/<int:webhook_id>/deliveries/": webhooks.Deliveries,
}
VIEWS |= {f"studies/<slug:slug>/{address}": view for address, view in OF_A_STUDY.items()}
urlpatterns = [
    path("", reference.reference, name="reference"),
    path("schema/", reference.schema, name="schema"),
    *(path(address, view.as_view(), name=view.action_name) for address, view in VIEWS.items()),
    re_path(r"^[\s\S]", reference.not_found, name="not_found"),  # `.` does not match a line break
]
