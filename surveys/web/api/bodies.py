"""The bodies of requests to the API: JSON, up to the size that the API takes."""

from typing import Any

from django.conf import settings
from django.utils.functional import cached_property
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request

from surveys.query_params import UnreadableJson, read_json
from surveys.web.api.errors import TooLarge


class BoundedRequest(Request):
    """A request whose body may be as large as the API takes.

    Django's own limit is that of all other pages, where no form needs as much.
    """

    @cached_property
    def body(self) -> bytes:
        """The whole body. Raises TooLarge before it is read, where its length is given."""
        most = settings.API_LARGEST_REQUEST
        if read_length(self) > most:
            raise TooLarge
        body: bytes = self._request.read(most + 1)
        if len(body) > most:
            raise TooLarge
        return body


class JsonParser(JSONParser):
    """JSON in UTF-8, not nested too deeply."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            return read_json(stream.read())
        except UnreadableJson as error:
            raise ParseError(f"The body cannot be read as JSON: {error}.") from error


def read_length(request: Request) -> int:
    """Return the length of a body as its header tells, 0 where it does not."""
    return int(request.META.get("CONTENT_LENGTH") or 0)
