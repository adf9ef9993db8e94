"""Request bodies of the API: JSON, up to a maximum size."""

from typing import Any

from django.conf import settings
from django.utils.functional import cached_property
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request

from surveys.query_params import UnreadableJson, read_json
from surveys.web.api.errors import TooLarge


class BoundedRequest(Request):
    """A request with the API's size limit; Django's own is for forms, and lower."""

    @cached_property
    def body(self) -> bytes:
        """Return the whole body. Raises TooLarge, before reading it if its length is given."""
        limit = settings.API_LARGEST_REQUEST
        if read_length(self) > limit:
            raise TooLarge
        body: bytes = self._request.read(limit + 1)
        if len(body) > limit:
            raise TooLarge
        return body


class JsonParser(JSONParser):
    """Parser of JSON in UTF-8 with limited nesting."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            return read_json(stream.read())
        except UnreadableJson as error:
            raise ParseError(f"The body cannot be read as JSON: {error}.") from error


def read_length(request: Request) -> int:
    """Return the Content-Length of a request, 0 without the header."""
    return int(request.META.get("CONTENT_LENGTH") or 0)
