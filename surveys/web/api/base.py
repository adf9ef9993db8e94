"""Base classes of API views: authentication, rights in a study, idempotency."""

import json
import re
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, ClassVar, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.exceptions import NotFound, PermissionDenied, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.viewsets import ViewSet

from surveys.access.audit_log import acting
from surveys.access.idempotency import MAX_KEY_LENGTH, Answer, answer_once, find_answer
from surveys.access.roles import Right, role_in
from surveys.models import Role, Study
from surveys.web.api.authentication import HasScope, TokenAuthentication, is_writing
from surveys.web.api.bodies import BoundedRequest, JsonParser, OnlyJson, digest_files, read_length
from surveys.web.api.errors import TooLarge
from surveys.web.api.schema import KEY_PATTERN
from surveys.web.api.throttles import CreatingThrottle, ExportingThrottle, TokenThrottle


class ApiView(ViewSet):
    """Views that need a token with their scope; actions are logged under the token's user."""

    reads: ClassVar[str] = ""  # the scope of requests that change nothing
    writes: ClassVar[str] = ""
    tag: ClassVar[str] = ""
    is_for_limited: ClassVar[bool] = False  # accounts, as well
    action_name: str = ""  # of a URL
    largest_request: ClassVar[int | None] = None  # bytes; None for that of the settings
    authentication_classes = [TokenAuthentication]
    permission_classes = [HasScope]
    throttle_classes = [TokenThrottle, CreatingThrottle, ExportingThrottle]
    parser_classes = [JsonParser]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = OnlyJson

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with ExitStack() as self._during:
            answer: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        answer["Cache-Control"] = "no-store"
        return answer

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        return BoundedRequest(
            request,
            parsers=self.get_parsers(),
            authenticators=self.get_authenticators(),
            negotiator=self.get_content_negotiator(),
            parser_context=self.get_parser_context(request),
        )

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if read_length(request) > (self.largest_request or settings.API_LARGEST_REQUEST):
            raise TooLarge
        if request.method == "POST":  # the only method with this header
            _check_key(self.idempotency_key)
        self._during.enter_context(acting(self.user))

    @property
    def user(self) -> User:
        """Return the user of the token."""
        return cast("User", self.request.user)

    @property
    def idempotency_key(self) -> str | None:
        """Return the Idempotency-Key header, or None."""
        return self.request.headers.get("Idempotency-Key")

    def read(
        self,
        serializer_class: type[BaseSerializer[Any]],
        data: Any = None,
        *,
        partial: bool = False,
    ) -> Any:
        """Return the validated data of the request. Raises ValidationError."""
        sent = self.request.data if data is None else data
        serializer = serializer_class(data=sent, partial=partial)
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    def find_answer(self) -> Response | None:
        """Return the response to a request that is repeated with its idempotency key, or None."""
        key = self.idempotency_key
        stored = find_answer(self.user, key, self._asked) if key else None
        return _repeat(stored) if stored else None

    def once(
        self, make: Callable[[], BaseSerializer[Any]], status: int | Callable[[Any], int] = 201
    ) -> Response:
        """Call `make` and return its serializer's data; only once per idempotency key.

        The status may depend on the data.
        """

        def act() -> tuple[int, Any]:
            content = json.loads(JSONRenderer().render(make().data))
            return (status if isinstance(status, int) else status(content)), content

        key = self.idempotency_key
        if key is None:
            answered, content = act()
            return Response(content, status=answered)
        return _repeat(answer_once(self.user, key, self._asked, act))

    @property
    def _asked(self) -> list[Any]:
        """What tells the request from others with the same idempotency key."""
        return [self.request.path, digest_files(self.request.data)]


class StudyView(ApiView):
    """Views of the study whose slug is in the URL: `self.study`.

    404 for users without a role in the study, 403 for roles without the right.
    """

    right_to_read: ClassVar[Right] = Right.READ
    right_to_write: ClassVar[Right] = Right.WORK
    study: Study
    role: Role

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        study = Study.objects.filter(slug=kwargs["slug"]).first()
        role = role_in(study, self.user) if study else None
        if study is None or role is None:
            raise NotFound
        right = self.right_to_write if is_writing(self, request.method) else self.right_to_read
        if role not in right.value:
            raise PermissionDenied(f"The role {role.value} in this study does not allow this.")
        self.study, self.role = study, role


def _repeat(answer: Answer) -> Response:
    headers = {"Idempotent-Replayed": "true"} if answer.is_repeated else None
    return Response(answer.content, status=answer.status, headers=headers)


def _check_key(key: str | None) -> None:
    if key is not None and not (len(key) <= MAX_KEY_LENGTH and re.fullmatch(KEY_PATTERN, key)):
        message = f"1 to {MAX_KEY_LENGTH} printable ASCII characters, none a space."
        raise ValidationError({"Idempotency-Key": message})


Views = tuple[str, type[ApiView], dict[str, Any]]  # a name, and the action of each method
