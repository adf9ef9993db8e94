"""Writing an example of each request and response into the OpenAPI description."""

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from surveys.web.api.examples.bodies import BODIES, FORMS, VALUES

JSON, FORM = "application/json", "multipart/form-data"
METHODS = {"get", "post", "put", "patch", "delete"}
MOST_NESTED = 6  # schemas within one another
OF_TYPES: dict[str, Any] = {
    "string": "…", "integer": 1, "number": 0.5, "boolean": True, "null": None, "object": {},
}  # fmt: skip
OF_FORMATS = {"date-time": "2026-11-20T12:00:00Z", "uri": "https://survey.example.org/"}


def add_examples(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add example bodies and responses, and a command line, to every operation."""
    for path, methods in result["paths"].items():
        for method, operation in methods.items():
            if method in METHODS:
                _add_bodies(operation)
                _add_responses(result, operation)
                operation["x-codeSamples"] = [
                    {"lang": "Shell", "label": label, "source": source}
                    for label, source in _write_commands(method, path, operation)
                ]
    return result


def _add_bodies(operation: dict[str, Any]) -> None:
    """Add example bodies; form examples leave out the file, which JSON cannot hold."""
    content = operation.get("requestBody", {}).get("content", {})
    if body := BODIES.get(operation["operationId"]):
        content[JSON]["example"] = body


def _add_responses(result: dict[str, Any], operation: dict[str, Any]) -> None:
    for status, answer in operation["responses"].items():
        content = answer.get("content", {}).get(JSON)
        if status.startswith("2") and content:
            content["example"] = make_example(result, content["schema"])


def make_example(result: dict[str, Any], schema: Mapping[str, Any], name: str = "") -> Any:
    """Return a value that a schema of the description allows; `name` is its field's name."""
    return _make(result["components"]["schemas"], schema, name, 0)


def _make(schemas: Mapping[str, Any], schema: Mapping[str, Any], name: str, depth: int) -> Any:
    schema = _resolve(schemas, schema)
    if name in VALUES and _allows(schema, VALUES[name]):
        return VALUES[name]
    if "enum" in schema:
        return schema["enum"][0]
    kind = _first_kind(schema)
    if depth == MOST_NESTED:
        return OF_TYPES.get(kind, [])
    if kind == "array":
        item = _make(schemas, schema.get("items", {}), name, depth + 1)
        return [item] * max(1, schema.get("minItems", 1))
    if kind == "object":
        return {
            field: _make(schemas, inner, field, depth + 1)
            for field, inner in schema.get("properties", {}).items()
        }
    if kind == "string":
        return OF_FORMATS.get(schema.get("format", ""), OF_TYPES["string"])
    return max(OF_TYPES[kind], schema.get("minimum", 0)) if kind == "integer" else OF_TYPES[kind]


def _resolve(schemas: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema behind a reference, or the first of several possible schemas."""
    for group in ("allOf", "oneOf", "anyOf"):
        if group in schema and "type" not in schema:
            return _resolve(schemas, schema[group][0])
    if "$ref" in schema:
        return _resolve(schemas, schemas[schema["$ref"].rpartition("/")[2]])
    return schema


def _first_kind(schema: Mapping[str, Any]) -> str:
    kinds = schema.get("type", "object")
    return str(kinds if isinstance(kinds, str) else kinds[0])


def _allows(schema: Mapping[str, Any], given: Any) -> bool:
    """Return whether a value has the type that a schema wants, and is one of its choices."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    is_known = "enum" not in schema or given in schema["enum"]
    return is_known and bool({*kinds} & _kinds_of(given))


def _kinds_of(given: Any) -> set[str]:
    if given is None or isinstance(given, bool):
        return {"null" if given is None else "boolean"}
    kinds = {int: {"integer", "number"}, float: {"number"}, str: {"string"}, list: {"array"}}
    return kinds.get(type(given), {"object"})


def _write_commands(
    method: str, path: str, operation: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield the command lines of an operation: with JSON or no body, and with a form."""
    name = operation["operationId"]
    address = path
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "path":
            value = VALUES.get(parameter["name"], 7)
            address = address.replace(f"{{{parameter['name']}}}", str(value))
    begin = 'curl -H "Authorization: Bearer $TOKEN"'
    end = f'"$SITE{address}"'
    option = "" if method == "get" else f" -X {method.upper()}"
    if name in BODIES:
        body = shlex.quote(json.dumps(BODIES[name], ensure_ascii=False))
        yield "JSON", f"{begin}{option} -H 'Content-Type: {JSON}' \\\n  -d {body} \\\n  {end}"
    elif name not in FORMS:
        file_name = _name_file(operation)
        yield "curl", f"{begin}{option}{f' -o {file_name}' if file_name else ''} {end}"
    if form := FORMS.get(name):
        fields = " ".join(f"-F {shlex.quote(f'{field}={x}')}" for field, x in form.items())
        yield "Form with a file", f"{begin}{option} \\\n  {fields} \\\n  {end}"


def _name_file(operation: Mapping[str, Any]) -> str:
    """Return the name for the file that an operation answers with, empty for JSON."""
    kinds = {"application/zip": "files.zip", "text/csv": "responses.csv"}
    for status, answer in operation["responses"].items():
        for kind in answer.get("content", {}) if status.startswith("2") else ():
            if kind != JSON:
                return kinds.get(kind, "responses.parquet")
    return ""
