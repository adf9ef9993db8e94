"""Serve the simulator: `python -m mturk_simulator`."""

import argparse
import secrets
import sys
from pathlib import Path

from mturk_simulator.http.server import NotLoopback, SimulatorServer
from mturk_simulator.market.market import Market
from mturk_simulator.market.store import Store, StoreUnreadable


def main() -> None:
    """Serve until interrupted; exit with a message if the state or the address is unusable."""
    options = _make_parser().parse_args()
    try:
        server = SimulatorServer(
            Market(Store(options.keep and options.keep / "mturk.sqlite3")),
            options.port,
            host=options.host,
            platform=options.platform.rstrip("/"),
            control_token=_keep_token(options.keep) if options.keep else "",
        )
    except (StoreUnreadable, NotLoopback) as error:
        sys.exit(str(error))
    except (OSError, OverflowError) as error:
        sys.exit(f"Cannot serve at {options.host}, port {options.port}: {error}.")
    sys.stdout.write(
        f"The MTurk simulator is at {server.url}/\n"
        f"  its control panel (clock, faults, accounts): {server.control_link}\n"
    )
    sys.stdout.flush()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m mturk_simulator",
        description="Run a simulator of Amazon Mechanical Turk on this machine, for a rehearsal.",
    )
    parser.add_argument("--port", type=int, default=8800, help="0 for any free port (8800)")
    parser.add_argument("--host", default="127.0.0.1", help="a loopback address (127.0.0.1)")
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="keep the state and the control's token in a folder; default: in memory",
    )
    parser.add_argument("--platform", default="", help="address of the site, for links to it")
    return parser


def _keep_token(folder: Path) -> str:
    """Return the token stored in a folder, or store a new one that only its owner can read."""
    path = folder / "mturk_control_token"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(), encoding="utf-8")
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
