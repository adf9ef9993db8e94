"""API views of submissions, for team members and for organisers' trial runs."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound, PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from surveys.query_params import LARGEST
from surveys.sharedtasks.boards.visible import find_viewer
from surveys.sharedtasks.models import Phase, SharedTask, Submission, Team
from surveys.sharedtasks.scoring.visibility import Viewer
from surveys.sharedtasks.submissions import (
    choose_submission,
    note_submission,
    submit,
    withdraw_submission,
)
from surveys.sharedtasks.teams.attempts import count_attempts, refuse_phase, refuse_team
from surveys.sharedtasks.teams.description import require_terms
from surveys.sharedtasks.teams.history import show_submissions
from surveys.sharedtasks.teams.organisers_team import find_trial_team, make_trial_team
from surveys.sharedtasks.teams.rates import limit_checks, limiting_submissions
from surveys.sharedtasks.uploads import LARGEST_UPLOAD, examine_files, keep_files, read_sent
from surveys.sharedtasks.web.api import serializers as s
from surveys.sharedtasks.web.api.tasks import find_task
from surveys.web.api.base import ApiView
from surveys.web.api.bodies import UploadParser
from surveys.web.api.errors import TooLarge
from surveys.web.api.pagination import PAGE_PARAMETERS, describe_page, paginate, read_filters
from surveys.web.timing import began_at

OF_THE_FORM = 100_000  # bytes of a request besides the files
Files = list[tuple[str, bytes]]


class ResultsParser(UploadParser):
    """Parser of forms with result files."""

    several = "results"


class TeamView(ApiView):
    """Views of a team's submissions, for its members; of trial runs, for the organisers.

    404 for all others.
    """

    tag, reads, writes = "shared tasks", "sharedtasks:read", "sharedtasks:write"
    is_for_limited = True
    shared_task: SharedTask
    viewer: Viewer

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.shared_task = find_task(kwargs["task"])
        viewer = find_viewer(self.shared_task, self.user)
        if not viewer.is_organiser and viewer.team is None:
            raise NotFound("You are in no team of this shared task.")
        team = find_trial_team(self.shared_task) if viewer.is_organiser else viewer.team
        self.viewer = Viewer(team=team, is_organiser=viewer.is_organiser)

    def list_sent(self) -> QuerySet[Submission]:
        """Return what the viewer's team submitted."""
        if self.viewer.team is None:
            return Submission.objects.none()
        sent = Submission.objects.filter(team=self.viewer.team)
        return sent.select_related("phase__shared_task", "team", "sent_by")

    def find(self, phase: str, number: int) -> Submission:
        """Return a submission of the viewer's team, or raise 404."""
        return get_object_or_404(self.list_sent(), phase__name=phase, number=min(number, LARGEST))

    def write(self, submission: Submission) -> s.SubmissionSerializer:
        """Return a submission as a response."""
        return s.SubmissionSerializer(show_submissions(self.viewer, [submission])[0])


