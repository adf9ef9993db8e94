"""Serializer fields of requests."""

from rest_framework import serializers

from surveys.web.api.fields import JsonInteger, RequestSerializer


class Asked(RequestSerializer):
    """Two whole numbers."""

    first = JsonInteger()
    second = JsonInteger()


def test_unknown_fields_are_reported_with_all_other_errors():
    asked = Asked(data={"first": "2", "third": 3})

    assert not asked.is_valid()
    assert set(asked.errors) == {"first", "second", "third"}
    assert asked.errors["third"] == [serializers.ErrorDetail("This field is unknown.", "invalid")]


def test_an_unknown_field_alone_is_an_error():
    assert not Asked(data={"first": 1, "second": 2, "third": 3}).is_valid()
    assert Asked(data={"first": 1, "second": 2}).is_valid()
