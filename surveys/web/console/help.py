"""The part of the documentation that explains each page of the console."""

from functools import cache

from django.conf import settings
from django.http import HttpRequest

from surveys.features import find_area, merge_mappings

FIRST = "docs/console.html"
_BY_SECTION = {
    "docs/console.html#accounts-and-roles": (
        "sign_in sign_in_link choose_password sign_out change_password address request_reset "
        "reset_password single_sign_on single_sign_on_return people invite_person leave"
    ),
    "docs/console.html#finding-the-way": (
        "studies overview close reopen archive restore duplicate"
    ),
    "docs/console.html#rehearsals": "rehearsal delete_rehearsal",
    "docs/console.html#a-new-study": "new_study opening",
    "docs/console.html#stimuli": "stimuli replace_file row remove_row checkpoints",
    "docs/console.html#design": "design text practice_rows check_rows",
    "docs/survey.html#how-long-it-takes": "workload",
    "docs/console.html#preview": (
        "preview preview_instructions preview_practice preview_practice_rating "
        "preview_practice_answer preview_check preview_words preview_rating preview_thanks"
    ),
    "docs/console.html#recruitment": (
        "recruitment invite export_links export_invitations export_reminders invitation "
        "close_entrance open_link"
    ),
    "docs/console.html#e-mail": (
        "mails send_invitations send_reminders cancel_mails retry_mails no_mail"
    ),
    "docs/crowds.html#prolific": "prolific",
    "docs/console.html#collection": (
        "collection gauge block gauge_block repeat undo_repeat replace annotators "
        "gauge_annotators annotator context"
    ),
    "docs/console.html#second-look": "second_look open_look close_look",
    "docs/console.html#adjudication": "adjudication adjudicate",
    "docs/console.html#review": "review review_more review_file review_one review_undo",
    "docs/console.html#effect-on-the-results": "review_effect",
    "docs/console.html#samples-two-reviewers": (
        "review_settle review_questionnaires review_disputes review_agreement review_settings"
    ),
    "docs/console.html#results": (
        "results recipe_text compare run retry report pairs pair plots plot download"
    ),
    "docs/console.html#compare-with-another-collection": (
        "comparisons comparison comparison_report comparison_files comparison_plot "
        "retry_comparison new_collection remove_collection"
    ),
    "docs/console.html#families": (
        "families new_family family edit_family delete_family family_report family_files "
        "family_figure"
    ),
    "docs/postprocessing.html#the-ledger": "ledger",
    "docs/audit.html#auditing-a-dataset": "audit",
    "docs/operations.html#the-operators-page": "site",
    "docs/console.html#release": (
        "release translations release_page verify_release differences description description_text"
    ),
    "docs/releases.html#deposit-it": "deposit",
    "docs/console.html#webhooks": "webhooks webhook remove_webhook",
    "docs/console.html#privacy": (
        "privacy find_person pay settle drop person export_person pay_person erase forget"
    ),
    "docs/console.html#log": "log export_log",
    "docs/console.html#tokens": "tokens revoke_token",
    "docs/console.html#second-factor": "account second_factor second_factor_code",
    "docs/console.html#background-jobs": "jobs",
}


@cache
def list_sections() -> dict[str, str]:
    """Return the section that explains each page, those of apps included, by URL name."""
    sections = _BY_SECTION | merge_mappings("console_help")
    return {page: section for section, pages in sections.items() for page in pages.split()}


def find_help(page: str) -> str:
    """Return the address of the section that explains a page, given by its URL name."""
    return f"{settings.DOCS_URL}{list_sections().get(page, FIRST)}"


def link_to_help(request: HttpRequest) -> dict[str, str]:
    """Give all templates `help_url`, the address of the section that explains the page shown."""
    area = find_area(request.path_info)
    if area and area.help:
        return {"help_url": f"{settings.DOCS_URL}{area.help}"}
    match = request.resolver_match
    page = match.url_name if match and match.namespace == "console" else None
    return {"help_url": find_help(page or "")}
