"""Request bodies of the API, up to a maximum size: JSON, and forms with a file."""

from collections.abc import Iterable
from hashlib import sha256
from typing import IO, Any, ClassVar, cast

from django.conf import settings
from django.core.exceptions import TooManyFieldsSent, TooManyFilesSent
from django.utils.functional import cached_property
from rest_framework.exceptions import ParseError
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser, JSONParser, MultiPartParser
from rest_framework.renderers import BaseRenderer
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


class UploadParser(MultiPartParser):
    """Parser of forms with a file (multipart/form-data); values are texts, files are bytes."""

    several: ClassVar[str] = ""  # the field that may have several files: a list, with their names

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            parsed = super().parse(stream, media_type, parser_context)
        except (TooManyFieldsSent, TooManyFilesSent) as error:
            raise ParseError("The form has too many fields.") from error
        parts = [*parsed.data.lists(), *parsed.files.lists()]
        names = [name for name, values in parts for _ in values if name != self.several]
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise ParseError(f"The form has more than one field {repeated[0][:100]!r}.")
        files: dict[str, Any] = {}
        for name, sent in parsed.files.lists():
            contents = [(str(file.name), cast("IO[bytes]", file).read()) for file in sent]
            files[name] = contents if name == self.several else contents[0][1]
        return {**parsed.data.dict(), **files}


class OnlyJson(BaseContentNegotiation):
    """Answer in JSON whatever `Accept` says; the format of files is in their URL."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return next((parser for parser in parsers if parser.media_type == _kind_of(request)), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, str(renderer.media_type)


def _kind_of(request: Request) -> str:
    return (request.content_type or "").partition(";")[0].strip().lower()


def is_form(request: Request) -> bool:
    """Return whether the body of a request is a form with a file."""
    return _kind_of(request) == UploadParser.media_type


def digest_files(data: Any) -> Any:
    """Return request data with each file's digest in place of its bytes."""
    if isinstance(data, bytes):
        return f"sha256:{sha256(data).hexdigest()}"
    if isinstance(data, list | tuple):
        return [digest_files(part) for part in data]
    if isinstance(data, dict):
        return {name: digest_files(part) for name, part in data.items()}
    return data


def read_length(request: Request) -> int:
    """Return the Content-Length of a request, 0 without the header."""
    return int(request.META.get("CONTENT_LENGTH") or 0)
