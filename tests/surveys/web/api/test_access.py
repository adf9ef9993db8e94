"""Authentication and rights of every operation."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from django.test import Client
from django.utils import timezone

from annotation_site import settings as configured
from surveys.access.api_tokens import all_scopes, revoke_token
from surveys.models import ApiToken, Role
from surveys.web.api.reference import list_operations
from surveys.web.api.throttles import TokenThrottle
from tests.factories.programs import Program, errors_of
from tests.factories.studies import make_study, start
from tests.hostile import undone

OPERATIONS = [one for subject in list_operations().values() for one in subject]
OF_A_STUDY = [one for one in OPERATIONS if "{slug}" in one.path]
FOR_ANYBODY = {
    "study_get", "pairs_get", "row_get", "design_get", "texts_get", "progress_get", "responses_get",
    "responses_csv_get", "responses_parquet_get", "reviews_get", "review_claims_post", "review_get",
    "review_effect_post", "verdict_post", "verdict_delete", "settlement_post", "disputes_get",
    "review_progress_get", "second_answers_get", "adjudications_get",
}  # fmt: skip
FOR_OWNERS = {
    "webhooks_get", "webhooks_post", "webhook_get", "webhook_patch", "webhook_delete",
    "deliveries_get", "people_get", "people_post", "member_delete",
}  # fmt: skip


@pytest.fixture
def no_rates(settings):
    """Let one program request everything."""
    settings.API_RATES = dict.fromkeys(settings.API_RATES, "100000/s")


def ask(program, operation, study, **headers):
    """Request an operation, with 1 for what else is in its URL; what it stores is rolled back."""
    path = operation.path.removeprefix("/api/v1/").replace("{slug}", study.slug)
    path = re.sub(r"\{(\w+_id|task|phase|subtask|number)\}", "1", path)
    body = None if operation.method == "GET" else {}
    with undone():
        return program.send(operation.method, path, body, **headers)


def ask_all(program, operations, study):
    return {one.id: ask(program, one, study) for one in operations}


def test_requests_without_a_token_are_refused(study, no_rates):
    for name, answer in ask_all(Program(""), OPERATIONS, study).items():
        assert (name, answer.status_code) == (name, 401)
        assert answer["WWW-Authenticate"] == "Bearer"
        assert answer.json()["errors"][0]["code"] == "not_authenticated"


def test_a_token_with_other_scopes_is_refused(study, program, no_rates):
    for kind in sorted({one.scope.partition(":")[0] for one in OPERATIONS}):
        others = [scope for scope in all_scopes() if not scope.startswith(kind)]
        asking = program(Role.OWNER, *others)
        for operation in (one for one in OPERATIONS if one.scope.partition(":")[0] == kind):
            answer = ask(asking, operation, study)
            assert (operation.id, answer.status_code) == (operation.id, 403)
            assert operation.scope in answer.json()["errors"][0]["message"]


def test_a_token_for_reading_changes_nothing(study, program, no_rates):
    reading = [scope for scope in all_scopes() if scope.endswith(":read")]
    changing = [one for one in OPERATIONS if one.method != "GET"]

    answers = ask_all(program(Role.OWNER, *reading), changing, study)

    assert {name for name, answer in answers.items() if answer.status_code != 403} == set()


def test_a_study_without_a_role_is_not_found(study, program, no_rates):
    other = make_study(1, slug="other")
    nothing = {"errors": [{"code": "not_found", "message": "Not found."}]}

    answers = ask_all(program(Role.OWNER), OF_A_STUDY, other)

    for name, answer in answers.items():
        assert (name, answer.status_code, answer.json()) == (name, 404, nothing)


@pytest.mark.parametrize("role", Role)
def test_each_role_has_its_rights(role, study, program, no_rates):
    ids = {one.id for one in OF_A_STUDY}
    closed = {Role.OWNER: set(), Role.RESEARCHER: FOR_OWNERS}.get(role, ids - FOR_ANYBODY)

    answers = ask_all(program(role), OF_A_STUDY, study)

    assert {name for name, answer in answers.items() if answer.status_code == 403} == closed
    assert {name for name, answer in answers.items() if answer.status_code >= 500} == set()


def test_an_invalid_idempotency_key_is_refused_by_every_post(study, program, no_rates):
    asking = program()
    for operation in OPERATIONS:
        is_taken = "Idempotency-Key" in [one["name"] for one in operation.parameters]

        answer = ask(asking, operation, study, **{"Idempotency-Key": "a b"})

        assert (operation.id, is_taken) == (operation.id, operation.method == "POST")
        is_refused = answer.status_code == 422 and errors_of(answer)[0][2] == "Idempotency-Key"
        assert (operation.id, is_refused) == (operation.id, is_taken)


def test_a_revoked_token_is_refused(study, program):
    asking = program()
    revoke_token(ApiToken.objects.get())

    assert asking.get("studies/").status_code == 401


def test_an_expired_token_is_refused(study, program):
    asking = program(expires_at=timezone.now() + timedelta(days=1))
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert asking.get("studies/").status_code == 401


def test_the_token_of_an_inactive_user_is_refused(study, program):
    asking = program()
    User.objects.update(is_active=False)

    assert asking.get("studies/").status_code == 401


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic eDp5", "Bearer ž\x00", "x"])
def test_other_authorization_headers_are_refused(db, header):
    answer = Client(headers={"authorization": header}).get("/api/v1/studies/")

    assert answer.status_code == 401


def test_a_session_is_refused(study, client):
    user = User.objects.create_superuser("op")
    client.force_login(user)

    assert client.get("/api/v1/studies/").status_code == 401


def test_an_annotators_link_is_refused(study):
    assignment = start(study)

    for token in (assignment.token, assignment.annotator.invitation.token):
        assert Program(token).get("studies/").status_code == 401


def test_an_operator_owns_every_study(study, program):
    asking = program(None)
    User.objects.update(is_superuser=True)

    assert asking.get(f"studies/{study.slug}/").json()["role"] == "owner"
    assert asking.get("studies/").json()["results"][0]["role"] == "owner"


@pytest.mark.parametrize("address", ["nothing/here", "studies/a%0Ab/runs/"])
def test_an_unknown_url_gets_a_json_404(db, address):
    for method in ("get", "post", "delete"):
        answer = getattr(Client(), method)(f"/api/v1/{address}")
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (404, "not_found")


def test_processes_share_the_request_count(tmp_path, settings):
    """The cache is on disk; with one in memory every process would count separately."""
    kept = {**configured.CACHES["default"], "LOCATION": tmp_path}
    settings.API_RATES = {**settings.API_RATES, "all": "3/day"}
    settings.CACHES = {"default": kept}
    asking = SimpleNamespace(auth=ApiToken(pk=1), method="GET")

    def ask_another_process():
        throttle = TokenThrottle()
        throttle.cache = caches.create_connection("default")
        return throttle.allow_request(asking, None)

    assert [ask_another_process() for _ in range(4)] == [True, True, True, False]


def test_simultaneous_requests_are_all_counted(tmp_path, settings):
    """Threads have separate connections to the cache, as processes do."""
    settings.API_RATES = {**settings.API_RATES, "all": "20/day"}
    settings.CACHES = {"default": {**configured.CACHES["default"], "LOCATION": tmp_path}}
    asking, together = SimpleNamespace(auth=ApiToken(pk=1), method="GET"), Barrier(8)

    def ask(_):
        throttle = TokenThrottle()
        throttle.cache = caches.create_connection("default")
        together.wait(60)
        return [throttle.allow_request(asking, None) for _ in range(10)]

    with ThreadPoolExecutor(8) as programs:
        allowed = [one for some in programs.map(ask, range(8)) for one in some]

    assert (allowed.count(True), len(allowed)) == (20, 80)


def test_requests_over_the_rate_limit_get_429(study, program, settings):
    settings.API_RATES = {**settings.API_RATES, "all": "3/day", "creating": "1/day"}
    asking, other = program(), program(name="eva")

    made = [asking.post("studies/study/invitations/", {"count": 1}) for _ in range(2)]
    read = [asking.get("studies/") for _ in range(3)]

    assert [answer.status_code for answer in made] == [201, 429]
    assert [answer.status_code for answer in read] == [200, 429, 429]
    assert 1 <= int(read[-1]["Retry-After"]) <= 24 * 60 * 60
    assert other.get("studies/").status_code == 200


def test_last_use_of_a_token_is_stored_once_a_minute(study, program):
    asking = program()
    asking.get("studies/")
    first = ApiToken.objects.get().last_used_at
    asking.get("studies/")

    assert first is not None
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    asking.get("studies/")
    assert ApiToken.objects.get().last_used_at > first - timedelta(minutes=2)


def test_responses_are_not_cached(study, program):
    assert program().get("studies/")["Cache-Control"] == "no-store"
