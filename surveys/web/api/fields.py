"""Serializer fields that accept the exact JSON type only, and query parameters."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, ClassVar, cast

from django.db import models
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

INSTANT = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII | re.IGNORECASE
)
NUMBER = re.compile(r"-?[0-9]{1,19}(\.[0-9]{1,9})?", re.ASCII)  # in a form
TRUTH_VALUES = {"true": True, "false": False}  # in a form
LARGEST = 2**31 - 1  # of the ids that the database assigns


class RequestSerializer(serializers.Serializer[Any]):
    """Base serializer of requests; refuses unknown fields."""

    def to_internal_value(self, data: Any) -> Any:
        names = {field.field_name for field in self._writable_fields}
        unknown = sorted(set(data) - names) if isinstance(data, dict) else []
        problems: dict[str, Any] = {str(name)[:100]: ["This field is unknown."] for name in unknown}
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            if not problems:
                raise
            problems |= cast("dict[str, Any]", error.detail)  # of a JSON object, hence by field
            raise serializers.ValidationError(problems) from error
        if problems:
            raise serializers.ValidationError(problems)
        return values


class JsonString(serializers.CharField):
    """A JSON string, not stripped of whitespace."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"trim_whitespace": False, **options})

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class JsonSlug(serializers.SlugField):
    """A slug as a JSON string."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class JsonInteger(serializers.IntegerField):
    """A JSON integer; 2.0 is accepted, "2" is not."""

    def to_internal_value(self, data: Any) -> int:
        is_whole = type(data) is int or (type(data) is float and data.is_integer())
        if not is_whole:
            self.fail("invalid")
        return int(data)


class ScalePointField(serializers.FloatField):
    """A JSON number for a scale point; the actions check that the scale has it."""

    def __init__(
        self, *, max_digits: Any = None, decimal_places: Any = None, **limits: Any
    ) -> None:
        super().__init__(**limits)  # as many digits as a model's field has

    def to_internal_value(self, data: Any) -> Decimal:  # type: ignore[override]
        if type(data) not in (int, float):
            self.fail("invalid")
        return Decimal(str(data))


class JsonBoolean(serializers.BooleanField):
    """A JSON boolean."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class StrictModelSerializer(RequestSerializer, serializers.ModelSerializer[Any]):
    """Base serializer of a model's settings: words and limits are the model's, types JSON's own."""

    serializer_field_mapping: ClassVar = {
        **serializers.ModelSerializer.serializer_field_mapping,
        models.BigIntegerField: JsonInteger,
        models.BooleanField: JsonBoolean,
        models.CharField: JsonString,
        models.DecimalField: ScalePointField,
        models.PositiveSmallIntegerField: JsonInteger,
        models.SlugField: JsonSlug,
    }

    def build_standard_field(self, field_name: str, model_field: Any) -> Any:
        """Leave what the API's description cannot say to the action, which reports all at once."""
        field, options = super().build_standard_field(field_name, model_field)
        return field, {**options, "validators": []}

    def get_validators(self) -> list[Any]:
        """Return none: the actions lock and check."""
        return []


class FileField(serializers.FileField):
    """A file of a form, as bytes."""

    default_error_messages: ClassVar = {"invalid": "Send a file, such as stimuli=@pairs.tsv."}

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, bytes):
            self.fail("invalid")
        return data


@extend_schema_field(
    {"type": "array", "items": {"type": "string", "format": "binary"}, "minItems": 1}
)
class ResultsField(serializers.Field[Any, Any, Any, Any]):
    """Files of a form, as names and bytes."""

    default_error_messages: ClassVar = {"invalid": "Send files, such as results=@results.zip."}

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, list):
            self.fail("invalid")
        return data


class FormSerializer(RequestSerializer):
    """Base serializer of forms, whose values are texts: numbers and truth values are read first."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict):
            data = {name: self._read(name, part) for name, part in data.items()}
        return super().to_internal_value(data)

    def _read(self, name: str, part: Any) -> Any:
        field = self.fields.get(name)
        if isinstance(field, JsonInteger | ScalePointField):
            if field.allow_null and part in ("", "null"):
                return None
            if NUMBER.fullmatch(str(part)):
                return float(part) if "." in part else int(part)
        if isinstance(field, JsonBoolean):
            return TRUTH_VALUES.get(str(part).lower(), part)
        return part


class IntegerParameter(serializers.IntegerField):
    """An integer in a query string."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_value": LARGEST, **options})

    def to_internal_value(self, data: Any) -> int:
        if not re.fullmatch(r"-?[0-9]{1,18}", str(data)):
            self.fail("invalid")
        return int(data)


class InstantParameter(serializers.DateTimeField):
    """An instant with an offset, as in RFC 3339, in a query string."""

    def to_internal_value(self, value: Any) -> datetime:
        try:
            if not INSTANT.fullmatch(str(value)):
                raise ValueError
            return datetime.fromisoformat(str(value).upper()).astimezone(UTC)
        except (OverflowError, ValueError):
            self.fail("invalid", format="YYYY-MM-DDThh:mm:ssZ")
