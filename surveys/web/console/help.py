"""The part of the documentation that explains each page of the console."""

from django.conf import settings
from django.http import HttpRequest

from surveys.features import find_area

FIRST = "docs/console.html"
_BATCH = "docs/console.html#paid-batches"
_BY_SECTION = {
    "docs/console.html#accounts-and-roles": (
        "sign_in sign_in_link choose_password sign_out change_password people invite_person leave"
    ),
    "docs/console.html#finding-the-way": (
        "studies overview close reopen archive restore duplicate"
    ),
    "docs/console.html#rehearsals": "rehearsal delete_rehearsal",
    "docs/console.html#a-new-study": "new_study opening",
    "docs/console.html#contexts": (
        "begin_contexts contexts candidates undo_choice candidates_file contexts_settings "
        "use_stimuli"
    ),
    "docs/contexts.html#search-in-the-console": (
        "search_contexts cancel_search pick_by_scores search_pair"
    ),
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
    "docs/console.html#prolifics-export": "prolific_export",
    "docs/crowds.html#prolific": "prolific",
    _BATCH: (
        "batches plan_batch batch_cost batch arm_batch disarm_batch drop_batch stop_batch "
        "work_batch batch_ledger batch_people batch_bonus batch_choose visit pay_visit "
        "reject_visit retry_visit override_visit compensate_visit note_visit"
    ),
    "docs/console.html#collection": (
        "collection gauge block gauge_block repeat undo_repeat replace annotators "
        "gauge_annotators annotator context"
    ),
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
    "docs/postprocessing.html#the-ledger": "ledger",
    "docs/audit.html#auditing-a-dataset": "audit",
    "docs/console.html#release": (
        "release release_page verify_release differences description description_text"
    ),
    "docs/releases.html#deposit-it": "deposit",
    "docs/console.html#webhooks": "webhooks webhook remove_webhook",
    "docs/console.html#privacy": (
        "privacy find_person pay settle drop person export_person pay_person erase forget"
    ),
    "docs/console.html#log": "log export_log",
    "docs/console.html#tokens": "tokens revoke_token",
    "docs/console.html#background-jobs": "jobs",
}
HELP = {page: section for section, pages in _BY_SECTION.items() for page in pages.split()}


def find_help(page: str) -> str:
    """Return the address of the section that explains a page, given by its URL name."""
    return f"{settings.DOCS_URL}{HELP.get(page, FIRST)}"


def link_to_help(request: HttpRequest) -> dict[str, str]:
    """Give all templates `help_url`, the address of the section that explains the page shown."""
    area = find_area(request.path_info)
    if area and area.help:
        return {"help_url": f"{settings.DOCS_URL}{area.help}"}
    match = request.resolver_match
    page = match.url_name if match and match.namespace == "console" else None
    return {"help_url": find_help(page or "")}
