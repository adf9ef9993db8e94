from typing import Any

from surveys.management.commands._base import SurveyCommand
from surveys.privacy.replay import repeat_erasures


class Command(SurveyCommand):
    help = (
        "Repeat the withdrawals and erasures in the journal beside the backups, in a database that "
        "was restored by other means than `restore`, which does so itself. Does no harm twice."
    )

    def handle(self, **options: Any) -> None:
        done = repeat_erasures()
        counts = ", ".join(f"{deed} {n}" for deed, n in sorted(done.items()))
        self.stdout.write(f"Repeated from the journal: {counts or 'nothing'}.")
