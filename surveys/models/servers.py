"""What all servers of a site share: counts of password checks, and what each must have."""

from django.db import models


class SignInBudget(models.Model):
    """The password checks used by one client address, one known browser or all other clients."""

    key = models.CharField(max_length=80, unique=True, help_text="such as address 203.0.113.9")
    spent_until = models.DateTimeField(
        db_index=True, help_text="when all checks that were used are restored"
    )

    def __str__(self) -> str:
        return f"password checks of {self.key}"


class SharedMark(models.Model):
    """The mark of what each server of the site must have: the secret key, the folder of files."""

    subject = models.CharField(max_length=20, unique=True)
    mark = models.CharField(max_length=64, help_text="a digest of the key, or what a file contains")

    def __str__(self) -> str:
        return self.subject
