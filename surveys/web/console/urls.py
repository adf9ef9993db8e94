from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path, register_converter
from django.urls.converters import StringConverter

from surveys.access.roles import find_demonstration
from surveys.models import TextKind
from surveys.models.participation import ANNOTATOR_CODE
from surveys.recruitment.providers import list_pages
from surveys.web.console.access import Page
from surveys.web.console.account import tokens, webhooks
from surveys.web.console.account.sign_in import (
    ResearcherSignInForm,
    change_password,
    choose_password,
    sign_in_by_link,
)
from surveys.web.console.collection import annotators
from surveys.web.console.collection import blocks as collection
from surveys.web.console.contexts import pairs as context_pairs
from surveys.web.console.contexts import searches
from surveys.web.console.contexts import views as contexts
from surveys.web.console.crowd import batches
from surveys.web.console.crowd import people as batch_people
from surveys.web.console.crowd import visits as batch_visits
from surveys.web.console.privacy import views as privacy
from surveys.web.console.recruitment import mails, prolific
from surveys.web.console.recruitment import views as recruitment
from surveys.web.console.results import (
    comparisons,
    descriptions,
    jobs,
    pairs,
    plots,
    recipes,
    releases,
)
from surveys.web.console.results import runs as results
from surveys.web.console.review import views as review
from surveys.web.console.study import audits, design, lifecycle, preview, rehearsals, stimuli
from surveys.web.console.study import overview as views
from surveys.web.sign_in import limit_sign_ins


class AnnotatorCode(StringConverter):
    """The code of an annotator; a URL with anything else is not found without a query."""

    regex = ANNOTATOR_CODE


