"""People who come through an entrance, and the codes that they hand back."""

from surveys.models import Assignment, Entrance
from surveys.models.participation import make_token
from surveys.participation.arrivals import start_through
from surveys.recruitment.completion_codes import Completion
from surveys.recruitment.providers import Claims, read_claims

CODES = {"completion_code": "DONE1", "no_place_code": "FULL1"}
ADDRESS, FINISH = "https://app.prolific.com/submissions/complete?cc=", "Finish on Prolific"
DONE = Completion("DONE1", f"{ADDRESS}DONE1", FINISH)
FULL = Completion("FULL1", f"{ADDRESS}FULL1", FINISH)


def claims_of(worker_id: str, submission: str = "s1") -> Claims:
    claims = read_claims(
        "prolific", {"PROLIFIC_PID": worker_id, "STUDY_ID": "st1", "SESSION_ID": submission}
    )
    assert claims is not None
    return claims


def arrive(entrance: Entrance, worker_id: str = "w1", submission: str = "s1") -> Assignment:
    return start_through(entrance, make_token(), claims_of(worker_id, submission))
