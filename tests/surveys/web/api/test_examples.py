"""Every operation of the description has examples that its own schemas allow."""

import shlex

import jsonschema
import pytest
from django.urls import resolve

from surveys.web.api.examples.bodies import BODIES, FORMS
from surveys.web.api.reference import describe_api, list_operations

DESCRIBED = describe_api()
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, methods in DESCRIBED["paths"].items()
    for method, operation in methods.items()
}


def check(schema, example):
    whole = {**schema, "components": DESCRIBED["components"]}
    jsonschema.Draft202012Validator(whole).validate(example)


@pytest.mark.needs("sharedtasks")
def test_examples_belong_to_operations_that_take_a_body():
    with_body = {name for name, (_, _, one) in OPERATIONS.items() if "requestBody" in one}

    assert {*FORMS, *BODIES} == with_body


@pytest.mark.parametrize("name", OPERATIONS)
def test_examples_are_valid(name):
    method, _, operation = OPERATIONS[name]

    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    assert bool(body) == (name in BODIES)
    if body:
        check(body["schema"], body["example"])
    answers = [
        answer["content"]["application/json"]
        for status, answer in operation["responses"].items()
        if status.startswith("2") and "application/json" in answer.get("content", {})
    ]
    for content in answers:
        check(content["schema"], content["example"])
    assert answers or method == "delete" or "files" in name or name.startswith("responses_")


@pytest.mark.parametrize("name", OPERATIONS)
def test_command_lines_ask_for_an_existing_address(name):
    method, _, operation = OPERATIONS[name]

    for sample in operation["x-codeSamples"]:
        program, *words = shlex.split(sample["source"].replace("\\\n", ""))
        assert program == "curl"
        address = words[-1].removeprefix("$SITE")
        assert resolve(address).url_name == name.rpartition("_")[0]
        asked = words[words.index("-X") + 1] if "-X" in words else "GET"
        assert asked == method.upper()
        assert "{" not in address
    is_form_alone = name in FORMS and name not in BODIES
    assert len(operation["x-codeSamples"]) == 1 + (name in FORMS) - is_form_alone


@pytest.mark.needs("sharedtasks")
def test_the_page_shows_command_lines_and_responses(client):
    text = client.get("/api/v1/").content.decode()

    assert "-F stimuli=@pairs.xlsx" in text
    assert text.count("curl -H") >= len(OPERATIONS)
    assert "All 4,213 different figures follow from the ratings." in text
    assert "Example of the response 200" in text
    assert "Example of the response 201" in text


@pytest.mark.needs("sharedtasks")
def test_operations_show_the_example_of_each_content_that_they_answer_with():
    of_submissions = {one.id: one for one in list_operations()["shared tasks"]}["submissions_post"]
    of_studies = {one.id: one for one in list_operations()["studies"]}["studies_post"]

    assert [status for status, _ in of_submissions.responses] == ["200", "201"]
    assert len(of_studies.responses) == 1
    assert "(422) with all that is wrong" in of_submissions.text  # in one line
    assert of_submissions.text.count("\n") == 2
