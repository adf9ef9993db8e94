"""Scripted workers, who find a HIT on the worker site, do it in its frame and may hand it in.

They work over HTTP, as a browser; the database is only queried for what a person would know.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urljoin, urlsplit

import httpx
import lxml.html

from mturk_simulator.client import CrowdRefused, CrowdWorker, HeldTask, submit_task
from surveys.crowd.mturk.targets import SUBMIT_PATH
from surveys.errors import RehearsalFailed
from surveys.models import Invitation, Study
from surveys.rehearsal.annotator import ScriptedAnnotator, ask_database

NOT_FOUND = 404


class End(StrEnum):
    """Outcome of a scripted worker."""

    HANDED_IN = "handed in"
    RETURNED = "returned"
    LEFT = "left without returning it"
    LATE = "found no HIT"
    FAILED = "failed"


@dataclass(frozen=True)
class ScriptedWorker:
    """A worker of the simulator, and the annotator who answers in the worker's frame.

    The site is the one at `base_url`, whatever host the HIT names. A worker who does not finish
    returns the HIT, or just leaves.
    """

    worker: CrowdWorker
    annotator: ScriptedAnnotator
    base_url: str
    just_leaves: bool = False

    def work(self, study: Study, group_ids: Collection[str]) -> End:
        """Accept a HIT of one of the groups and do it. Raises RehearsalFailed, CrowdRefused."""
        held = self._accept(group_ids)
        if held is None:
            return End.LATE
        try:
            last_page = self.annotator.work(self._on_site(held.address))
        finally:
            ask_database(lambda: self._mark_as_scripted(study), is_patient=True)
        if last_page != "annotate:thanks":
            if self.just_leaves:
                return End.LEFT
            self.worker.return_task(held.mturk_assignment_id)
            return End.RETURNED
        self._hand_in(held)
        return End.HANDED_IN

    def _accept(self, group_ids: Collection[str]) -> HeldTask | None:
        """Preview and accept the first open HIT; return None if none is left."""
        for group in self.worker.list_groups():
            if group.group_id not in group_ids or not group.may_accept:
                continue
            try:
                self._check_preview(self.worker.preview(group.group_id))
                return self.worker.accept(group.group_id)
            except CrowdRefused as refused:  # another worker was faster
                if refused.status != NOT_FOUND:
                    raise
        return None

    def _check_preview(self, address: str) -> None:
        """Open the preview, which must show no form. Raises RehearsalFailed."""
        answer = self.worker.browser.get(self._on_site(address))
        if answer.status_code != httpx.codes.OK or lxml.html.fromstring(answer.text).forms:
            raise RehearsalFailed(f"The preview was answered with {answer.status_code}.")

    def _hand_in(self, held: HeldTask) -> None:
        """Submit the form of the last page to its URL, which must be this simulator."""
        page = self.annotator.last_page
        forms = [] if page is None else page.forms
        form = next((form for form in forms if (form.action or "").endswith(SUBMIT_PATH)), None)
        if form is None:
            raise RehearsalFailed("The last page has no form to hand the HIT in.")
        submit_to = str(form.action).removesuffix(SUBMIT_PATH)
        fields = {str(name): str(value) for name, value in form.form_values()}
        if submit_to != self.worker.base_url or fields.pop("assignmentId") != (
            held.mturk_assignment_id
        ):
            raise RehearsalFailed("The last page hands in a different HIT, or at a different site.")
        submit_task(submit_to, held.mturk_assignment_id, fields, self.worker.browser)

    def _mark_as_scripted(self, study: Study) -> None:
        invitations = Invitation.objects.filter(study=study, annotator__worker__isnull=False)
        invitations.filter(annotator__worker__worker_id=self.worker.worker_id).update(
            is_rehearsal=True
        )

    def _on_site(self, address: str) -> str:
        parts = urlsplit(address)
        return urljoin(self.base_url, f"{parts.path}?{parts.query}")
