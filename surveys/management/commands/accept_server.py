from typing import Any

from surveys.management.commands._base import SurveyCommand
from surveys.operations.server_checks import accept_server


class Command(SurveyCommand):
    help = (
        "Accept a SECRET_KEY or a folder of files that was changed on purpose: the server that "
        "starts next has those that all others must share."
    )

    def handle(self, **options: Any) -> None:
        accept_server()
        self.stdout.write("The server that starts next has the key and the files of the site.")
