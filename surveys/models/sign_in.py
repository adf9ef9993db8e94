"""Sign-in attempts counted against the password checks that the site allows."""

from django.db import models


class SignInBudget(models.Model):
    """The password checks used by one client address, one known browser or all other clients."""

    key = models.CharField(max_length=80, unique=True, help_text="such as address 203.0.113.9")
    spent_until = models.DateTimeField(
        db_index=True, help_text="when all checks that were used are restored"
    )

    def __str__(self) -> str:
        return f"password checks of {self.key}"
