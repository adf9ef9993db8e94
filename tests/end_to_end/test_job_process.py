"""The job process: at most one of a site, on demand; `test_background.py` ends its site."""

import json

from tests.end_to_end.site import Site

# A site in small: a keeper, whose job process ends soon and tells who it was, and what asks it.
BEGUN = """
import json, os, time
from surveys.errors import NotCalculated
from surveys.operations import job_process
from surveys.operations.job_process import JOB_PROCESS, in_job_process, read_messages
job_process.IDLE_SECONDS, job_process.PAUSE = 0.5, 0
reader, writer = os.pipe()
def tell(receiver):
    for _ in read_messages(receiver, lambda: False):
        os.write(writer, f"{os.getpid()}\\n".encode())
JOB_PROCESS.start_keeper(tell)
def told(n):
    text = b""
    while text.count(b"\\n") < n:
        text += os.read(reader, 9999)
    return [int(line) for line in text.splitlines()]
"""
ASKED_BY_TWO = f"""{BEGUN}
for _ in range(2):
    if os.fork() == 0:
        JOB_PROCESS.wake()
        os._exit(0)
pids = told(2)
while os.path.exists(f"/proc/{{pids[0]}}"):
    time.sleep(0.05)
JOB_PROCESS.wake()
(later,) = told(1)
print(json.dumps([len({{*pids}}), later in pids]))
"""
CALLED = f"""{BEGUN}
there = JOB_PROCESS.call(os.getpid)
raised = []
for call in (lambda: JOB_PROCESS.call(int, "x"), lambda: JOB_PROCESS.call(os._exit, 3)):
    try:
        call()
    except (ValueError, NotCalculated) as error:
        raised.append(type(error).__name__)
again = JOB_PROCESS.call(int, "11", base=2)
print(json.dumps([there == os.getpid(), raised, again]))
"""


def run(site: Site, code: str) -> str:
    return site.manage("shell", "--no-imports", "-c", code)


def test_two_that_ask_at_once_share_a_process_and_a_later_one_gets_another(shared_site: Site):
    assert json.loads(run(shared_site, ASKED_BY_TWO)) == [1, False]


def test_a_call_returns_or_raises_and_the_next_succeeds_after_a_death(shared_site: Site):
    found = json.loads(run(shared_site, CALLED))

    assert found == [False, ["ValueError", "NotCalculated"], 3]
