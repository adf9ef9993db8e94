from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from surveys.console import (
    annotators,
    collection,
    design,
    errands,
    preview,
    privacy,
    recruitment,
    releases,
    results,
    review,
    stimuli,
    tokens,
    views,
)
from surveys.models import Provider

app_name = "console"
urlpatterns = [
    path("", views.studies, name="studies"),
    path(
        "sign-in/",
        LoginView.as_view(template_name="console/sign_in.html", redirect_authenticated_user=True),
        name="sign_in",
    ),
    path("sign-out/", LogoutView.as_view(), name="sign_out"),
    path("new/", stimuli.new_study, name="new_study"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", tokens.revoke, name="revoke_token"),
    path("studies/<slug:slug>/", views.overview, name="overview"),
    path("studies/<slug:slug>/stimuli/", stimuli.stimuli, name="stimuli"),
    path("studies/<slug:slug>/stimuli/file/", stimuli.replace_file, name="replace_file"),
    path("studies/<slug:slug>/stimuli/<int:pair_id>/", stimuli.row, name="row"),
    path("studies/<slug:slug>/stimuli/<int:pair_id>/drop/", stimuli.remove_row, name="remove_row"),
    path("studies/<slug:slug>/design/", design.design, name="design"),
    path("studies/<slug:slug>/design/reckoning/", design.reckoning, name="reckoning"),
    path("studies/<slug:slug>/design/texts/<str:kind>/", design.text, name="text"),
    path("studies/<slug:slug>/open/", design.opening, name="opening"),
    *(
        path(f"studies/<slug:slug>/preview/{address}", view, name=name)
        for address, view, name in (
            ("", preview.welcome, "preview"),
            ("instructions/", preview.instructions, "preview_instructions"),
            ("practice/", preview.practice_words, "preview_practice"),
            ("practice/rating/", preview.practice_rating, "preview_practice_rating"),
            ("practice/answer/", preview.practice_answer, "preview_practice_answer"),
            ("check/", preview.check, "preview_check"),
            ("texts/<int:context_id>/words/", preview.words, "preview_words"),
            ("texts/<int:context_id>/rating/", preview.rating, "preview_rating"),
            ("thanks/", preview.thanks, "preview_thanks"),
        )
    ),
    path("studies/<slug:slug>/recruitment/", recruitment.recruitment, name="recruitment"),
    path("studies/<slug:slug>/recruitment/invite/", recruitment.invite, name="invite"),
    path("studies/<slug:slug>/recruitment/links.csv", recruitment.export, name="export_links"),
    path(
        "studies/<slug:slug>/recruitment/links/<int:invitation_id>/",
        recruitment.invitation,
        name="invitation",
    ),
    path(
        "studies/<slug:slug>/recruitment/links/<int:invitation_id>/forget/",
        recruitment.forget,
        name="forget",
    ),
    path(
        "studies/<slug:slug>/recruitment/open-link/",
        recruitment.entrance,
        {"provider": Provider.LINK},
        name="open_link",
    ),
    path(
        "studies/<slug:slug>/recruitment/prolific/",
        recruitment.entrance,
        {"provider": Provider.PROLIFIC},
        name="prolific",
    ),
    path(
        "studies/<slug:slug>/recruitment/entrances/<int:entrance_id>/close/",
        recruitment.close,
        name="close_entrance",
    ),
    path("studies/<slug:slug>/collection/", collection.collection, name="collection"),
    path("studies/<slug:slug>/collection/agreement/", collection.gauge, name="gauge"),
    path("studies/<slug:slug>/collection/blocks/<int:number>/", collection.block, name="block"),
    path(
        "studies/<slug:slug>/collection/blocks/<int:number>/agreement/",
        collection.gauge_block,
        name="gauge_block",
    ),
    path(
        "studies/<slug:slug>/collection/blocks/<int:number>/repeat/",
        collection.repeat,
        name="repeat",
    ),
    path("studies/<slug:slug>/collection/annotators/", annotators.annotators, name="annotators"),
    path(
        "studies/<slug:slug>/collection/annotators/<str:code>/",
        annotators.annotator,
        name="annotator",
    ),
    *(
        path(f"studies/<slug:slug>/collection/annotators/<str:code>/{address}", view, name=name)
        for address, view, name in (
            ("person/", privacy.person, "person"),
            ("person/data/", privacy.export_person, "export_person"),
            ("person/paid/", privacy.pay_person, "pay_person"),
            ("person/erase/", privacy.erase, "erase"),
        )
    ),
    path(
        "studies/<slug:slug>/collection/contexts/<int:position>/<int:number>/",
        annotators.context,
        name="context",
    ),
    path("studies/<slug:slug>/review/", review.review, name="review"),
    path("studies/<slug:slug>/review/more/", review.review_more, name="review_more"),
    path("studies/<slug:slug>/review/<int:number>/", review.review_one, name="review_one"),
    path("studies/<slug:slug>/review/<int:number>/undo/", review.review_undo, name="review_undo"),
    path(
        "studies/<slug:slug>/review/<int:number>/settle/",
        review.review_settle,
        name="review_settle",
    ),
    path(
        "studies/<slug:slug>/review/questionnaires/",
        review.review_questionnaires,
        name="review_questionnaires",
    ),
    path("studies/<slug:slug>/review/disputes/", review.review_disputes, name="review_disputes"),
    path("studies/<slug:slug>/review/agreement/", review.review_agreement, name="review_agreement"),
    path("studies/<slug:slug>/review/settings/", review.review_settings, name="review_settings"),
    path("studies/<slug:slug>/errands/", errands.errands, name="errands"),
    path("studies/<slug:slug>/results/", results.results, name="results"),
    path("studies/<slug:slug>/results/compare/", results.compare, name="compare"),
    path("studies/<slug:slug>/runs/<int:run_id>/", results.run, name="run"),
    path("studies/<slug:slug>/runs/<int:run_id>/retry/", results.retry, name="retry"),
    path("studies/<slug:slug>/runs/<int:run_id>/report/", results.report, name="report"),
    path("studies/<slug:slug>/runs/<int:run_id>/ledger/", results.ledger, name="ledger"),
    path("studies/<slug:slug>/runs/<int:run_id>/files/", results.download, name="download"),
    path("studies/<slug:slug>/release/", releases.release, name="release"),
    path("studies/<slug:slug>/people/", views.people, name="people"),
    path("studies/<slug:slug>/people/<int:user_id>/remove/", views.leave, name="leave"),
    path("studies/<slug:slug>/privacy/", privacy.privacy, name="privacy"),
    path("studies/<slug:slug>/privacy/find/", privacy.find, name="find_person"),
    path("studies/<slug:slug>/privacy/paid/", privacy.pay, name="pay"),
    path("studies/<slug:slug>/privacy/settled/", privacy.settle, name="settle"),
    path("studies/<slug:slug>/privacy/drop/", privacy.drop, name="drop"),
    path("studies/<slug:slug>/log/", views.log, name="log"),
    path("studies/<slug:slug>/log.csv", views.export_log, name="export_log"),
]
