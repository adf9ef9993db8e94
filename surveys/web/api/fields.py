"""Fields that take what JSON says and nothing that could be meant by it."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from rest_framework import serializers

INSTANT = re.compile(
    r"(\d{4})(-\d\d-\d\dT\d\d:\d\d:)(\d\d)((?:\.\d+)?(?:Z|[+-]\d\d:\d\d))", re.ASCII | re.IGNORECASE
)
EARLIEST, LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
LARGEST = 2**31 - 1  # of the numbers that the database gives


class Asked(serializers.Serializer[Any]):
    """What a request asks for: a field that is not known is refused, not overlooked."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, dict) and (unknown := sorted(set(data) - set(self.fields))):
            raise serializers.ValidationError(
                {str(name)[:100]: "There is no such field." for name in unknown}
            )
        return super().to_internal_value(data)


class Text(serializers.CharField):
    """A string, whatever stands at its ends."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"trim_whitespace": False, **options})

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Slug(serializers.SlugField):
    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Whole(serializers.IntegerField):
    """A whole number, not one in quotes."""

    def to_internal_value(self, data: Any) -> int:
        is_whole = type(data) is int or (type(data) is float and data.is_integer())
        if not is_whole:
            self.fail("invalid")
        return int(data)


class Number(serializers.FloatField):
    """A point of a scale, not one in quotes; whether it is one, the actions know."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=-100, max_value=100, **options)

    def to_internal_value(self, data: Any) -> Decimal:  # type: ignore[override]
        if type(data) not in (int, float):
            self.fail("invalid")
        return Decimal(str(data))


class Truth(serializers.BooleanField):
    """`true` or `false`."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class WrittenWhole(serializers.IntegerField):
    """A whole number of a query string."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_value": LARGEST, **options})

    def to_internal_value(self, data: Any) -> int:
        if not re.fullmatch(r"-?[0-9]{1,18}", str(data)):
            self.fail("invalid")
        return int(data)


class WrittenInstant(serializers.DateTimeField):
    """An instant with its offset, as RFC 3339 writes it: also a leap second, and the year 0."""

    def to_internal_value(self, value: Any) -> datetime:
        found = INSTANT.fullmatch(str(value))
        if found is None:
            self.fail("invalid", format="YYYY-MM-DDThh:mm:ssZ")
        year, until_seconds, seconds, rest = found.groups()
        is_before_all = year == "0000"  # a leap year like 2000; Python begins with 1
        text = ("2000" if is_before_all else year) + until_seconds
        text += ("59" if seconds == "60" else seconds) + rest
        try:
            instant = datetime.fromisoformat(text.upper())
        except ValueError:
            self.fail("invalid", format="YYYY-MM-DDThh:mm:ssZ")
        return EARLIEST if is_before_all else _in_utc(instant)


def _in_utc(instant: datetime) -> datetime:
    """An instant in UTC, or the last that there is on its side."""
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        return EARLIEST if instant.year == 1 else LATEST
