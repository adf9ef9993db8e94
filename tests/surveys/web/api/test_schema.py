"""The API matches its OpenAPI description.

Every bound of each operation is tried, and some random values; the seed is fixed, since a failure
must be reproducible. To search further, set the number of random examples and the seed:

    API_EXAMPLES=100 API_SEED=7 python -m pytest tests/surveys/web/api/test_schema.py
"""

import copy
import os
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.wsgi import get_wsgi_application
from django.db import transaction
from hypothesis import HealthCheck, settings
from schemathesis.config import (
    AnalysisConfig,
    ConstantsConfig,
    CoveragePhaseConfig,
    GenerationConfig,
    PhasesConfig,
    ProjectConfig,
    ProjectsConfig,
    SchemathesisConfig,
)
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import CoverageScenario
from schemathesis.specs.openapi.checks import ignored_auth

from surveys.access.api_tokens import all_scopes, make_token
from surveys.access.roles import grant_role
from surveys.models import Delivery, Invitation, Role, Webhook
from surveys.results.run_inspection import write_recipes
from surveys.results.runs import request_results
from surveys.review.queue import file_answers
from surveys.sharedtasks.teams.organisers_team import make_trial_team
from surveys.web.api.reference import describe_api
from tests.factories.sharedtasks import make_data, make_phase, make_shared_task, send
from tests.factories.studies import finish, make_study, start

EXAMPLES = int(os.environ.get("API_EXAMPLES", "1"))
SEED = int(os.environ.get("API_SEED", "1"))
KNOWN = {  # path parameters; ids are 1 or 99
    "slug": ["study", "nothing"],
    "task": ["gwsc", "nothing"],
    "phase": ["evaluation", "nothing"],
}
# Wrong types that are texts like any other in a URL; fractions, whole numbers and words are sent.
ALSO_TEXTS = ("null", "true", "null%2Cnull", ["null", "null"])


def narrowed_description() -> dict[str, Any]:
    """Return the description with path parameters of which half exist."""
    described = copy.deepcopy(describe_api())
    for methods in described["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path":
                    parameter["schema"] = {"enum": KNOWN.get(parameter["name"], [1, 99])}
    return described


CONFIG = SchemathesisConfig(
    projects=ProjectsConfig(
        default=ProjectConfig(
            generation=GenerationConfig(
                max_examples=EXAMPLES,
                with_security_parameters=False,  # every test sends a token: see test_access.py
            ),
            phases=PhasesConfig(coverage=CoveragePhaseConfig(unexpected_methods={"put"})),
            # Searching our code for values to try takes longer than most operations.
            analysis=AnalysisConfig(constants=ConstantsConfig(enabled=EXAMPLES > 1)),
        )
    ),
    seed=SEED,
)
DESCRIBED = narrowed_description()
OPERATIONS = [(path, method) for path in DESCRIBED["paths"] for method in DESCRIBED["paths"][path]]


@pytest.fixture(params=OPERATIONS, ids=" ".join)
def operation(request, asking):
    """The description of one operation."""
    path, method = request.param
    paths = {path: {method: DESCRIBED["paths"][path][method]}}
    schema = schemathesis.openapi.from_dict({**DESCRIBED, "paths": paths}, config=CONFIG)
    schema.app = get_wsgi_application()
    # schemathesis 4 reads it, pytest 9.2 no longer sets it
    request.node._nodeid = request.node.nodeid  # noqa: SLF001
    return schema


# Cases are generated in the test, not by every process that collects tests.
lazy = schemathesis.pytest.from_fixture("operation")


def number_one(row: Any) -> None:
    """Give a row the id 1, which half of the path parameters have."""
    rows = type(row).objects
    if not rows.filter(pk=1).exists():
        rows.filter(pk=row.pk).update(id=1)


@pytest.fixture(scope="module")
def headers(django_db_setup, django_db_blocker):
    """Headers of the owner of a study with one row of everything, created once.

    What a test changes is rolled back.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_one_of_everything()
        transaction.set_rollback(True)


def make_one_of_everything() -> dict[str, str]:
    study = make_study(2)
    finish(start(study))
    file_answers(study)
    number_one(study.reviews.first())
    number_one(grant_role(study, User.objects.create_user("eva"), Role.REVIEWER))
    number_one(request_results(study, write_recipes()["raw"], None))
    webhook = Webhook.objects.create(
        pk=1, study=study, url="https://lab.example.org/", events=["run.finished"], secret="s"
    )
    Delivery.objects.create(webhook=webhook, event="run.finished", subject="1", payload={})
    if not Invitation.objects.filter(pk=1).exists():
        Invitation.objects.create(pk=1, study=study)
    owner = User.objects.create_user("ana")
    grant_role(study, owner, Role.OWNER)
    shared_task = make_shared_task(owner)
    make_data(shared_task)
    send(make_trial_team(shared_task), make_phase(shared_task, visibility="board"))
    _, key = make_token(owner, "program", list(all_scopes()))
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture
def asking(headers, db, settings):
    """The headers, with which any number of requests may be sent."""
    settings.API_RATES = dict.fromkeys(settings.API_RATES, "100000/s")
    settings.BACKGROUND = "threads"  # none is started: nothing is committed here
    return headers


def is_sent_as_another(case: schemathesis.Case) -> bool:
    """Return whether a case differs from others only by a type that URLs do not have."""
    data = case.meta.phase.data
    if getattr(data, "scenario", None) is not CoverageScenario.INCORRECT_TYPE:
        return False
    in_url = {ParameterLocation.PATH: case.path_parameters, ParameterLocation.QUERY: case.query}
    return in_url.get(data.parameter_location, {}).get(data.parameter) in ALSO_TEXTS


@lazy.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_the_api_matches_its_description(case, asking):
    if is_sent_as_another(case):
        return
    case.call_and_validate(headers=asking, excluded_checks=[ignored_auth])


def test_the_description_is_served_to_tools(client):
    answer = client.get("/api/v1/schema/")

    assert answer.json() == describe_api()
    assert answer.json()["openapi"] == "3.1.0"


def test_every_operation_has_a_scope_a_text_and_its_refusals():
    for methods in describe_api()["paths"].values():
        for operation in methods.values():
            text, _, scope = operation["description"].partition("\n\nScope: ")
            assert text
            assert scope
            assert {"401", "403", "404", "422", "429"} <= set(operation["responses"])
            assert operation["security"] == [{"token": []}]
