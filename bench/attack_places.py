"""Rows B and C: simultaneous arrivals; annotators leave, return, and others take over."""

from collections import Counter
from functools import partial

import httpx
from attacked_site import (
    STUDY,
    WORDS,
    AttackedSite,
    Finding,
    open_browser,
    read_consent,
    send_at_once,
)

N_PLACES, N_ARRIVALS = 50, 60
N_TABS = 40
N_ITEMS, N_LEAVERS, N_BACK, QUOTA = 25, 20, 5, 4
LEFT_AFTER = 10  # items
LAPSED_HOURS = 48
COUNTED = """
SELECT r.context_id, count(*) FROM surveys_response r
JOIN surveys_assignment a ON a.id = r.assignment_id
WHERE r.rated_at IS NOT NULL AND a.state = 'submitted' AND NOT a.is_over_quota
GROUP BY r.context_id
"""


def arrive_at_once(site: AttackedSite) -> Finding:
    """Let 60 people consent at the same time for 50 places, and again."""
    site.make_study(2, ratings=N_PLACES // 2, block_size=2)
    links = site.invite(N_ARRIVALS)
    with site.serving(), open_browser() as browser:
        consent = read_consent(browser, links[0])
        agree = [partial(_post_alone, link, consent) for link in links]
        first, second = send_at_once(agree), send_at_once(agree)
        codes = Counter(answer.status_code for answer in first)
        same = sum(
            one.headers.get("location") == two.headers.get("location")
            for one, two in zip(first, second, strict=True)
        )
    places = {answer.headers["location"] for answer in first if answer.has_redirect_location}
    return Finding(
        "B", f"{N_ARRIVALS} people consent at once for {N_PLACES} places, and again",
        f"exactly {N_PLACES} places, a repetition redirects to the same one",
        f"{codes[302]} places, {codes[409]} refused, {same} redirected to the same",
        codes == {302: N_PLACES, 409: N_ARRIVALS - N_PLACES}
        and (len(places), same) == (N_PLACES, N_ARRIVALS),
    )  # fmt: skip


def send_from_many_tabs(site: AttackedSite) -> Finding:
    """Send each form of an item from 40 tabs at once; each must take effect once."""
    site.make_study(2, ratings=2, block_size=2)
    (link,) = site.invite(1)
    with site.serving(), open_browser() as browser:
        consent = read_consent(browser, link)
        arrived = send_at_once([partial(_post_alone, link, consent)] * N_TABS)
        survey = site.url + arrived[0].headers["location"]
        _introduce(survey)
        answers = {
            address: send_at_once([partial(_post_alone, f"{survey}{address}", data)] * N_TABS)
            for address, data in (
                ("1/words/", WORDS), ("1/rating/", {"rating": "3"}),
                ("2/words/", WORDS), ("2/rating/", {"rating": "4"}),
            )
        }  # fmt: skip
    ways = [arrived, *answers.values()]
    n_addresses = [len({answer.headers.get("location") for answer in way}) for way in ways]
    ((n_assignments,),) = site.query("SELECT count(*) FROM surveys_assignment")
    ((n_rated,),) = site.query("SELECT count(*) FROM surveys_response WHERE rated_at IS NOT NULL")
    return Finding(
        "B", f"each form sent from {N_TABS} tabs at once", "each takes effect once",
        f"{n_assignments} assignment, {n_rated} ratings, {max(n_addresses)} address a form",
        (n_assignments, n_rated, max(n_addresses)) == (1, 2, 1),
    )  # fmt: skip


def leave_and_return(site: AttackedSite) -> Finding:
    """Let half leave and their leases lapse, others take over, and some of the first return."""
    n_all = N_ITEMS * 2 * QUOTA // N_ITEMS * 5  # five blocks of two questionnaires
    site.make_study(5 * N_ITEMS, ratings=QUOTA, block_size=N_ITEMS)
    with site.serving():
        surveys = [_begin(site, link) for link in site.invite(n_all)]
        leavers, stayers = surveys[:N_LEAVERS], surveys[N_LEAVERS:]
        send_at_once([partial(_answer, one, 1, LEFT_AFTER) for one in leavers])
        send_at_once([partial(_answer, one, 1, N_ITEMS) for one in stayers])
        site.script("site_data.py", "lapse", str(LAPSED_HOURS))
        newcomers = [_begin(site, link) for link in site.invite(N_LEAVERS)]
        send_at_once([partial(_answer, one, 1, N_ITEMS) for one in newcomers])
        send_at_once([partial(_answer, one, LEFT_AFTER + 1, N_ITEMS) for one in leavers[:N_BACK]])
    counts = Counter(n for _, n in site.query(COUNTED))
    n_contexts = 10 * N_ITEMS
    n_over = sum(n for quota, n in counts.items() if quota > QUOTA)
    ((n_late,),) = site.query("SELECT count(*) FROM surveys_assignment WHERE is_over_quota")
    return Finding(
        "C", f"{N_LEAVERS} of {n_all} leave, leases lapse, {N_LEAVERS} come, {N_BACK} return",
        f"{n_contexts} contexts at quota, 0 over",
        f"{counts[QUOTA]} of {n_contexts} at quota, {n_over} over, {n_late} marked over quota",
        (counts[QUOTA], n_over) == (n_contexts, 0),
    )  # fmt: skip


def _begin(site: AttackedSite, link: str) -> str:
    with open_browser() as browser:
        consent = read_consent(browser, link)
    answer = _post_alone(link, consent)
    if not answer.has_redirect_location:
        raise SystemExit(f"{STUDY}: an arrival was answered with {answer.status_code}.")
    survey = site.url + answer.headers["location"]
    _introduce(survey)
    return survey


def _introduce(survey: str) -> None:
    _post_alone(f"{survey}instructions/")
    _post_alone(f"{survey}practice/answer/?item=2")


def _answer(survey: str, first: int, last: int) -> httpx.Response:
    """Answer items of an assignment; return the last response."""
    for position in range(first, last + 1):
        _post_alone(f"{survey}{position}/words/", WORDS)
        answer = _post_alone(f"{survey}{position}/rating/", {"rating": str(position % 7)})
    return answer


def _post_alone(url: str, data: dict[str, str] | None = None) -> httpx.Response:
    with open_browser() as browser:
        return browser.post(url, data=data)
