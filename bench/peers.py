"""Measurement of the peers by the scripts of the load generator."""

import json
import os
from pathlib import Path
from typing import Any

from measuring import Load
from serving import run

CASES = ("turkle-sqlite", "turkle-pg", "potato", "potato-minimal", "otree")
DROPOUT_CASES = ("turkle-pg", "potato", "otree")


class Peers:
    """Turkle, Potato and oTree as set up under BENCH_HOME."""

    def __init__(self, home: Path, generator: Path) -> None:
        self.home, self.scripts = home, generator / "peer_setup"

    @classmethod
    def find(cls, generator: Path) -> "Peers":
        """Return the peers; exit if they are not set up."""
        home = Path(os.environ.get("BENCH_HOME", "/nowhere"))
        if not (home / "vl/bin/python").exists() or not (generator / "peer_setup").exists():
            raise SystemExit(
                "The peers need the folder of --generator and what it sets up in BENCH_HOME; "
                "see bench/README.md. Without --cases, Cosima and the bare app are measured."
            )
        return cls(home.resolve(), generator.resolve())

    def _run(self, script: str, *arguments: str | Path) -> None:
        environment = {
            **os.environ,
            "BENCH_HOME": str(self.home),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        words = (self.home / "vl/bin/python", self.scripts / script, *arguments)
        run(*words, cwd=self.home, environment=environment)

    def measure(self, case: str, load: Load, name: str) -> dict[str, Any]:
        """Run a load once; its 200 items are the same texts."""
        peer, _, profile = case.partition("-minimal")
        profile = "minimal" if case.endswith("-minimal") else "browser"
        counts = str(load.n_annotators), str(load.n_tasks)
        self._run("run_peers.py", peer, *counts, name, "--profile", profile)
        out = self.home / f"out/{peer}-{profile}-n{load.n_annotators}-{name}.json"
        result: dict[str, Any] = json.loads(out.read_text())
        return {**result, "faults": _describe(result["check"], load)}

    def measure_dropout(self, case: str) -> dict[str, Any]:
        """Measure drop-outs: 20 leave early, 20 stay, 20 come."""
        self._run("dropout.py", case)
        counts = json.loads((self.home / f"out/dropout-{case}.json").read_text())
        finding = {
            "acknowledged": counts["acknowledged"],
            "stored": counts["stored"],
            "left_over": 0,
            "contexts": 200,
            "at_quota": counts["items_at_quota"],
            "over_quota": counts["judgements_over_quota"],
        }
        return {"check": finding, "faults": _describe(counts, None), "errors": []}


def _describe(counts: dict[str, Any], load: Load | None) -> str:
    """Return a description of the errors in a peer's stored answers."""
    names = {
        "acknowledged_but_lost": "lost",
        "overwritten_by_a_later_answer": "overwritten",
        "stored_but_not_acknowledged": "unacknowledged",
        "same_item_twice_by_one_annotator": "doubled",
        "judgements_over_quota": "over_quota",
    }
    wrong = [f"{counts[name]} {word}" for name, word in names.items() if counts[name]]
    if load and load.fills_the_quota and load.n_contexts == 200 and counts["items_under_quota"]:
        wrong.append(f"{200 - counts['items_under_quota']} of 200 contexts at quota")
    return ", ".join(wrong)
