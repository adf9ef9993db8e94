"""Extensions of the OpenAPI description: scopes, and the errors of any request."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from surveys.access.idempotency import MAX_KEY_LENGTH
from surveys.web.api.authentication import scope_of

WITHOUT_NULL = r"^[^\u0000]*$"
KEY_PATTERN = "^[!-~]+$"
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": MAX_KEY_LENGTH, "pattern": KEY_PATTERN},
    OpenApiParameter.HEADER,
    description="A request repeated with the same key within 24 hours is not executed again and "
    "gets the same response.",
)

EITHER = {  # request bodies with exactly one of two fields
    "NewInvitationsRequest": ("count", "notes"),
    "NewComparisonRequest": ("collection", "study", "run"),
}
METHODS = {"get", "post", "put", "patch", "delete"}
REFUSALS = {
    "400": "The request cannot be read.",
    "401": "No valid token.",
    "403": "The token lacks the scope, or its user the role.",
    "404": "Not found, or not visible to the token's user.",
    "409": "The current state of the study or shared task does not allow this, or the "
    "Idempotency-Key was used for another request.",
    "413": "The request is too large.",
    "415": "The request is neither JSON nor, where files are taken, a form.",
    "422": "Fields or files of the request are invalid.",
    "429": "Too many requests; Retry-After gives the seconds to wait.",
}
PROBLEM = {
    "type": "object",
    "properties": {
        "code": {"type": "string"},
        "message": {"type": "string", "description": "what is wrong and what to do"},
        "field": {"type": "string", "description": "field of the request"},
        "file": {"type": ["string", "null"], "description": "one of the files that were sent"},
        "row": {"type": ["integer", "null"], "description": "row of the file, from 1"},
        "column": {"type": ["string", "null"], "description": "column of the file"},
        "phases": {
            "type": "array",
            "items": {"type": "string"},
            "description": "open phases that take what is too late for another one",
        },
    },
    "required": ["code", "message"],
}
ERRORS = {
    "type": "object",
    "properties": {"errors": {"type": "array", "items": PROBLEM, "minItems": 1}},
    "required": ["errors"],
}


class Describer(AutoSchema):
    """Schema generator that adds scopes, idempotency headers, tags and operation ids."""

    def get_description(self) -> str:  # type: ignore[override]
        view: Any = self.view
        text = super().get_description()
        return f"{text}\n\nScope: `{scope_of(view, self.method)}`.".strip()

    def get_override_parameters(self) -> list[OpenApiParameter]:  # type: ignore[override]
        return [IDEMPOTENCY_KEY] if self.method == "POST" else []

    def get_tags(self) -> list[str]:
        view: Any = self.view
        return [view.tag]

    def get_operation_id(self) -> str:
        view: Any = self.view
        return f"{view.action_name}_{self.method.lower()}"


def add_refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add the error responses to every operation."""
    result.setdefault("components", {}).setdefault("schemas", {})["Errors"] = ERRORS
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Errors"}}}
    for path in result["paths"].values():
        for method, operation in path.items():
            if method in METHODS:
                for status, description in REFUSALS.items():
                    refusal = {"description": description, "content": content}
                    operation["responses"].setdefault(status, refusal)
                _close_body(result, operation)
                for parameter in operation.get("parameters", []):
                    if parameter["in"] == "query":
                        _forbid_null(parameter["schema"])
    return result


def _close_body(result: dict[str, Any], operation: dict[str, Any]) -> None:
    """Declare that a body has no other fields, and is required if one of its fields is."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        name = content["schema"].get("$ref", "").rpartition("/")[2]
        if name:
            body = result["components"]["schemas"][name]
            body["additionalProperties"] = False
            _forbid_null(body)
            if name in EITHER:
                body["oneOf"] = [{"required": [field]} for field in EITHER[name]]
                operation["requestBody"]["required"] = True


def _forbid_null(schema: dict[str, Any]) -> None:
    """Declare that strings hold no null character, which databases cannot store."""
    if schema.get("type") == "string" and not {"pattern", "enum", "format"} & set(schema):
        schema["pattern"] = WITHOUT_NULL
    inner = schema.get("items"), schema.get("additionalProperties")
    for part in (*schema.get("properties", {}).values(), *inner):
        if isinstance(part, dict):
            _forbid_null(part)
