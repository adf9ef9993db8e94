"""Study → the links that annotators come by."""

from surveys.models import Invitation, Study


def invite_annotators(study: Study, count: int) -> list[Invitation]:
    """Make that many personal links."""
    return Invitation.objects.bulk_create(Invitation(study=study) for _ in range(count))


def invite_scripted_annotators(study: Study, count: int) -> list[Invitation]:
    """Make that many links for a rehearsal: what is answered by them stays known as scripted."""
    return Invitation.objects.bulk_create(
        Invitation(study=study, is_rehearsal=True) for _ in range(count)
    )
