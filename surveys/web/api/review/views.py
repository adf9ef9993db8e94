"""Reviews with their evidence, verdicts, disputes, and inter-reviewer agreement."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from surveys.access.roles import Right, list_names
from surveys.models import Adjudication, Review, Verdict, VerdictKind
from surveys.review.agreement import list_agreement
from surveys.review.effects import preview_effects, show_effect
from surveys.review.queue import count_unfiled, file_answers, settings_of
from surveys.review.verdicts import (
    claim_answers,
    configure_review,
    give_verdict,
    settle_dispute,
    undo_verdict,
)
from surveys.web.api.base import StudyView
from surveys.web.api.pagination import PAGE_PARAMETERS, Page, describe_page, paginate, read_filters
from surveys.web.api.review import serializers as s

Judge = Callable[[Review, User, VerdictKind, str], Verdict]


class Reviews(StudyView):
    """The reviews of a study, for all roles in it."""

    tag, reads, writes = "reviews", "reviews:read", "reviews:write"
    right_to_write = Right.READ

    def find_review(self, review_id: int) -> Review:
        return get_object_or_404(Review.objects.with_answers(), study=self.study, pk=review_id)

    def find_mine(self, reviews: Sequence[Review]) -> dict[int, Verdict]:
        """Return the current verdicts of the token's user by review."""
        verdicts = Verdict.objects.standing().filter(reviewer=self.user, review__in=reviews)
        return {verdict.review_id: verdict for verdict in verdicts}

    def write_page(
        self, page: Page, row_serializer: type[s.ReviewSerializer], **context: Any
    ) -> Response:
        context["mine"] = self.find_mine(page.rows)
        rows = row_serializer(page.rows, many=True, context=context)
        return Response({"next": page.next, "results": rows.data})

    def give(self, review_id: int, act: Judge) -> Response:
        """Give a verdict and return the updated review."""
        review = self.find_review(review_id)
        verdict = self.read(s.NewVerdictSerializer)

        def judge() -> s.ReviewSerializer:
            act(review, self.user, VerdictKind(verdict["kind"]), verdict["reason"])
            judged = self.find_review(review_id)
            return s.ReviewSerializer(judged, context={"mine": self.find_mine([judged])})

        return self.once(judge, 200)

    @extend_schema(
        parameters=[*PAGE_PARAMETERS, s.ReviewFilterSerializer],
        responses=describe_page(s.ReviewSerializer),
    )
    def list_all(self, request: Request, slug: str) -> Response:
        """List answers and whole questionnaires with their evidence, oldest review first."""
        filters = self.read(s.ReviewFilterSerializer, read_filters(request))
        reviews = Review.objects.filter(study=self.study)
        if "of" in filters:
            reviews = reviews.filter(response__isnull=filters["of"] == "questionnaires")
        if "state" in filters:
            reviews = reviews.filter(state=filters["state"])
        page = paginate(reviews.with_answers(), request, "pk")
        return self.write_page(page, s.ReviewSerializer)

    @extend_schema(request=s.ClaimSerializer, responses={200: s.ClaimedSerializer})
    def claim(self, request: Request, slug: str) -> Response:
        """Claim the next answers of the queue, highest risk first; other reviewers get others."""
        count = self.read(s.ClaimSerializer)["count"]

        def claim() -> s.ClaimedSerializer:
            file_answers(self.study)
            claimed = claim_answers(self.study, self.user, count)
            verdicts = self.find_mine(claimed)
            return s.ClaimedSerializer({"reviews": claimed}, context={"mine": verdicts})

        return self.once(claim, 200)

    @extend_schema(responses=s.ReviewSerializer)
    def show(self, request: Request, slug: str, review_id: int) -> Response:
        """Show a review with its evidence."""
        review = self.find_review(review_id)
        return Response(s.ReviewSerializer(review, context={"mine": self.find_mine([review])}).data)

    @extend_schema(request=None, responses={200: s.EffectSerializer})
    def weigh(self, request: Request, slug: str, review_id: int) -> Response:
        """Show what would change without the answer; the log records that it was shown."""
        review = self.find_review(review_id)

        def weigh() -> s.EffectSerializer:
            show_effect(review)
            return s.EffectSerializer({"effect": preview_effects([review])[review.pk]})

        return self.once(weigh, 200)

    @extend_schema(request=s.NewVerdictSerializer, responses={200: s.ReviewSerializer})
    def judge(self, request: Request, slug: str, review_id: int) -> Response:
        """Give a verdict, replacing your previous one."""
        return self.give(review_id, give_verdict)

    @extend_schema(responses={204: None})
    def undo(self, request: Request, slug: str, review_id: int) -> Response:
        """Withdraw your verdict, if there is one."""
        undo_verdict(self.find_review(review_id), self.user)
        return Response(status=204)

    @extend_schema(request=s.NewVerdictSerializer, responses={200: s.ReviewSerializer})
    def settle(self, request: Request, slug: str, review_id: int) -> Response:
        """Decide a review on which two others disagree."""
        return self.give(review_id, settle_dispute)

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.DisputeSerializer))
    def list_disputes(self, request: Request, slug: str) -> Response:
        """List the disputes that you may settle, with both verdicts."""
        disputes = Review.objects.disputes_for(self.study, self.user.pk)
        page = paginate(disputes.with_answers(), request, "pk")
        verdicts: defaultdict[int, list[Verdict]] = defaultdict(list)
        given = Verdict.objects.standing().filter(review__in=page.rows).order_by("opinion")
        for verdict in given.select_related("reviewer"):
            verdicts[verdict.review_id].append(verdict)
        return self.write_page(page, s.DisputeSerializer, verdicts=verdicts)

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.AdjudicationSerializer))
    def list_adjudications(self, request: Request, slug: str) -> Response:
        """List the decisions on items without a majority, replaced ones included."""
        decisions = Adjudication.objects.filter(context__pair__study=self.study).select_related(
            "author", "response__annotator", "context__pair"
        )
        page = paginate(decisions, request, "pk")
        rows = s.AdjudicationSerializer(page.rows, many=True)
        return Response({"next": page.next, "results": rows.data})

    @extend_schema(responses=s.ReviewProgressSerializer)
    def show_progress(self, request: Request, slug: str) -> Response:
        """Show the number of answers by state, and the agreement of each two reviewers."""
        pairs = list_agreement(self.study)
        names = list_names(pk for pair in pairs for pk in pair.reviewers)
        agreement = [
            {
                **pair._asdict(),
                "reviewers": [names[pk] for pk in pair.reviewers],
                "kappa": pair.kappa if math.isfinite(pair.kappa) else None,
            }
            for pair in pairs
        ]
        progress = {
            "answers": Review.objects.count_states(self.study),
            "n_unfiled": count_unfiled(self.study),
            "agreement": agreement,
        }
        return Response(s.ReviewProgressSerializer(progress).data)


class Settings(StudyView):
    """Shares of answers that are reviewed, and reviewed twice."""

    tag, reads, writes = "reviews", "reviews:read", "reviews:write"
    right_to_read = Right.WORK

    @extend_schema(responses=s.ReviewSettingsSerializer)
    def show(self, request: Request, slug: str) -> Response:
        """Show the shares."""
        return Response(s.ReviewSettingsSerializer(settings_of(self.study)).data)

    @extend_schema(request=s.ReviewSettingsSerializer, responses=s.ReviewSettingsSerializer)
    def change(self, request: Request, slug: str) -> Response:
        """Change the shares; existing verdicts stay."""
        changes = self.read(s.ReviewSettingsSerializer, partial=True)
        now = s.ReviewSettingsSerializer(settings_of(self.study)).data
        changed = configure_review(self.study, **{**now, **changes})
        return Response(s.ReviewSettingsSerializer(changed).data)
