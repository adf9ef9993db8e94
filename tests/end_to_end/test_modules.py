"""No process that serves pages loads pandas, SciPy, matplotlib or pyarrow, whatever is asked for.

The job process calculates what needs them. Here a process with one beside it asks itself for every
page, and must not import them.
"""

import json
import subprocess
import sys

from tests.end_to_end.site import Site
from tests.machine import ROOT

# Prints, as JSON, a session of each person, and values for the parts of addresses by namespace.
MADE = """
import json
from datetime import timedelta
from django.contrib.auth.models import User
from django.utils import timezone
from tests.factories.clients import session_of
from surveys.sharedtasks.models import Submission, Team
from surveys.sharedtasks.demo import prepare_shared_task
from surveys.rehearsal.finished.study import prepare_finished_study
from tests.factories.sharedtasks import score_all
from tests.factories.sharedtasks import make_data, make_phase, make_shared_task, make_team, send
now = timezone.now()
study, finished = prepare_finished_study(), prepare_shared_task()
shared_task = make_shared_task(opened_at=now)
make_data(shared_task)
times = {"opens_at": now - timedelta(days=1), "closes_at": now + timedelta(days=1)}
phase = make_phase(shared_task, visibility="board", **times)
team = make_team(shared_task)
for seed, sender in enumerate((team, team, make_team(shared_task, "Herons"))):
    send(sender, phase, seed=seed, now=now)
score_all()
run = study.runs.filter(kind="results").first()
assignment = study.annotators.first().assignments.first()
of_study = {
    "slug": study.slug, "kind": "consent", "code": study.annotators.first().code, "row": 1,
    "pair_id": study.pairs.first().pk, "run_id": run.pk, "number": 1, "position": 1,
    "invitation_id": study.invitations.first().pk, "token": assignment.token,
}
of_task = {
    "slug": shared_task.slug, "task": shared_task.slug, "phase": phase.name, "name": phase.name,
    "subtask": 1, "number": 1, "team_id": team.pk, "language": "sl", "code": team.code,
    "submission_id": team.submissions.first().pk, "ending": "html", "form": "svg",
}
demo = {**of_task, "slug": "demo", "task": "demo", "code": finished.teams.first().code}
files = [{**demo, "ending": ending, "form": "png"} for ending in ("csv", "json", "tex")]
looker = User.objects.create_superuser("modules")
print(json.dumps({
    "sessions": ["", session_of(looker), session_of(team.members.get().participant.user)],
    "parts": {
        "console": [of_study], "annotate": [of_study], "public": [of_study], "docs": [of_study],
        "api": [{**of_study, **of_task, "slug": study.slug}], "organisers": [of_task, demo],
        "sharedtasks": [of_task, demo, *files],
    },
    "study": study.slug,
}))
"""
# Asks for all of that, and prints how often each status was answered, and what was loaded where.
ASKED = """
import json, sys, traceback
from collections import Counter
from pathlib import Path
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import NoReverseMatch, URLResolver, get_resolver, reverse
from surveys.operations.job_process import JOB_PROCESS
from surveys.results.run_inspection import write_recipe
from surveys.jobs.dispatcher import perform_asked
HEAVY = {"pandas", "scipy", "matplotlib", "pyarrow", "sklearn", "torch"}
given, loaded, answered = json.loads(Path(GIVEN).read_text()), {}, Counter()
JOB_PROCESS.start_keeper(perform_asked)
class Refuser:
    page = "the start"
    def find_spec(self, name, path=None, target=None):
        if name in HEAVY:
            frames = [f for f in traceback.extract_stack() if "/surveys/" in f.filename]
            loaded[self.page] = [name, f"{frames[-1].filename}:{frames[-1].lineno}"]
            raise ImportError(name)
loaded |= {"the start": name for name in HEAVY & {*sys.modules}}
sys.meta_path.insert(0, Refuser())
def list_names(resolver, *names):
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "admin":
                inner = (pattern.namespace,) if pattern.namespace else ()
                yield from list_names(pattern, *names, *inner)
        elif names and pattern.name:
            yield names[0], pattern.name, {*pattern.pattern.converters}
def list_addresses():
    for namespace, name, wanted in list_names(get_resolver()):
        for parts in given["parts"].get(namespace, []):
            if wanted <= {*parts} and name != "sign_out":
                try:
                    kwargs = {part: parts[part] for part in wanted}
                    yield reverse(f"{namespace}:{name}", kwargs=kwargs)
                except NoReverseMatch:
                    pass
def send(client, address, **data):
    Refuser.page = f"POST {address}"
    return client.post(address, data, follow=True).status_code
for session in given["sessions"]:
    client = Client(headers={"host": "127.0.0.1"}, raise_request_exception=False)
    client.cookies["sessionid"] = session
    for address in dict.fromkeys(list_addresses()):
        Refuser.page = address
        answer = client.get(address)
        b"".join(answer)
        answered[answer.status_code // 100] += 1
client.cookies["sessionid"] = given["sessions"][1]
study, demo = f"/console/studies/{given['study']}", Path("demo")
def file(name, as_name=""):
    return SimpleUploadedFile(as_name or name, (demo / name).read_bytes())
recipe = write_recipe("cosimlex")
collections = f"{study}/results/comparisons/collections/new/"
model = {"kind": "model", "model": "m", "language": "sl", "name": "a model"}
changes = SimpleUploadedFile("results_subtask1_sl.tsv", b"change\\n" + b"0.5\\n1\\n2\\n" * 4)
posted = [
    send(client, f"{study}/results/toml/", recipe=recipe, look="yes"),
    send(client, f"{study}/results/toml/", recipe=recipe),
    send(client, f"{study}/collection/agreement/"),
    send(client, f"{study}/collection/agreement/annotators/"),
    send(client, f"{study}/review/1/effect/"),
    send(client, "/console/audit/", dataset=file("ratings_sl.csv"), least="", most=40),
    send(client, collections, file=file("ratings_sl_model.csv"), **model),
    send(client, "/console/new/", file=file("data_en.tsv"), title="A", slug="a", language="en"),
    send(client, "/console/shared-tasks/gwsc/phases/codabench/1/"),
]
client.cookies["sessionid"] = given["sessions"][2]
posted.append(send(client, "/tasks/gwsc/team/submit/", phase="evaluation", results=changes))
print(json.dumps({"loaded": loaded, "answered": answered, "posted": posted}))
"""


def test_every_page_is_made_without_the_libraries_of_the_job_process(site: Site, tmp_path):
    given = tmp_path / "given.json"
    given.write_text(site.manage("shell", "--no-imports", "-c", MADE))

    asked = ASKED.replace("GIVEN", repr(str(given)))
    found = json.loads(run_anew(site, asked))

    assert found["loaded"] == {}
    assert {*found["posted"]} <= {200, 409, 422}
    assert "5" not in found["answered"]
    assert found["answered"]["2"] > 200


def run_anew(site: Site, code: str) -> str:
    """What code prints in a process of its own, which has loaded nothing before."""
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", code]
    done = subprocess.run(
        command, cwd=ROOT, env=site.environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
