import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from surveys.models import Membership, Role
from surveys.web.console.urls import urlpatterns
from tests.factories.clients import client_of
from tests.factories.studies import make_study, start
from tests.hostile import Attacker

OPEN = {
    "sign_in", "sign_in_link", "second_factor_code", "choose_password", "sign_out",
    "request_reset", "reset_password", "single_sign_on", "single_sign_on_return",
}  # fmt: skip
OF_NO_STUDY = {
    "studies", "new_study", "begin_contexts", "audit", "tokens", "revoke_token", "change_password",
    "account", "address", "second_factor", "site", "families", "new_family", "family",
    "edit_family",
    "delete_family", "family_report", "family_files", "family_figure",
}  # fmt: skip
FOR_WORKERS = {
    "contexts", "candidates", "candidates_file", "contexts_settings", "undo_choice", "use_stimuli",
    "search_contexts", "cancel_search", "retry_search", "pick_by_scores", "search_pair",
    "log", "stimuli", "replace_file", "row", "remove_row", "checkpoints",
    "design", "workload", "text", "practice_rows", "check_rows", "opening", "duplicate",
    "rehearsal",
    "open_look", "close_look",
    "undo_repeat", "replace", "results", "recipe_text", "compare", "run", "retry", "report",
    "ledger", "pairs", "pair", "plots", "plot", "download", "release", "release_page",
    "verify_release", "differences", "deposit",
    "comparisons", "comparison",
    "comparison_report", "comparison_files", "comparison_plot", "retry_comparison",
    "new_collection", "remove_collection", "translations", "description", "description_text",
    "review_settings",
    "repeat", "recruitment", "invite", "export_links", "export_invitations",
    "export_reminders", "invitation", "open_link", "prolific",
    "prolific_export",
    "close_entrance", "export_log", "jobs", "batches", "plan_batch", "batch_cost", "batch",
    "disarm_batch", "drop_batch", "stop_batch", "work_batch", "batch_ledger", "batch_people",
    "batch_bonus", "batch_choose", "visit", "pay_visit", "reject_visit", "retry_visit",
    "override_visit", "compensate_visit", "note_visit",
}  # fmt: skip
FOR_OWNERS = {
    "close", "reopen", "archive", "restore", "invite_person", "delete_rehearsal",
    "webhooks", "webhook", "remove_webhook",
    "people", "leave", "privacy", "find_person", "pay", "settle", "drop", "person",
    "export_person", "pay_person", "erase", "forget", "arm_batch",
    "mails", "send_invitations", "send_reminders", "retry_mails", "cancel_mails", "no_mail",
}  # fmt: skip
OF_A_STUDY = [p for p in urlpatterns if p.name not in OPEN | OF_NO_STUDY]


def address(pattern, study):
    """Return the URL of a page; of the study if it has a slug, with 1 for other arguments."""
    found = dict.fromkeys(pattern.pattern.converters, 1)
    return reverse(
        f"console:{pattern.name}", kwargs=found | ({"slug": study.slug} if "slug" in found else {})
    )


def ask(patterns, study, client=None):
    """Return each page's answers to GET and POST, by name; what they store is rolled back."""
    asking = Attacker(sessionid=client.session.session_key) if client else Attacker()
    found = {}
    for pattern in patterns:
        page = address(pattern, study)
        found[pattern.name] = [asking.get(page, {}), asking.post(page, {})]
    assert [name for name, both in found.items() if max(map(status_of, both)) >= 500] == []
    return found


def status_of(answer):
    return answer.status_code


def is_elsewhere(answer):
    """Return whether an answer is neither a redirect to the sign-in page nor a refused method."""
    if answer.status_code == 405:
        return False
    is_redirect = answer.status_code == 302
    return not (is_redirect and answer["Location"].startswith(reverse("console:sign_in")))


def test_pages_redirect_to_the_sign_in_page(study):
    found = ask([p for p in urlpatterns if p.name not in OPEN], study)

    assert [name for name, both in found.items() if any(map(is_elsewhere, both))] == []


def test_pages_of_a_study_are_not_found_without_a_role(study, sign_in):
    other = make_study(1, slug="other")

    found = ask(OF_A_STUDY, other, sign_in(Role.OWNER))

    assert [name for name, both in found.items() if not {*map(status_of, both)} <= {404, 405}] == []


@pytest.mark.parametrize("role", Role)
@pytest.mark.needs("contexts", "crowd")
def test_pages_of_a_study_are_open_to_the_roles_with_the_right(role, study, sign_in):
    """A view has one right for all its methods: a page that takes POST is not asked for as well."""
    closed = {Role.OWNER: set(), Role.RESEARCHER: FOR_OWNERS}.get(role, FOR_OWNERS | FOR_WORKERS)
    asking = Attacker(sessionid=sign_in(role).session.session_key)

    statuses = {}
    for pattern in OF_A_STUDY:
        page = address(pattern, study)
        statuses[pattern.name] = status_of(asking.post(page, {}))
        if statuses[pattern.name] == 405:
            statuses[pattern.name] = status_of(asking.get(page, {}))

    assert {name for name, status in statuses.items() if status == 403} == closed
    assert {name for name, status in statuses.items() if status in {405, *range(500, 600)}} == set()


def test_an_annotators_link_opens_nothing_of_the_console(study):
    assignment = start(study)
    client = Client()
    client.get(reverse("annotate:next", args=[assignment.token]), follow=True)

    answer = client.get(reverse("console:overview", args=[study.slug]))

    assert (answer.status_code, answer.url.split("?")[0]) == (302, reverse("console:sign_in"))


def test_an_operator_owns_every_study(study):
    client = client_of(User.objects.create_superuser("op", password="correct horse"))

    assert client.get(reverse("console:people", args=[study.slug])).status_code == 200
    assert not Membership.objects.exists()


def test_an_inactive_account_is_refused(study, owner):
    User.objects.update(is_active=False)

    assert owner.get(reverse("console:overview", args=[study.slug])).status_code == 302


def test_pages_are_not_cached(study, sign_in):
    answer = sign_in(Role.OWNER).get(reverse("console:overview", args=[study.slug]))

    assert "no-store" in answer["Cache-Control"]
