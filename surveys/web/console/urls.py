from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path, register_converter
from django.urls.converters import StringConverter

from surveys.access.roles import find_demonstrations
from surveys.features import load_objects
from surveys.models import TextKind
from surveys.models.participation import ANNOTATOR_CODE
from surveys.operations.mail_server import sends_mail
from surveys.recruitment.providers import list_pages
from surveys.web.console.access import Page
from surveys.web.console.account import tokens, webhooks
from surveys.web.console.account.password_reset import request_reset, reset_password
from surveys.web.console.account.second_factor import enter_code, second_factor
from surveys.web.console.account.sessions import account, address
from surveys.web.console.account.sign_in import (
    ResearcherSignInForm,
    change_password,
    choose_password,
    sign_in_by_link,
)
from surveys.web.console.account.single_sign_on import begin, finish, name_provider
from surveys.web.console.account.site import site
from surveys.web.console.collection import adjudication, annotators, second_look
from surveys.web.console.collection import blocks as collection
from surveys.web.console.privacy import views as privacy
from surveys.web.console.recruitment import links as recruitment
from surveys.web.console.recruitment import mails
from surveys.web.console.results import (
    comparisons,
    descriptions,
    families,
    jobs,
    pairs,
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
FAMILY = "families/<slug:family>/"
VIEWS: dict[str, tuple[str, Page]] = {
    "studies": ("", views.studies),
    "new_study": ("new/", stimuli.new_study),
    "audit": ("audit/", audits.audit),
    "families": ("families/", families.families),
    "new_family": ("new-family/", families.edit_family),
    "family": (FAMILY, families.family),
    "edit_family": (f"{FAMILY}edit/", families.edit_family),
    "delete_family": (f"{FAMILY}delete/", families.remove_family),
    "family_report": (f"{FAMILY}<int:run_id>/report/", families.family_report),
    "family_files": (f"{FAMILY}<int:run_id>/files/", families.family_files),
    "family_figure": (f"{FAMILY}<int:run_id>/<slug:figure>.<slug:form>", families.family_figure),
    "site": ("site/", site),
    "tokens": ("tokens/", tokens.tokens),
    "account": ("account/", account),
    "address": ("account/address/", address),
    "change_password": ("password/", change_password),
    "second_factor": ("second-factor/", second_factor),
    "revoke_token": ("tokens/<int:token_id>/revoke/", tokens.revoke),
}
COMPARISON = "results/comparisons/<int:run_id>"
OF_A_STUDY: dict[str, tuple[str, Page]] = {
    "overview": ("", views.overview),
    **{name: (f"{name}/", lifecycle.change_page(name)) for name in lifecycle.CHANGES},
    "duplicate": ("duplicate/", lifecycle.duplicate),
    "rehearsal": ("rehearsal/", rehearsals.rehearsal),
    "delete_rehearsal": ("rehearsal/delete/", rehearsals.delete_rehearsal),
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
    "close_entrance": ("recruitment/entrances/<int:entrance_id>/close/", recruitment.close),
    "collection": ("collection/", collection.collection),
    "gauge": ("collection/agreement/", collection.gauge),
    "block": ("collection/blocks/<int:number>/", collection.block),
    "gauge_block": ("collection/blocks/<int:number>/agreement/", collection.gauge_block),
    "repeat": ("collection/blocks/<int:number>/repeat/", collection.repeat),
    "undo_repeat": ("collection/blocks/<int:number>/repeat/undo/", collection.undo),
    "replace": ("collection/replacements/", collection.replace),
    "second_look": ("collection/second-look/", second_look.second_look),
    "open_look": ("collection/second-look/open/", second_look.open_look),
    "close_look": ("collection/second-look/close/", second_look.close_look),
    "annotators": ("collection/annotators/", annotators.annotators),
    "gauge_annotators": ("collection/agreement/annotators/", annotators.gauge_annotators),
    "annotator": ("collection/annotators/<code:code>/", annotators.annotator),
    "person": ("collection/annotators/<code:code>/person/", privacy.person),
    "export_person": ("collection/annotators/<code:code>/person/data/", privacy.export_person),
    "pay_person": ("collection/annotators/<code:code>/person/paid/", privacy.pay_person),
    "erase": ("collection/annotators/<code:code>/person/erase/", privacy.erase),
    "adjudication": ("collection/adjudication/", adjudication.adjudication),
    "adjudicate": ("collection/adjudication/<int:position>/", adjudication.adjudicate),
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
    "plots": ("runs/<int:run_id>/plots/", results.plots),
    "plot": ("runs/<int:run_id>/plots/<slug:plot>/<slug:form>/", results.plot),
    "download": ("runs/<int:run_id>/files/", results.download),
    "release": ("release/", releases.release),
    "translations": ("release/translations/", releases.translations),
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


def add_apps(pages: dict[str, tuple[str, Page]]) -> dict[str, tuple[str, Page]]:
    """Return pages of the console with those that apps place after them."""
    pages_of_apps = load_objects("console_urls")
    added: dict[str, tuple[str, Page]] = {}
    for name, page in pages.items():
        added[name] = page
        for places in pages_of_apps:
            added |= places.get(name, {})
    return added


VIEWS, OF_A_STUDY = add_apps(VIEWS), add_apps(OF_A_STUDY)
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
                extra_context={
                    "demonstrations": find_demonstrations,
                    "sends_mail": sends_mail,
                    "provider": name_provider,
                },
            )
        ),
        name="sign_in",
    ),
    path("sign-in/link/<int:user_id>/<str:token>/", sign_in_by_link, name="sign_in_link"),
    path("sign-in/forgotten/", request_reset, name="request_reset"),
    path("sign-in/link/<int:user_id>/<str:token>/password/", reset_password, name="reset_password"),
    path("sign-in/provider/", begin, name="single_sign_on"),
    path("sign-in/provider/return/", finish, name="single_sign_on_return"),
    path("sign-in/code/", enter_code, name="second_factor_code"),
    path("invited/<str:token>/", choose_password, name="choose_password"),
    path("sign-out/", LogoutView.as_view(), name="sign_out"),
    *(path(address, view, name=name) for name, (address, view) in VIEWS.items()),
    *(
        path(STUDY + page.path, recruitment.entrance, {"provider": provider}, name=page.name)
        for provider, page in list_pages().items()
    ),
]
