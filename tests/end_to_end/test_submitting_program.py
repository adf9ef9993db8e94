"""The program of docs/sharedtasks.md, run unchanged on a real site."""

import pytest

from tests.documents.reading import read_blocks
from tests.end_to_end.site import Site
from tests.factories.sharedtasks import predictions, result_file

pytestmark = pytest.mark.needs("sharedtasks")

BLOCKS = [block.text for block in read_blocks("docs/sharedtasks.md") if block.language == "python"]
# Prints the key of a token of a team's member.
MADE = """
from datetime import timedelta
from django.utils import timezone
from surveys.access.api_tokens import make_token
from tests.factories.sharedtasks import make_data, make_phase, make_shared_task, make_team
now = timezone.now()
shared_task = make_shared_task(slug="by-program", opened_at=now)
make_data(shared_task)
make_phase(shared_task, opens_at=now - timedelta(days=1), closes_at=None, visibility="own")
team = make_team(shared_task, "Nightly Otters")
user = team.members.get().participant.user
print(make_token(user, "nightly", ["sharedtasks:write"])[1])
"""


@pytest.fixture
def variables(shared_site: Site, tmp_path):
    """What the program needs; its folder is empty."""
    key = shared_site.manage("shell", "--no-imports", "-c", MADE).strip()
    return {"SITE": shared_site.url, "TASK": "by-program", "TOKEN": key, "FOLDER": str(tmp_path)}


def test_the_program_checks_and_submits(variables, tmp_path, capsys):
    name, content = result_file(predictions())
    (tmp_path / name).write_bytes(content.replace(b"\n", b"\n0,5\n", 1))
    with pytest.raises(SystemExit, match="nothing was counted"):
        exec(BLOCKS[0], dict(variables))  # noqa: S102  (our own page)
    assert f"{name} 1 change " in capsys.readouterr().out

    (tmp_path / name).write_bytes(content)
    for block in BLOCKS:
        exec(block, variables)  # noqa: S102

    assert len(BLOCKS) == 3
    said = capsys.readouterr().out
    assert "This will be attempt 1 of 9" in said
    assert "Submission 1 is stored; 8 attempts are left" in said
    (score,) = variables["submission"]["scores"]
    assert f"1 sl {score['score']}\n" in said
    assert variables["submission"]["note"] == "layer 17"
