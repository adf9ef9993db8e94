"""The API description: as OpenAPI, and as a page."""

import json
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from surveys.access.api_tokens import all_scopes
from surveys.web.api.examples.samples import FORM, JSON


class Operation(NamedTuple):
    """An operation as the reference page shows it."""

    method: str
    path: str
    id: str
    text: str
    scope: str
    parameters: list[dict[str, Any]]
    fields: list[dict[str, Any]]
    answers: list[tuple[str, str]]
    form_fields: list[dict[str, Any]]
    samples: list[dict[str, str]]
    responses: list[tuple[str, str]]


@require_safe
def schema(request: HttpRequest) -> HttpResponse:
    """Return the OpenAPI description, which holds no data of any study."""
    return JsonResponse(describe_api(), json_dumps_params={"ensure_ascii": False})


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Show the reference page."""
    return render(
        request,
        "api/reference.html",
        {"subjects": list_operations(), "scopes": all_scopes().items()},
    )


@csrf_exempt
def not_found(request: HttpRequest) -> HttpResponse:
    """Return a JSON 404 for unknown URLs of the API."""
    error = {"code": "not_found", "message": "There is nothing at this address."}
    return JsonResponse({"errors": [error]}, status=404)


@cache
def describe_api() -> dict[str, Any]:
    """Return the OpenAPI description (cached)."""
    described: dict[str, Any] = SchemaGenerator().get_schema(  # type: ignore[no-untyped-call]
        request=None, public=True
    )
    plain: dict[str, Any] = json.loads(json.dumps(described, default=_to_json))
    return plain


@cache
def list_operations() -> dict[str, list[Operation]]:
    """Return the operations by tag."""
    described = describe_api()
    subjects: dict[str, list[Operation]] = {}
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            subject = subjects.setdefault(operation["tags"][0], [])
            subject.append(_read_operation(described, path, method, operation))
    return subjects


def _to_json(value: object) -> float | str:
    return float(value) if isinstance(value, Decimal) else str(value)


def _read_operation(
    described: dict[str, Any], path: str, method: str, operation: dict[str, Any]
) -> Operation:
    text, _, scope = operation["description"].rpartition("\n\nScope: ")
    bodies = operation.get("requestBody", {}).get("content", {})
    body, form = (bodies.get(kind, {}) for kind in (JSON, FORM))
    fields = _list_fields(described, body.get("schema", {}))
    answers = [
        (status, _name_content(answer))
        for status, answer in operation["responses"].items()
        if status.startswith("2")
    ]
    return Operation(
        method=method.upper(),
        path=path,
        id=operation["operationId"],
        text=_unwrap(text),
        scope=scope.strip("`."),
        parameters=operation.get("parameters", []),
        fields=fields,
        answers=answers,
        form_fields=[
            field
            for field in _list_fields(described, form.get("schema", {}))
            if field not in fields
        ],
        samples=operation["x-codeSamples"],
        responses=_write_responses(operation),
    )


def _list_fields(described: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of a request body with their names and whether they are required."""
    name = schema.get("$ref", "").rpartition("/")[2]
    body = described["components"]["schemas"].get(name, {})
    return [
        {
            **field,
            "name": name,
            "required": name in body.get("required", []),
            "choices": _list_choices(described, field),
        }
        for name, field in body.get("properties", {}).items()
    ]


def _list_choices(described: dict[str, Any], field: dict[str, Any]) -> list[str]:
    """Return the values of a field that is defined by a component, such as an enumeration."""
    for part in (field, *field.get("allOf", []), *field.get("oneOf", [])):
        name = part.get("$ref", "").rpartition("/")[2]
        if choices := described["components"]["schemas"].get(name, {}).get("enum"):
            return list(choices)
    return []


def _unwrap(text: str) -> str:
    """Return a text with one line for each paragraph."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _write_responses(operation: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the statuses of responses that are JSON with an example, one for each content."""
    written: dict[str, str] = {}
    for status, answer in operation["responses"].items():
        content = answer.get("content", {}).get(JSON, {})
        if status.startswith("2") and "example" in content:
            written.setdefault(json.dumps(content["example"], indent=2, ensure_ascii=False), status)
    return [(status, example) for example, status in written.items()]


def _name_content(answer: dict[str, Any]) -> str:
    for kind, content in answer.get("content", {}).items():
        name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
        return f"{kind}, {name}" if name else kind
    return "nothing"
