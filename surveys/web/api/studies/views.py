"""Studies: creation, stimuli, design, texts and opening."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.access.roles import visible_studies
from surveys.models import Membership, Pair, Role, Study, TextKind
from surveys.study.create import create_study, preview_study
from surveys.study.design import configure_study, start_study
from surveys.study.lifecycle import open_study, review_consent
from surveys.study.stimuli.edit import read_upload, replace_stimuli
from surveys.study.stimuli.kinds import choose_kind
from surveys.study.stimuli.load import CheckedStimuli
from surveys.study.texts import read_texts, set_text
from surveys.web.api.base import ApiView, StudyView
from surveys.web.api.bodies import JsonParser, UploadParser, is_form
from surveys.web.api.pagination import PAGE_PARAMETERS, describe_page, paginate
from surveys.web.api.studies import serializers as s


def _describe_body(of_json: Any, of_form: Any) -> dict[str, Any]:
    """Return the serializers of a body that is JSON or a form."""
    return {JsonParser.media_type: of_json, UploadParser.media_type: of_form}


class Studies(ApiView):
    """The studies in which the token's user has a role."""

    tag, reads, writes = "studies", "studies:read", "studies:write"
    parser_classes = [JsonParser, UploadParser]

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.StudySerializer))
    def list_all(self, request: Request) -> Response:
        """List the studies, oldest first."""
        page = paginate(visible_studies(self.user), request, "pk")
        roles = self._find_roles(page.rows)
        studies = s.StudySerializer(page.rows, many=True, context={"roles": roles})
        return Response({"next": page.next, "results": studies.data})

    @extend_schema(
        request=_describe_body(s.NewStudySerializer, s.NewStudyFormSerializer),
        responses={201: s.ImportSerializer, 200: s.ImportSerializer},
    )
    def create(self, request: Request) -> Response:
        """Create a draft from a stimuli file, owned by the token's user; all or nothing.

        With `open` the study is opened at once, which fixes most of its design and needs an
        organisation, a contact and a reviewed consent text. Errors name row and column.
        A form (`multipart/form-data`) takes the file itself, which may be a workbook or, with
        `separator` and `encoding`, another kind of text. Repeating the request changes nothing
        (200, as for a dry run).
        """
        body = s.NewStudyFormSerializer if is_form(request) else s.NewStudySerializer
        body_fields = dict(self.read(body))
        is_stored = not body_fields.pop("dry_run")
        choices = {
            "has_reviewed": body_fields.pop("consent_reviewed"),
            "opens": body_fields.pop("open"),
        }
        file = {name: body_fields.pop(name, None) for name in ("stimuli", "separator", "encoding")}
        design = start_study(**{n: given for n, given in body_fields.items() if n in request.data})
        stimuli = _read_stimuli(file, design)  # before any transaction: it takes long

        def found() -> s.ImportSerializer:
            if is_stored:
                summary = create_study(stimuli, self.user, **choices)
            else:
                summary = preview_study(stimuli, self.user)
            figures = {name: getattr(summary, name) for name in s.FIGURES}
            return s.ImportSerializer({**figures, "slug": design.slug, "is_stored": is_stored})

        return self.once(found, lambda made: 201 if made["is_new"] and made["is_stored"] else 200)

    def _find_roles(self, studies: Sequence[Study]) -> dict[int, str]:
        if self.user.is_superuser:
            return {study.pk: Role.OWNER.value for study in studies}
        memberships = Membership.objects.filter(user_id=self.user.pk, study__in=studies)
        return dict(memberships.values_list("study_id", "role"))


class OneStudy(StudyView):
    """A study: its stimuli, design, texts and opening."""

    tag, reads, writes = "studies", "studies:read", "studies:write"

    def write(self, study: Study) -> s.StudySerializer:
        return s.StudySerializer(study, context={"roles": {study.pk: self.role.value}})

    @extend_schema(responses=s.StudySerializer)
    def show(self, request: Request, slug: str) -> Response:
        """Show a study."""
        return Response(self.write(self.study).data)

    @extend_schema(request=None, responses={200: s.StudySerializer})
    def open(self, request: Request, slug: str) -> Response:
        """Open a study to annotators; stimuli, scale, question, blocks and seed are then fixed.

        Refused while organisation, contact or the review of the consent text is missing.
        """
        return self.once(lambda: self.write(open_study(self.study)), 200)

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.PairSerializer))
    def list_pairs(self, request: Request, slug: str) -> Response:
        """List the pairs with their contexts, in the order of the file."""
        pairs = Pair.objects.stimuli(self.study).prefetch_related("contexts")
        return Response(paginate(pairs, request, "position").write(s.PairSerializer))

    @extend_schema(responses=s.DesignSerializer)
    def show_design(self, request: Request, slug: str) -> Response:
        """Show the design."""
        return Response(s.DesignSerializer(self.study).data)

    @extend_schema(request=s.DesignSerializer, responses=s.DesignSerializer)
    def change_design(self, request: Request, slug: str) -> Response:
        """Change the design: all given fields or none.

        Language, scale, question, block size and seed can be changed in drafts only.
        """
        study = configure_study(self.study, **self.read(s.DesignSerializer, partial=True))
        return Response(s.DesignSerializer(study).data)

    @extend_schema(responses=s.TextsSerializer)
    def show_texts(self, request: Request, slug: str) -> Response:
        """Show the current version of each text."""
        return Response(s.TextsSerializer(read_texts(self.study)).data)

    @extend_schema(request=s.TextsChangeSerializer, responses=s.TextsSerializer)
    def change_texts(self, request: Request, slug: str) -> Response:
        """Add a version of each given text, all or none; an unchanged text adds none."""
        with transaction.atomic():
            for kind, body in self.read(s.TextsChangeSerializer).items():
                set_text(self.study, TextKind(kind), body)
        return self.show_texts(request, slug)

    @extend_schema(request=s.ConsentReviewSerializer, responses={200: s.ConsentVersionSerializer})
    def review_consent(self, request: Request, slug: str) -> Response:
        """Record that the token's user has read and approved a version of the consent text.

        Idempotent. Refused unless it is the current version.
        """
        version = self.read(s.ConsentReviewSerializer)["version"]
        return self.once(
            lambda: s.ConsentVersionSerializer(review_consent(self.study, version)), 200
        )


class Stimuli(OneStudy):
    """The stimuli file of a draft."""

    parser_classes = [JsonParser, UploadParser]

    @extend_schema(
        request=_describe_body(s.StimuliSerializer, s.StimuliFormSerializer),
        responses={200: s.StudySerializer},
    )
    def replace(self, request: Request, slug: str) -> Response:
        """Replace all stimuli of a draft. Errors name row and column.

        A form (`multipart/form-data`) takes the file itself, which may be a workbook or, with
        `separator` and `encoding`, another kind of text.
        """
        body = self.read(s.StimuliFormSerializer if is_form(request) else s.StimuliSerializer)
        stimuli = _read_stimuli(body, self.study)
        return Response(self.write(replace_stimuli(self.study, stimuli)).data)


def _read_stimuli(body: Mapping[str, Any], design: Study) -> CheckedStimuli:
    """Read a request's stimuli: text in JSON, or a form's file."""
    given = body["stimuli"]
    if isinstance(given, str):
        return read_upload(given.encode(), design)
    chosen = body.get("separator"), body.get("encoding")
    kind = choose_kind(given, design.kind.columns, design.language, *chosen)
    return read_upload(given, design, kind)
