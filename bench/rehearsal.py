"""Measure a paid batch of many scripted workers, from planning to payment, in the simulator.

python bench/rehearsal.py --workers 500 --at-once 8
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from serving import AS_SERVED, HOST, free_port, run, serving

REPOSITORY = Path(__file__).resolve().parent.parent
STUDY, N_QUESTIONNAIRES = "rehearsal", 4  # 2 blocks of the 14 demo pairs
BLOCK_SIZE = 7


def rehearse(folder: Path, database_url: str, options: argparse.Namespace) -> str:
    """Return the output of `rehearse_batch` on a fresh site; exit if it fails."""
    site, simulator = (f"http://{HOST}:{free_port()}" for _ in range(2))
    environment = {
        **os.environ,
        "ENV_FILE": os.devnull,
        "DATABASE_URL": database_url,
        "VAR_DIR": str(folder / "var"),
        "SITE_URL": site,
        "MTURK_SIMULATOR_URL": simulator,
    }
    (folder / "var").mkdir()
    python = options.python.absolute()

    def manage(*words: str | Path) -> str:
        return run(python, "manage.py", *words, cwd=REPOSITORY, environment=environment)

    manage("prepare_site", "--no-demo")
    manage(
        "import_stimuli", REPOSITORY / "demo/data_en.tsv", "--study", STUDY, "--language", "en",
        "--ratings-per-context", str(-(-options.workers // N_QUESTIONNAIRES)),
        "--block-size", str(BLOCK_SIZE),
    )  # fmt: skip
    manage(
        "open_study", STUDY, "--organisation", "Benchmark", "--contact", "bench@example.org",
        "--consent-reviewed-by", "Benchmark",
    )  # fmt: skip
    stand_in = [str(python), "-m", "mturk_simulator", "--keep", str(folder), "--port"]
    common = {"cwd": REPOSITORY, "environment": environment, "log": folder / "server.log"}
    served = AS_SERVED.command(
        python, int(site.rpartition(":")[2]), "annotation_site.wsgi:application"
    )
    with (
        serving([*stand_in, simulator.rpartition(":")[2]], url=simulator, **common),
        serving(served, url=site, **common),
    ):
        return manage(
            "rehearse_batch", STUDY, "--base-url", site, "--workers", str(options.workers),
            "--at-once", str(options.at_once),
        )  # fmt: skip


def main() -> None:
    """Rehearse once and print the result with the load of the machine before and after."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    add("--workers", type=int, default=500, help="number of workers and of places (500)")
    add("--at-once", type=int, default=8, help="number of workers at the same time (8)")
    add("--database-url", help="an empty database; else a SQLite file")
    add("--python", type=Path, default=Path(sys.executable), help="of the site")
    options = parser.parse_args()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        output = rehearse(folder, options.database_url or f"sqlite:///{folder / 'site'}", options)
    sys.stdout.write(output)
    sys.stdout.write(f"Load average: {before:.1f} before, {os.getloadavg()[0]:.1f} after.\n")


if __name__ == "__main__":
    main()