class Submissions(TeamView):
    """The submissions of a team: its history, and new submissions."""

    parser_classes = [ResultsParser]
    largest_request = LARGEST_UPLOAD + OF_THE_FORM

    @extend_schema(parameters=PAGE_PARAMETERS, responses=describe_page(s.SubmissionSerializer))
    def list_all(self, request: Request, task: str) -> Response:
        """List what your team submitted, oldest first, with the scores that it may see."""
        page = paginate(self.list_sent(), request, "pk")
        shown = show_submissions(self.viewer, page.rows)
        return Response(page._replace(rows=shown).write(s.SubmissionSerializer))

    @extend_schema(
        parameters=[s.DrySerializer],
        request={ResultsParser.media_type: s.NewSubmissionSerializer},
        responses={200: s.CheckSerializer, 201: s.MadeSubmissionSerializer},
    )
    def submit(self, request: Request, task: str) -> Response:
        """Check result files and submit them, which uses an attempt; with `dry=1` only check them.

        The request is a form (`multipart/form-data`) with the files. Files with errors are refused
        (422) with all that is wrong, by file, row and column, and use no attempt. What counts is
        when the request began. Files of organisers are a trial run, which is never ranked.
        """
        is_dry = self.read(s.DrySerializer, read_filters(request))["dry"] == "1"
        body = self.read(s.NewSubmissionSerializer)
        if sum(len(content) for _, content in body["results"]) > LARGEST_UPLOAD:
            raise TooLarge("The files have more than 4 MB together. Send them as a zip archive.")
        phase = self._find_phase(body["phase"])
        if is_dry:
            return self._check(phase, body["results"])
        return self.find_answer() or self._submit(phase, body["results"], body["note"])

    def _check(self, phase: Phase, sent: Files) -> Response:
        now = began_at(self.request)
        team = self._admit(phase, now)
        checked = examine_files(team, phase, sent, now=now)
        attempts = count_attempts(team, phase, now)
        answer = {
            "phase": phase.name,
            "attempt": attempts.n_used + 1,
            "attempts": attempts,
            "files": checked.contents,
            "warnings": checked.warnings,
        }
        return Response(s.CheckSerializer(answer).data)

    def _submit(self, phase: Phase, sent: Files, note: str) -> Response:
        """Submit files, which are read before the transaction in which the attempt is counted."""
        now = began_at(self.request)
        team = self._admit(phase, now)
        files = read_sent(team, phase, sent, now=now)

        def make() -> BaseSerializer[Any]:
            made = submit(upload, now=now, by=self.user, note=note)
            shown = show_submissions(self.viewer, [made])[0]
            attempts = count_attempts(team, phase, now)
            return s.MadeSubmissionSerializer({**shown._asdict(), "attempts": attempts})

        with limiting_submissions(team):
            upload = keep_files(files, team, phase, by=self.user)
            return self.once(make)

    def _admit(self, phase: Phase, now: datetime) -> Team:
        """Return the team that submits, and count a check of its files, as its page does."""
        team = self.viewer.team or make_trial_team(self.shared_task)
        require_terms(team)
        refuse_team(team)
        refuse_phase(team, phase, now)
        limit_checks(team)
        return team

    def _find_phase(self, name: str) -> Phase:
        phases = self.shared_task.phases.select_related("shared_task")
        if phase := phases.filter(name=name).first():
            return phase
        names = ", ".join(phases.values_list("name", flat=True))
        raise NotFound(f"The shared task has no phase {name}. Phases: {names}.")


class OneSubmission(TeamView):
    """A submission of a team."""

    @extend_schema(responses=s.SubmissionSerializer)
    def show(self, request: Request, task: str, phase: str, number: int) -> Response:
        """Show a submission, with its scores where the phase shows them."""
        return Response(self.write(self.find(phase, number)).data)

    @extend_schema(request=s.NoteSerializer, responses=s.SubmissionSerializer)
    def change(self, request: Request, task: str, phase: str, number: int) -> Response:
        """Change the team's own note on a submission."""
        submission = self._find_own(phase, number)
        note = self.read(s.NoteSerializer).get("note", submission.note)
        return Response(self.write(note_submission(submission, note)).data)

    @extend_schema(request=None, responses={200: s.SubmissionSerializer})
    def withdraw(self, request: Request, task: str, phase: str, number: int) -> Response:
        """Withdraw a submission, which does not give its attempt back and cannot be undone."""
        submission = self._find_own(phase, number)
        return self.once(lambda: self.write(withdraw_submission(submission)), 200)

    @extend_schema(request=s.SubtaskSerializer, responses={200: s.SubmissionSerializer})
    def choose(self, request: Request, task: str, phase: str, number: int) -> Response:
        """Choose the submission that the board of a subtask shows, until the phase ends."""
        submission, now = self._find_own(phase, number), began_at(request)
        subtask = self.read(s.SubtaskSerializer)["subtask"]

        def choose() -> s.SubmissionSerializer:
            choose_submission(submission, subtask, now)
            return self.write(submission)

        return self.once(choose, 200)

    def _find_own(self, phase: str, number: int) -> Submission:
        if self.viewer.is_organiser:
            raise PermissionDenied("Organisers cancel their trial runs in the console.")
        return self.find(phase, number)
