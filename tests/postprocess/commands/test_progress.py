import io
import sys

from postprocess.commands.progress import showing_progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_shows_a_share_if_the_total_is_known(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    with showing_progress() as progress:
        progress("scoring", 1, 4)
        progress("estimating, step 3", 0, 0)

    assert terminal.getvalue().split("\r")[1:3] == ["scoring … 25 %", "estimating, step 3 …"]


def test_progress_is_silent_without_a_terminal(capsys):
    with showing_progress() as progress:
        progress("scoring", 1, 4)

    assert capsys.readouterr().err == ""
