"""Runs the blocks of documents as a reader does who types them into terminals."""

import io
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from itertools import groupby
from pathlib import Path
from subprocess import CompletedProcess

from preprocess.__main__ import main as preprocess
from tests.documents.reading import Block
from tests.end_to_end.commands import run_commands, run_module
from tests.end_to_end.databases import free_port

# The last serves what the others do, and more; tests/end_to_end/test_serve.py tries each, and the
# demo studies, which take longest and which no other command needs.
SERVED = ("scripts/serve", "scripts/serve --with-mturk")
IS_UP = "To stop"
START_SECONDS = 180
OURS = ("DEBUG", "ALLOWED_HOSTS", "ENV_FILE", "SECRET_KEY", "SITE_URL", "VAR_DIR", "DATABASE_URL")
COMMENT = re.compile(r"(^|\s+)#.*$")
NAME_OF_FILE = re.compile(r"# (\w+\.toml)$")
PLAIN_PYTHON = re.compile(r"python (manage\.py|-m (?:pre|post)process)( [^|<>&;$]*?)?(?: > (\S+))?")


LOADS_TORCH = "-m preprocess score"  # takes seconds, and this process has it by then


class Terminal:
    """A terminal in a copy of the repository, and one more in which the site is served."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        inherited = {name: value for name, value in os.environ.items() if name not in OURS}
        path = f"{folder / '.venv/bin'}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**inherited, **environment, "PATH": path}
        self.ports = {"8000": str(free_port()), "8800": str(free_port())}
        self.said: list[str] = []
        self._server: subprocess.Popen[bytes] | None = None

    def follow(self, block: Block, left_out: Mapping[str, str]) -> None:
        """Do what a block says. Raises AssertionError, naming it, for what fails."""
        if block.language == "sh":
            commands = [c for c in split_commands(block.text) if c not in left_out]
            for _, together in groupby(commands, key=_is_of_site):
                self._follow_commands(block, list(together))
        elif block.language == "python":
            script = [sys.executable, "-c", self._here(block.text)]
            self._check(block, "the program", self._run_for_long(script))
        elif found := NAME_OF_FILE.match(block.text.partition("\n")[0]):
            (self.folder / found[1]).write_text(block.text, encoding="utf-8")

    def _follow_commands(self, block: Block, commands: list[str]) -> None:
        """Run commands one by one, or those of the site in one process, to save time."""
        if _is_of_site(commands[0]):
            words = [shlex.split(self._here(command))[2:] for command in commands]
            done = run_commands(words, self.environment, self.folder)
            self._check(block, "; ".join(commands), done)
            self.said.append(done.stdout)
        else:
            for command in commands:
                self._check(block, command, self.run(command))

    def run(self, command: str) -> CompletedProcess[str]:
        """Run a command of a shell, the simple ones in a process that has loaded the libraries."""
        if command.startswith("scripts/serve"):
            return self._serve(command)
        command = self._here(command)
        found = PLAIN_PYTHON.fullmatch(command)
        if not found:
            return self._run_for_long(["bash", "-euo", "pipefail", "-c", command])
        program, arguments, file = found.groups()
        words = shlex.split(arguments or "")
        if LOADS_TORCH in command:
            done = self._run_here(words)
        elif program == "manage.py":
            done = run_commands([words], self.environment, self.folder)
        else:
            module = program.removeprefix("-m ")
            done = run_module([module, *words], self.environment, self.folder)
        if file:
            (self.folder / file).write_text(done.stdout, encoding="utf-8")
        return done

    def _here(self, text: str) -> str:
        """The text with the addresses at which this terminal's site and simulator are served."""
        for usual, ours in self.ports.items():
            text = text.replace(f"127.0.0.1:{usual}", f"127.0.0.1:{ours}")
        return text

    def _run_for_long(self, command: list[str]) -> CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    def _run_here(self, words: list[str]) -> CompletedProcess[str]:
        """Run a command of `preprocess` in this process."""
        out, error = io.StringIO(), io.StringIO()
        with chdir(self.folder), redirect_stdout(out), redirect_stderr(error):
            code = preprocess(words)
        return CompletedProcess(words, code, out.getvalue(), error.getvalue())

    def _serve(self, command: str) -> CompletedProcess[str]:
        """Serve the site with all that commands need, unless it is served; wait for it."""
        if command not in SERVED:
            return CompletedProcess(command, 1, f"not among {SERVED}", "")
        if not self._server:
            options = f"--no-demo --port {self.ports['8000']} --mturk-port {self.ports['8800']}"
            log = self.folder / "served.log"
            with log.open("wb") as heard:
                self._server = subprocess.Popen(
                    ["bash", "-c", f"exec {SERVED[-1]} {options}"], cwd=self.folder, stdout=heard,
                    stderr=heard, env=self.environment, start_new_session=True,
                )  # fmt: skip
            if not _is_up(self._server, log):
                return CompletedProcess(command, 1, log.read_text(encoding="utf-8"), "")
        return CompletedProcess(command, 0, "", "")

    def stop(self) -> None:
        """Stop the site, if it is served."""
        if self._server:
            os.killpg(self._server.pid, signal.SIGTERM)
            self._server.wait(timeout=60)
        self._server = None

    @staticmethod
    def _check(block: Block, command: str, done: CompletedProcess[str]) -> None:
        where = f"{block.document}, block from line {block.line}: {command}"
        assert done.returncode == 0, f"{where}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"


def _is_of_site(command: str) -> bool:
    found = PLAIN_PYTHON.fullmatch(command)
    return bool(found) and found[1] == "manage.py" and not found[3]


@contextmanager
def opened(folder: Path, **environment: str) -> Iterator[Terminal]:
    """A terminal in a folder; what it serves is stopped at the end."""
    terminal = Terminal(folder, environment)
    try:
        yield terminal
    finally:
        terminal.stop()


def split_commands(text: str) -> list[str]:
    """The commands of a block of shell, without comments; those over several lines joined.

    >>> split_commands("scripts/serve    # at 8000\\npython x \\\\\\n  --out y\\n")
    ['scripts/serve', 'python x --out y']
    """
    joined = re.sub(r"\s*\\\n\s*", " ", text)
    lines = (COMMENT.sub("", line).strip() for line in joined.splitlines())
    return [line for line in lines if line]


def _is_up(server: subprocess.Popen[bytes], log: Path) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        if IS_UP in log.read_text(encoding="utf-8"):
            return True
        time.sleep(0.05)
    return False
