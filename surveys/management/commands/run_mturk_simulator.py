from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from surveys.rehearsal.control_token import control_link, control_token
from surveys.rehearsal.simulator.http.server import NotLoopback, SimulatorServer
from surveys.rehearsal.simulator.market.market import Market
from surveys.rehearsal.simulator.market.store import Store, StoreUnreadable


class Command(BaseCommand):
    help = "Run a simulator of Amazon Mechanical Turk on this machine, for a rehearsal."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8800, help="0 for any free port (8800)")
        parser.add_argument("--host", default="127.0.0.1", help="a loopback address (127.0.0.1)")
        kept = parser.add_mutually_exclusive_group()
        kept.add_argument("--state", type=Path, help="SQLite file for its state; default: memory")
        kept.add_argument(
            "--keep",
            action="store_const",
            dest="state",
            const=settings.VAR_DIR / "mturk.sqlite3",
            help="keep its state in VAR_DIR",
        )
        parser.add_argument("--platform", default="", help="address of the site, for links to it")

    def handle(
        self, *, port: int, host: str, state: Path | None, platform: str, **options: Any
    ) -> None:
        try:
            market = Market(Store(state))
            server = SimulatorServer(
                market,
                port,
                host=host,
                platform=platform.rstrip("/"),
                control_token=control_token(),
            )
        except (StoreUnreadable, NotLoopback) as error:
            raise CommandError(str(error)) from error
        except (OSError, OverflowError) as error:
            raise CommandError(f"Cannot serve at {host}, port {port}: {error}.") from error
        self.stdout.write(f"The MTurk simulator is at {server.url}")
        self.stdout.write(f"Its control: {control_link(server.url)}")
        self.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            server.server_close()
