"""Row F: a paid batch in the simulator whose commands are killed repeatedly."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

from attacked_site import REPOSITORY, STUDY, AttackedSite, Finding
from serving import HOST, free_port, serving

N_WORKERS = 12
MAX_SECONDS = 2.5  # until a command is killed; starting takes the first second
N_KILLS = 6  # per command, at most


def kill_the_payers(folder: Path, database_url: str, seed: int) -> Finding:
    """Publish, fetch and pay with commands killed at random moments, and by two processes."""
    simulator = f"http://{HOST}:{free_port()}"
    site = AttackedSite.prepare(folder, database_url, MTURK_SIMULATOR_URL=simulator)
    site.make_study(4, ratings=N_WORKERS // 4, block_size=2)
    command = [sys.executable, "-m", "mturk_simulator", "--keep", str(folder), "--port"]
    common = {"cwd": REPOSITORY, "environment": site.environment, "log": folder / "simulator.log"}
    rng = random.Random(seed)  # noqa: S311  (moments of kills)
    with serving([*command, simulator.rpartition(":")[2]], url=simulator, **common), site.serving():
        site.script("site_money.py", "plan", STUDY)
        n_killed = _run_with_kills(site, "publish_batch", rng)
        site.script("site_money.py", "work", STUDY, site.url, str(N_WORKERS))
        n_killed += _run_with_kills(site, "fetch_batch", rng)
        site.script("site_money.py", "promise", STUDY)
        n_killed += _run_with_kills(site, "pay_batch", rng)
        _pay_by_two(site)
        tally = json.loads(site.script("site_money.py", "tally", STUDY))
    return Finding(
        "F", f"publish, fetch, pay killed at {n_killed} random moments, and paid by two at once",
        "each paid once; account = ledger",
        f"{tally['n_hits']} HITs ({tally['n_hits_there']} there), {tally['n_rewards']} rewards, "
        f"{tally['n_bonuses']} bonuses; account {tally['account'] / 100:.2f} = "
        f"ledger {tally['ledger'] / 100:.2f}",
        tally["account"] == tally["ledger"] > 0
        and tally["n_hits"] == tally["n_hits_there"]
        and tally["n_rewards"] == tally["n_bonuses"] == N_WORKERS,
    )  # fmt: skip


def _run_with_kills(site: AttackedSite, command: str, rng: random.Random) -> int:
    """Run a command, killing it at random moments, until it succeeds; return the kills."""
    for n_killed in range(N_KILLS):
        started = _start(site, command)
        try:
            started.wait(timeout=rng.uniform(0.8, MAX_SECONDS))
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
        else:
            return n_killed
    site.manage(command, STUDY, "1")
    return N_KILLS


def _pay_by_two(site: AttackedSite) -> None:
    """Pay by two processes at once, then by one, which must have nothing to do."""
    for payer in [_start(site, "pay_batch") for _ in range(2)]:
        payer.wait()
    site.manage("pay_batch", STUDY, "1")


def _start(site: AttackedSite, command: str) -> "subprocess.Popen[bytes]":
    words = [sys.executable, "manage.py", command, STUDY, "1"]
    with site.log.open("a") as heard:
        return subprocess.Popen(  # noqa: S603  (a command of our own)
            words, cwd=REPOSITORY, env=site.environment, stdout=heard, stderr=heard,
            start_new_session=True,
        )  # fmt: skip
