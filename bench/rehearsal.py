"""Measure a paid batch of many scripted workers, from planning to payment, in the simulator.

.venv/bin/python bench/rehearsal.py --workers 500 --at-once 8
"""

import argparse
import os

from databases import CLUSTER, DATABASES
from reporting import read_options, say
from serving import HOST, free_port, serving
from sites import STUDY, fresh_site

N_QUESTIONNAIRES, BLOCK_SIZE = 4, 7  # 2 blocks of 14 pairs


def rehearse(kind: str, options: argparse.Namespace) -> str:
    """Return the output of `batch rehearse` on a fresh site; exit if it fails."""
    port = free_port()
    simulator = f"http://{HOST}:{port}"
    with fresh_site(kind, options.cluster, MTURK_SIMULATOR_URL=simulator) as site:
        ratings = -(-options.workers // N_QUESTIONNAIRES)
        site.manage("prepare_site", "--no-demo")
        site.make_study(4 * BLOCK_SIZE, ratings=ratings, block_size=BLOCK_SIZE)
        words = ["-m", "mturk_simulator", "--keep", str(site.folder), "--port", str(port)]
        with (
            serving(
                [str(site.python), *words], url=simulator, cwd=site.cwd,
                environment=site.environment, log=site.folder / "simulator.log",
            ),
            site.serving(),
        ):  # fmt: skip
            return site.manage(
                "batch", "rehearse", STUDY, "--base-url", site.url,
                "--workers", str(options.workers), "--at-once", str(options.at_once),
            )  # fmt: skip


def main() -> None:
    """Rehearse on each database."""
    options = read_options(
        __doc__,
        workers=(500, "number of workers and of places"),
        at_once=(8, "number of workers at the same time"),
        databases=DATABASES,
        cluster=CLUSTER,
    )
    for kind in options.databases:
        say(rehearse(kind, options))
    say(f"load average after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
