from django.urls import path

from surveys.api import collection, reference, runs, studies, webhooks

app_name = "api"
STUDY = "studies/<slug:slug>/"
urlpatterns = [
    path("", reference.reference, name="reference"),
    path("schema/", reference.schema, name="schema"),
    path("studies/", studies.Studies.as_view(), name="studies"),
    path(STUDY, studies.OneStudy.as_view(), name="study"),
    path(f"{STUDY}pairs/", studies.Pairs.as_view(), name="pairs"),
    path(f"{STUDY}design/", studies.Design.as_view(), name="design"),
    path(f"{STUDY}progress/", studies.Progress.as_view(), name="progress"),
    path(f"{STUDY}invitations/", collection.Invitations.as_view(), name="invitations"),
    path(
        f"{STUDY}invitations/<int:invitation_id>/revocation/",
        collection.Revocation.as_view(),
        name="revocation",
    ),
    path(f"{STUDY}responses/", collection.Responses.as_view(), name="responses"),
    path(f"{STUDY}responses.csv", collection.ResponsesCsv.as_view(), name="responses_csv"),
    path(
        f"{STUDY}responses.parquet",
        collection.ResponsesParquet.as_view(),
        name="responses_parquet",
    ),
    path("recipes/", runs.Recipes.as_view(), name="recipes"),
    path(f"{STUDY}runs/", runs.Runs.as_view(), name="runs"),
    path(f"{STUDY}runs/<int:run_id>/", runs.OneRun.as_view(), name="run"),
    path(f"{STUDY}runs/<int:run_id>/retry/", runs.Retry.as_view(), name="retry"),
    path(f"{STUDY}runs/<int:run_id>/report/", runs.RunReport.as_view(), name="run_report"),
    path(f"{STUDY}runs/<int:run_id>/files/", runs.RunFiles.as_view(), name="run_files"),
    path(f"{STUDY}runs/<int:run_id>/ledger/", runs.Ledger.as_view(), name="ledger"),
    path(
        f"{STUDY}runs/<int:run_id>/compared-with/<int:other_id>/",
        runs.Comparison.as_view(),
        name="comparison",
    ),
    path(f"{STUDY}releases/", runs.Releases.as_view(), name="releases"),
    path(f"{STUDY}releases/<int:run_id>/", runs.OneRelease.as_view(), name="release"),
    path(f"{STUDY}releases/<int:run_id>/files/", runs.ReleaseFiles.as_view(), name="release_files"),
    path(f"{STUDY}description/", runs.Description.as_view(), name="description"),
    path(f"{STUDY}webhooks/", webhooks.Webhooks.as_view(), name="webhooks"),
    path(f"{STUDY}webhooks/<int:webhook_id>/", webhooks.OneWebhook.as_view(), name="webhook"),
    path(
        f"{STUDY}webhooks/<int:webhook_id>/deliveries/",
        webhooks.Deliveries.as_view(),
        name="deliveries",
    ),
    path("<path:anything>", reference.not_found, name="not_found"),
]
