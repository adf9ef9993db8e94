import signal
import sys
from typing import Any

from django.core.cache import cache

from surveys.access.roles import DEMO_TO_COME
from surveys.features import load_objects
from surveys.management.commands._base import SurveyCommand
from surveys.rehearsal.finished.designs import prepare_finished_designs
from surveys.rehearsal.finished.study import prepare_finished_study


class Command(SurveyCommand):
    help = "Make what finished demo studies and shared task lack, as scripts/serve does."

    def handle(self, **options: Any) -> None:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # its work is given back
        try:
            if prepare_finished_study():
                for prepare_demo in load_objects("prepare_demo"):
                    prepare_demo()
        finally:
            cache.delete(DEMO_TO_COME)
        prepare_finished_designs()