register_converter(AnnotatorCode, "code")
app_name = "console"
VIEWS: dict[str, tuple[str, Page]] = {
    "studies": ("", views.studies),
    "new_study": ("new/", stimuli.new_study),
    "audit": ("audit/", audits.audit),
    "begin_contexts": ("new/contexts/", contexts.begin),
    "tokens": ("tokens/", tokens.tokens),
    "change_password": ("password/", change_password),
    "revoke_token": ("tokens/<int:token_id>/revoke/", tokens.revoke),
}
BATCH = "recruitment/batches/<int:batch_id>"
VISIT = f"{BATCH}/people/<int:visit_id>"
COMPARISON = "results/comparisons/<int:run_id>"
OF_A_STUDY: dict[str, tuple[str, Page]] = {
    "overview": ("", views.overview),
    **{name: (f"{name}/", lifecycle.change_page(name)) for name in lifecycle.CHANGES},
    "duplicate": ("duplicate/", lifecycle.duplicate),
    "rehearsal": ("rehearsal/", rehearsals.rehearsal),
    "delete_rehearsal": ("rehearsal/delete/", rehearsals.delete_rehearsal),
    "contexts": ("contexts/", contexts.contexts),
    "candidates_file": ("contexts/file/", contexts.candidates_file),
    "contexts_settings": ("contexts/settings/", contexts.settings),
    "use_stimuli": ("contexts/stimuli/", contexts.use_stimuli),
    "search_contexts": ("contexts/search/", searches.search_contexts),
    "cancel_search": ("contexts/search/<int:run_id>/cancel/", searches.cancel),
    "pick_by_scores": ("contexts/scores/", searches.pick_by_scores),
    "search_pair": ("contexts/<int:number>/search/", searches.search_pair),
    "candidates": ("contexts/<int:number>/", context_pairs.candidates),
    "undo_choice": ("contexts/<int:number>/undo/", context_pairs.undo),
    "stimuli": ("stimuli/", stimuli.stimuli),
    "replace_file": ("stimuli/file/", stimuli.replace_file),
    "checkpoints": ("stimuli/checkpoints/", stimuli.show_checkpoints),
    "row": ("stimuli/<int:pair_id>/", stimuli.row),
    "remove_row": ("stimuli/<int:pair_id>/drop/", stimuli.remove_row),
    "design": ("design/", design.design),
    "workload": ("design/workload/", design.workload),
    "text": ("design/texts/<str:kind>/", design.text),
    "practice_rows": ("design/texts/practice/form/", design.rows_page(TextKind.PRACTICE)),
    "check_rows": ("design/texts/check/form/", design.rows_page(TextKind.CHECK)),
    "opening": ("open/", design.opening),
    "preview": ("preview/", preview.welcome),
    "preview_instructions": ("preview/instructions/", preview.instructions),
    "preview_practice": ("preview/practice/", preview.practice_words),
    "preview_practice_rating": ("preview/practice/rating/", preview.practice_rating),
    "preview_practice_answer": ("preview/practice/answer/", preview.practice_answer),
    "preview_check": ("preview/check/", preview.check),
    "preview_words": ("preview/texts/<int:context_id>/words/", preview.words),
    "preview_rating": ("preview/texts/<int:context_id>/rating/", preview.rating),
    "preview_thanks": ("preview/thanks/", preview.thanks),
    "recruitment": ("recruitment/", recruitment.recruitment),
    "invite": ("recruitment/invite/", recruitment.invite),
    "export_links": ("recruitment/links.csv", recruitment.export),
    **{
        f"export_{kind}s": (f"recruitment/{kind}s.csv", recruitment.mails_page(kind))
        for kind in sorted(TextKind.mails())
    },
    **{
        f"send_{kind}s": (f"recruitment/mails/{kind}s/", mails.send_page(kind))
        for kind in sorted(TextKind.mails())
    },
    "mails": ("recruitment/mails/", mails.mails),
    "retry_mails": ("recruitment/mails/again/", mails.retry_mails),
    "cancel_mails": ("recruitment/mails/cancel/", mails.cancel_mails),
    "no_mail": ("recruitment/links/<int:invitation_id>/no-mail/", mails.no_mail),
    "invitation": ("recruitment/links/<int:invitation_id>/", recruitment.invitation),
    "forget": ("recruitment/links/<int:invitation_id>/forget/", recruitment.forget),
    "prolific_export": ("recruitment/prolific/export/", prolific.prolific_export),
    "close_entrance": ("recruitment/entrances/<int:entrance_id>/close/", recruitment.close),
    "batches": ("recruitment/batches/", batches.batches),
    "plan_batch": ("recruitment/batches/new/", batches.plan),
    "batch_cost": ("recruitment/batches/workload/", batches.calculate),
    "batch": (f"{BATCH}/", batches.batch),
    "arm_batch": (f"{BATCH}/arm/", batches.arm),
    "disarm_batch": (f"{BATCH}/disarm/", batches.disarm),
    "drop_batch": (f"{BATCH}/drop/", batches.drop),
    "stop_batch": (f"{BATCH}/stop/", batches.stop),
    "work_batch": (f"{BATCH}/work/", batches.work),
    "batch_ledger": (f"{BATCH}/ledger/", batches.ledger),
    "batch_people": (f"{BATCH}/people/", batch_people.people),
    "batch_bonus": (f"{BATCH}/people/bonus/", batch_people.bonus),
    "batch_choose": (f"{BATCH}/people/chosen/", batch_people.choose),
    "visit": (f"{VISIT}/", batch_visits.visit),
    **{
        f"{name}_visit": (f"{VISIT}/{name}/", batch_visits.decision_page(name))
        for name in batch_visits.DECISIONS
    },
    "collection": ("collection/", collection.collection),
    "gauge": ("collection/agreement/", collection.gauge),
    "block": ("collection/blocks/<int:number>/", collection.block),
    "gauge_block": ("collection/blocks/<int:number>/agreement/", collection.gauge_block),
    "repeat": ("collection/blocks/<int:number>/repeat/", collection.repeat),
    "undo_repeat": ("collection/blocks/<int:number>/repeat/undo/", collection.undo),
    "replace": ("collection/replacements/", collection.replace),
    "annotators": ("collection/annotators/", annotators.annotators),
    "gauge_annotators": ("collection/agreement/annotators/", annotators.gauge_annotators),
    "annotator": ("collection/annotators/<code:code>/", annotators.annotator),
    "person": ("collection/annotators/<code:code>/person/", privacy.person),
    "export_person": ("collection/annotators/<code:code>/person/data/", privacy.export_person),
    "pay_person": ("collection/annotators/<code:code>/person/paid/", privacy.pay_person),
    "erase": ("collection/annotators/<code:code>/person/erase/", privacy.erase),
    "context": ("collection/contexts/<int:position>/<int:number>/", annotators.context),
    "review": ("review/", review.review),
    "review_more": ("review/more/", review.review_more),
    "review_file": ("review/file/", review.review_file),
    "review_one": ("review/<int:number>/", review.review_one),
    "review_effect": ("review/<int:number>/effect/", review.review_effect),
    "review_undo": ("review/<int:number>/undo/", review.review_undo),
    "review_settle": ("review/<int:number>/settle/", review.review_settle),
    "review_questionnaires": ("review/questionnaires/", review.review_questionnaires),
    "review_disputes": ("review/disputes/", review.review_disputes),
    "review_agreement": ("review/agreement/", review.review_agreement),
    "review_settings": ("review/settings/", review.review_settings),
    "jobs": ("errands/", jobs.jobs),  # the address of old bookmarks
    "results": ("results/", recipes.results),
    "recipe_text": ("results/toml/", recipes.recipe_text),
    "compare": ("results/compare/", results.compare),
    "comparisons": ("results/comparisons/", comparisons.comparisons),
    "new_collection": ("results/comparisons/collections/new/", comparisons.new_collection),
    "remove_collection": (
        "results/comparisons/collections/<int:number>/remove/",
        comparisons.remove_collection,
    ),
    "comparison": (f"{COMPARISON}/", comparisons.comparison),
    "comparison_report": (f"{COMPARISON}/report/", comparisons.comparison_report),
    "comparison_files": (f"{COMPARISON}/files/", comparisons.comparison_files),
    "comparison_plot": (
        f"{COMPARISON}/plots/<slug:plot>/<slug:form>/",
        comparisons.comparison_plot,
    ),
    "retry_comparison": (f"{COMPARISON}/retry/", comparisons.retry_comparison),
    "run": ("runs/<int:run_id>/", results.run),
    "retry": ("runs/<int:run_id>/retry/", results.retry),
    "report": ("runs/<int:run_id>/report/", results.report),
    "ledger": ("runs/<int:run_id>/ledger/", results.ledger),
    "pairs": ("runs/<int:run_id>/pairs/", pairs.pairs),
    "pair": ("runs/<int:run_id>/pairs/<int:row>/", pairs.pair),
    "plots": ("runs/<int:run_id>/plots/", plots.plots),
    "plot": ("runs/<int:run_id>/plots/<slug:plot>/<slug:form>/", plots.plot),
    "download": ("runs/<int:run_id>/files/", results.download),
    "release": ("release/", releases.release),
    "release_page": ("release/<int:number>/page/", releases.release_page),
    "verify_release": ("release/<int:number>/verification/", releases.verify),
    "deposit": ("release/<int:number>/deposit/<str:repository>/", releases.deposit),
    "differences": ("release/<int:number>/differences/", releases.differences),
    "description": ("release/description/", descriptions.description),
    "description_text": ("release/description/toml/", descriptions.description_text),
    "people": ("people/", views.people),
    "invite_person": ("people/invite/", views.invite_person),
    "leave": ("people/<int:user_id>/remove/", views.leave),
    "webhooks": ("webhooks/", webhooks.webhooks),
    "webhook": ("webhooks/<int:webhook_id>/", webhooks.webhook),
    "remove_webhook": ("webhooks/<int:webhook_id>/remove/", webhooks.remove),
    "privacy": ("privacy/", privacy.privacy),
    "find_person": ("privacy/find/", privacy.find),
    "pay": ("privacy/paid/", privacy.pay),
    "settle": ("privacy/settled/", privacy.settle),
    "drop": ("privacy/drop/", privacy.drop),
    "log": ("log/", views.log),
    "export_log": ("log.csv", views.export_log),
}
STUDY = "studies/<slug:slug>/"
VIEWS |= {name: (STUDY + address, view) for name, (address, view) in OF_A_STUDY.items()}
urlpatterns = [
    path(
        "sign-in/",
        limit_sign_ins(
            LoginView.as_view(
                template_name="console/account/sign_in.html",
                authentication_form=ResearcherSignInForm,
                redirect_authenticated_user=True,
                extra_context={"demonstration": find_demonstration},
            )
        ),
        name="sign_in",
    ),
    path("sign-in/link/<int:user_id>/<str:token>/", sign_in_by_link, name="sign_in_link"),
    path("invited/<str:token>/", choose_password, name="choose_password"),
    path("sign-out/", LogoutView.as_view(), name="sign_out"),
    *(path(address, view, name=name) for name, (address, view) in VIEWS.items()),
    *(
        path(STUDY + page.path, recruitment.entrance, {"provider": provider}, name=page.name)
        for provider, page in list_pages().items()
    ),
]
