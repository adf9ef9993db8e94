"""Whether annotators' pages stay as fast when millions of responses are stored.

    .venv/bin/python bench/volume.py --cluster postgres://postgres@127.0.0.1:5432
    .venv/bin/python bench/volume.py --sizes 10000 1000000

Each size has a fresh site. Half of its responses are in the study that is measured (20,000 pairs,
nearly all places held), half in studies of 500 pairs beside it. The sites of a database are
measured in turn, several times, through the WSGI application: no network, no other annotators.
"""

import argparse
import io
import json
import os
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode, urlsplit

import django
from databases import fresh_database, settle
from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models
from django.utils import timezone
from serving import run

REPOSITORY = Path(__file__).resolve().parent.parent
STUDY, N_PAIRS, N_PAIRS_BESIDE, BLOCK_SIZE, N_CHECKPOINTS = "measured", 20_000, 500, 20, 10
RATINGS_BESIDE = 100  # of a context in the other studies
MOST_UNDER_WAY = 2500  # assignments in the measured study
WARM_UP = 4  # annotators before those who are measured
RESUMED_AT = 3  # the item before whose words every annotator's lease ends
DATABASES = {"sqlite": "SQLite", "pg": "PostgreSQL"}
HEADER = (
    "word1\tword2\tcontext1\tcontext2\t"
    "word1_context1\tword2_context1\tword1_context2\tword2_context2\n"
)
CHECKPOINTS = "word1\tword2\tcontext\tword1_context\tword2_context\tlowest\thighest\n"
FILLER = "Nobody came by, and the road lay still as far as one could see. " * 6

# Who holds which place. `k` numbers the assignments; every twentieth is a second one of an
# annotator. In the measured study every twentieth is expired and its place free, and the last
# ones are under way, a tenth of them on leases that only their answers keep up. In the others,
# where nobody arrives any more, every fiftieth was left long ago and has never expired.
FILLING = """
CREATE TEMPORARY TABLE filling AS
SELECT seated.*, CASE k %% 20 WHEN 2 THEN k - 2 ELSE k END AS who,
  CASE state WHEN 'submitted' THEN 1000 ELSE 1 + k %% 19 END AS n_answered,
  CASE WHEN is_recent AND k %% 10 > 0 THEN {minutes_ago} ELSE {days_ago} END AS active_at,
  CASE WHEN is_recent THEN {minutes_ago} ELSE {days_ago} END AS acted_at
FROM (
  SELECT n + {first} AS k, n >= {n_done} AS is_recent, id, study_id, questionnaire_id, round_id,
    CASE WHEN n >= {n_done} OR ({is_beside} AND n %% 50 = 7) THEN 'started'
      WHEN n %% 20 = 13 AND NOT {is_beside} THEN 'expired' ELSE 'submitted' END AS state
  FROM (
    SELECT p.*, ROW_NUMBER() OVER (ORDER BY p.study_id, p.number, p.id) - 1 AS n
    FROM surveys_place p JOIN surveys_study s ON s.id = p.study_id
    WHERE (s.slug <> '{study}') = {is_beside}
  ) numbered WHERE n < {n}
) seated ORDER BY k
"""
ITEMS = """filling f CROSS JOIN surveys_item t CROSS JOIN surveys_context c
WHERE t.questionnaire_id = f.questionnaire_id AND c.id = t.context_id"""
CHECKPOINT_ITEMS = """filling f CROSS JOIN surveys_pair t CROSS JOIN surveys_context c
WHERE t.study_id = f.study_id AND t.is_checkpoint AND t.position = 1 + f.k %% 10
  AND c.pair_id = t.id"""
PEOPLE, SENT_PEOPLE = "filling f WHERE f.who = f.k", "filling f WHERE f.k %% 4 = 1"
ENTRANCE = "(SELECT id FROM surveys_entrance e WHERE e.study_id = f.study_id AND provider = '{}')"
CONSENT = "(SELECT id FROM surveys_studytext t WHERE t.study_id = f.study_id AND kind = 'consent')"
DIALECTS = {
    "sqlite": {
        "token": "substr(lower(hex(randomblob(16))), 1, {})",
        "ago": "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', '-' || ({}) || ' seconds')",
    },
    "postgresql": {
        "token": "substr(md5(random()::text || f.k), 1, {})",
        "ago": "now() - ({}) * interval '1 second'",
    },
}
Figures = dict[str, list[tuple[float, int]]]  # milliseconds and queries, by the request's name


def import_studies(n_measured: int, n_beside: int) -> None:
    """Import studies with room for so many assignments, by the app's own actions."""
    from surveys.checkpointing import import_checkpoints
    from surveys.configuring import configure_study

    for number in range(-(-n_beside // (2 * N_PAIRS_BESIDE // BLOCK_SIZE * RATINGS_BESIDE))):
        import_study(f"beside{number}", N_PAIRS_BESIDE, RATINGS_BESIDE)
    # A place for each assignment, a tenth more, and one or two more in each questionnaire.
    study = import_study(STUDY, N_PAIRS, 2 + int(1.1 * n_measured) // (2 * N_PAIRS // BLOCK_SIZE))
    configure_study(study, allows_more_blocks=True, n_check_tries=3)
    rows = "".join(
        f"dawn{n}\tdusk{n}\tA <strong>dawn{n}</strong> is no <strong>dusk{n}</strong>, it is said."
        f"\tdawn{n}\tdusk{n}\t0\t2\n"
        for n in range(N_CHECKPOINTS)
    )
    import_checkpoints(study, f"{CHECKPOINTS}{rows}".encode(), per_assignment=1)


def import_study(slug: str, n_pairs: int, n_ratings: int) -> Any:
    """Import a study, open both its entrances and store its consent."""
    from surveys.importing import StudyDesign, import_stimuli
    from surveys.models import Study, TextKind
    from surveys.recruiting import open_entrance
    from surveys.wording import current_text

    design = StudyDesign(
        slug=slug, language="en", ratings_per_context=n_ratings, block_size=BLOCK_SIZE
    )
    import_stimuli(f"{HEADER}{''.join(map(write_pair, range(n_pairs)))}".encode(), design)
    study = Study.objects.get(slug=slug)
    current_text(study, TextKind.CONSENT)
    for provider in ("link", "prolific"):
        open_entrance(study, provider, cap=10**9, completion_code="DONE", no_place_code="FULL")
    return study


def write_pair(number: int) -> str:
    """A row of a stimuli file."""
    one, two = f"alpha{number}", f"beta{number}"
    contexts = (
        f"Rain fell on <strong>{one}</strong>. {FILLER}Then <strong>{two}</strong> left.",
        f"Here stood <strong>{two}</strong>. {FILLER}There <strong>{one}</strong> lay.",
    )
    return "\t".join((one, two, *contexts, one, two, one, two)) + "\n"


def fill(n_responses: int) -> None:
    """Fill a fresh site with about so many responses."""
    n_beside = n_responses // 2 // BLOCK_SIZE // 20 * 20
    n_measured = n_responses // 2 // (BLOCK_SIZE + 1) // 20 * 20
    import_studies(n_measured, n_beside)
    tables = list(apps.get_app_config("surveys").get_models())
    if connection.vendor == "sqlite":
        settings = ["PRAGMA journal_mode = OFF", "PRAGMA cache_size = -1000000"]
        settings += ["PRAGMA foreign_keys = OFF"]  # they are checked in one go afterwards
    else:
        settings = ["SET work_mem = '256MB'", "SET session_replication_role = replica"]
    execute(*settings)
    seat(n_beside, n_beside, first=20, is_beside=True)
    n_done = n_measured - min(MOST_UNDER_WAY, n_measured // 50)
    seat(n_measured, n_done, first=20 + n_beside, is_beside=False)
    execute(*connection.ops.sequence_reset_sql(no_style(), tables))
    check_foreign_keys(tables)


def execute(*statements: str) -> None:
    """Execute statements, in which `%%` is a percent sign."""
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, [])


def seat(n: int, n_done: int, *, first: int, is_beside: bool) -> None:
    """Give the first places of the measured study, or of the others, to that many assignments."""
    dialect = DIALECTS[connection.vendor]
    token, code, name = (dialect["token"].format(length) for length in (22, 16, 24))
    filling = FILLING.format(
        n=n, n_done=n_done, first=first, study=STUDY, is_beside=is_beside,
        minutes_ago=dialect["ago"].format("60 + k %% 3600"),
        days_ago=dialect["ago"].format("172800 + k %% 300 * 86400"),
    )  # fmt: skip
    execute(filling, "ANALYZE filling")
    insert("worker", SENT_PEOPLE, id="f.k", provider="'prolific'", worker_id=name)
    insert(
        "annotator", PEOPLE, id="f.k", study="f.study_id", code=code, consent=CONSENT,
        worker="CASE f.k %% 4 WHEN 1 THEN f.k END", instructed_at="active_at",
        practised_at="active_at", checked_at="active_at",
    )  # fmt: skip
    entrances = [ENTRANCE.format(provider) for provider in ("link", "prolific")]
    insert(
        "invitation", PEOPLE, study="f.study_id", annotator="f.k", token=token,
        entrance="CASE f.k %% 4 WHEN 0 THEN {} WHEN 1 THEN {} END".format(*entrances),
    )  # fmt: skip
    insert(
        "assignment", "filling f", id="f.k", questionnaire="f.questionnaire_id", token=token,
        round="f.round_id", annotator="f.who", state="f.state", seed="f.k * 7919",
        n_items=str(BLOCK_SIZE + (not is_beside)), reason="'balanced: a place'",
        offered_at="active_at", active_at="active_at", started_at="active_at",
        submitted_at="CASE f.state WHEN 'submitted' THEN acted_at END",
    )  # fmt: skip
    insert(
        "visit", SENT_PEOPLE, entrance=entrances[1], provider_study="'study'", submission=name,
        worker="f.k", assignment="f.k", completion_code="'DONE'",
    )  # fmt: skip
    execute(
        "UPDATE surveys_place SET assignment_id = f.k FROM filling f"
        " WHERE f.id = surveys_place.id AND f.state <> 'expired'"
    )
    answer(ITEMS, "t.position")
    if not is_beside:
        answer(CHECKPOINT_ITEMS, str(BLOCK_SIZE + 1))
    execute("DROP TABLE filling")


def answer(items: str, position: str) -> None:
    """Lay out a response to each item, and answer those that its annotator has got to."""
    is_answered = f"CASE WHEN {position} <= f.n_answered THEN"
    instants = ("engaged_at", "rated_at", "words_shown_at", "rating_shown_at")
    insert(
        "response", items, assignment="f.k", annotator="f.who", pair="c.pair_id", context="c.id",
        position=position, rating=f"{is_answered} (f.k + {position}) %% 7 END",
        inspired_word1=f"{is_answered} 'salt' || {position} ELSE '' END",
        inspired_word2=f"{is_answered} 'sea' ELSE '' END",
        words_visible_seconds=f"{is_answered} 12.345 END",
        rating_visible_seconds=f"{is_answered} 5.678 END",
        **dict.fromkeys(instants, f"{is_answered} f.acted_at END"),
    )  # fmt: skip


def insert(name: str, source: str, **columns: str) -> None:
    """Insert a row for each of a source: the columns given, the others by the model's defaults."""
    model = apps.get_model("surveys", name)
    expressions, defaults = {}, []
    for field in model._meta.concrete_fields:
        expressions[field.column] = columns.pop(field.name, "NULL")
        is_given = expressions[field.column] != "NULL"
        if field.primary_key and not is_given:
            del expressions[field.column]
        elif not is_given and not (field.null and not field.has_default()):
            is_set_when_added = getattr(field, "auto_now_add", False)
            default = timezone.now() if is_set_when_added else field.get_default()
            expressions[field.column] = "%s"
            defaults.append(field.get_db_prep_save(default, connection))
    if columns:
        raise SystemExit(f"{name} has no {', '.join(columns)}")
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {model._meta.db_table} ({', '.join(expressions)})"  # noqa: S608
            f" SELECT {', '.join(expressions.values())} FROM {source}",
            defaults,
        )


def check_foreign_keys(tables: Sequence[type[models.Model]]) -> None:
    """End the benchmark if a row refers to one that is not there."""
    for model in tables:
        for field in model._meta.concrete_fields:
            if isinstance(field, models.ForeignKey):
                there = field.remote_field.model._base_manager.values("pk")  # noqa: SLF001
                lost = model._base_manager.exclude(**{field.name: None})  # noqa: SLF001
                if lost.exclude(**{f"{field.attname}__in": there}).exists():
                    raise SystemExit(f"{field} refers to rows that are not there.")


class Browser:
    """Asks the WSGI application as a server does, and notes what each request took."""

    def __init__(self, application: Callable[..., Any]) -> None:
        self.application, self.n_queries, self.is_warm = application, 0, False
        self.figures: Figures = defaultdict(list)

    def count(self, execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        """Django calls this for each statement; beginning and ending transactions do not count."""
        self.n_queries += sql.split(None, 1)[0] in {"SELECT", "INSERT", "UPDATE", "DELETE"}
        return execute(sql, *arguments)

    def ask(self, name: str, address: str, **answers: object) -> tuple[str, str]:
        """Get a page, or post answers to it. Where that leads to, and the body."""
        sent, parts, heads = urlencode(answers).encode(), urlsplit(address), dict[str, str]()
        environ = {
            "REQUEST_METHOD": "POST" if answers else "GET", "SCRIPT_NAME": "",
            "PATH_INFO": parts.path, "QUERY_STRING": parts.query, "CONTENT_LENGTH": str(len(sent)),
            "CONTENT_TYPE": "application/x-www-form-urlencoded", "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000", "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.input": io.BytesIO(sent),
            "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr, "wsgi.version": (1, 0),
        }  # fmt: skip

        def start_response(status: str, headers: Sequence[tuple[str, str]]) -> None:
            heads.update(headers, status=status)

        self.n_queries, started = 0, time.perf_counter()
        with connection.execute_wrapper(self.count):
            response = self.application(environ, start_response)
            text = b"".join(response).decode()
            response.close()
        taken = 1000 * (time.perf_counter() - started), self.n_queries
        expected = "4" if "refused" in name else "3" if answers or "redirect" in name else "2"
        if not heads["status"].startswith(expected):
            raise SystemExit(f"{name}: {heads['status']} from {address}\n{text}")
        if self.is_warm:
            self.figures[name].append(taken)
        return heads.get("Location", ""), text

    def agree(self, who: str, address: str, **claims: str) -> str:
        """Read the welcome page and agree. Where the new assignment is."""
        query = f"?{urlencode(claims)}" if claims else ""
        page = self.ask(f"{who}: welcome", f"{address}{query}")[1]
        (consent,) = re.findall(r'name="consent" value="(\d+)"', page)
        return self.ask(f"{who}: agree", address, answer="agree", consent=consent, **claims)[0]


def visit(browser: Browser, invitation: Any, entrances: Mapping[str, str], number: str) -> None:
    """An annotator with a personal link, one from the open link, one from Prolific."""
    welcome = f"/invitation/{invitation.token}/"
    survey = browser.agree("personal link", welcome)
    browser.ask("personal link: return (redirect)", welcome)
    browser.ask("the page that is due (redirect)", survey)
    introduce(browser, survey)
    judge(browser, survey)
    browser.ask("thanks", f"{survey}thanks/")
    another, _ = browser.ask("thanks: one more block", f"{survey}thanks/", more=1)
    browser.ask("page 1", f"{another}1/words/")
    browser.ask("withdraw", f"{survey}withdraw/")
    browser.ask("withdraw: done", f"{survey}withdraw/", sure=1)
    browser.ask("ended", f"{survey}ended/")
    ticket, _ = browser.ask("open link (redirect)", entrances["link"])
    survey = browser.agree("open link", ticket)
    end_lease(survey)  # found by whoever arrives next
    claims = {"STUDY_ID": "study", "SESSION_ID": f"s{number}", "PROLIFIC_PID": f"p{number}"}
    browser.agree("Prolific, after a lease ended", entrances["prolific"], **claims)
    address = f"{entrances['prolific']}?{urlencode(claims)}"
    browser.ask("Prolific: return (redirect)", address)


def introduce(browser: Browser, survey: str) -> None:
    """All that comes before the first text."""
    words: dict[str, object] = {"inspired_word1": "music", "inspired_word2": "longing"}
    steps: dict[str, dict[str, object]] = {
        "instructions": {"read": 1}, "practice": words, "practice/rating": {"rating": 1},
        "practice/answer": {"read": 1}, "check": {"question0": 1, "question1": 2, "question2": 0},
    }  # fmt: skip
    for step, answers in steps.items():
        browser.ask(step, f"{survey}{step}/")
        browser.ask(f"{step}: done", f"{survey}{step}/", **answers)


def judge(browser: Browser, survey: str) -> None:
    """Answer all items; in the middle the lease ends, as when it is noticed by an arrival."""
    n_items = BLOCK_SIZE + 1
    for position in range(1, n_items + 1):
        words, rating = (f"{survey}{position}/{page}/" for page in ("words", "rating"))
        browser.ask("page 1", words)
        if position == RESUMED_AT:
            apps.get_model("surveys", "Place").objects.filter(
                assignment__token=token_of(survey)
            ).update(assignment=None)
            end_lease(survey, state="expired")
        which = ", resuming" if position == RESUMED_AT else ""
        browser.ask(f"page 1: words{which}", words, inspired_word1="salt", inspired_word2="sea")
        browser.ask("page 2", rating)
        which = ", the last" if position == n_items else ""
        browser.ask(f"page 2: rating{which}", rating, rating=position % 7)


def token_of(survey: str) -> str:
    """The token in the address of an assignment."""
    return survey.split("/")[2]


def end_lease(survey: str, **changes: str) -> None:
    """Let the last sign of life be a month ago."""
    assignments = apps.get_model("surveys", "Assignment").objects
    long_ago = timezone.now() - timedelta(days=30)
    assignments.filter(token=token_of(survey)).update(active_at=long_ago, **changes)


def measure(n_annotators: int) -> Figures:
    """Let annotators visit a filled site, and a few more under the other policies; fill it up."""
    from django.core.wsgi import get_wsgi_application

    from surveys.configuring import configure_study
    from surveys.models import Place, Study, TextKind
    from surveys.recruiting import invite_annotators
    from surveys.wording import current_text

    study, browser = Study.objects.get(slug=STUDY), Browser(get_wsgi_application())
    links = {e.provider: f"/join/{e.token}/" for e in study.entrances.all()}
    run_id = timezone.now().strftime("%H%M%S")
    for number, invitation in enumerate(invite_annotators(study, WARM_UP + n_annotators)):
        browser.is_warm = number >= WARM_UP
        visit(browser, invitation, links, f"{run_id}-{number}")
    for policy in ("blockwise", "random"):
        configure_study(study, assigning_policy=policy)
        for number, invitation in enumerate(invite_annotators(study, WARM_UP + n_annotators)):
            browser.is_warm = number >= WARM_UP
            browser.agree(policy, f"/invitation/{invitation.token}/")
    configure_study(study, assigning_policy="balanced")
    Place.objects.free(study).update(is_open=False)
    agreed = {"answer": "agree", "consent": current_text(study, TextKind.CONSENT).pk}
    for invitation in invite_annotators(study, n_annotators):
        browser.ask("no place left: welcome", f"/invitation/{invitation.token}/")
        browser.ask("no place left: agree, refused", f"/invitation/{invitation.token}/", **agreed)
    Place.objects.filter(study=study, is_open=False).update(is_open=True)
    return browser.figures


def act(action: str, number: int, *, analyze: bool) -> None:
    """Fill or measure the site of this process's environment."""
    sys.path.insert(0, str(REPOSITORY))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
    django.setup()
    if action == "measure":
        sys.stdout.write(json.dumps(measure(number)))
        return
    fill(number)
    if analyze and connection.vendor == "sqlite":
        execute("ANALYZE")
    sys.stdout.write(str(apps.get_model("surveys", "Response").objects.count()))


def compare(kind: str, options: argparse.Namespace) -> str:
    """Fill a site for each size, measure them in turn, and write a table of medians."""
    found: dict[int, Figures] = defaultdict(lambda: defaultdict(list))
    sites: dict[int, dict[str, str]] = {}
    own = [sys.executable, __file__, *(["--analyze"] if options.analyze else []), "--inside"]
    with ExitStack() as stack:
        for size in options.sizes:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder)))
            url = stack.enter_context(fresh_database(kind, folder, options.cluster))
            environment = {
                **os.environ, "DATABASE_URL": url, "VAR_DIR": str(folder),
                "SITE_URL": "http://127.0.0.1:8000", "ENV_FILE": os.devnull,
            }  # fmt: skip
            for words in (("migrate",), ("collectstatic", "--noinput")):
                arguments = sys.executable, "manage.py", *words, "--verbosity", "0"
                run(*arguments, cwd=REPOSITORY, environment=environment)
            started = time.perf_counter()
            n_stored = run(*own, "fill", str(size), cwd=REPOSITORY, environment=environment)
            seconds = time.perf_counter() - started
            sys.stderr.write(f"{kind}: {n_stored} responses in {seconds:.0f} s\n")
            sites[int(n_stored)] = environment
        for _ in range(options.rounds):
            for size, environment in sites.items():
                settle(environment["DATABASE_URL"])
                arguments = *own, "measure", str(options.annotators // options.rounds)
                told = run(*arguments, cwd=REPOSITORY, environment=environment)
                for name, taken in json.loads(told).items():
                    found[size][name] += taken
    return write_table(DATABASES[kind], found)


def write_table(database: str, found: Mapping[int, Figures]) -> str:
    """Median milliseconds and queries of each request by size, and how much the largest costs."""
    sizes = sorted(found)
    heads = [database, *(f"{size:,}" for size in sizes), "largest ÷ smallest"]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for name in found[sizes[0]]:
        taken = [found[size][name] for size in sizes]
        times = [median(milliseconds for milliseconds, _ in several) for several in taken]
        queries = [median(n for _, n in several) for several in taken]
        cells = [f"{t:.2f} ({n:g})" for t, n in zip(times, queries, strict=True)]
        lines.append([name, *cells, f"{times[-1] / times[0]:.2f}"])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main() -> None:
    """Measure and print a table for each database."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    add = parser.add_argument
    sizes = [10_000, 100_000, 1_000_000, 10_000_000]
    add("--sizes", type=int, nargs="+", default=sizes, help="responses stored, about")
    add("--databases", nargs="+", choices=DATABASES, help="default: sqlite, and pg with --cluster")
    add("--cluster", help="PostgreSQL too, such as postgres://postgres@127.0.0.1:5432")
    add("--annotators", type=int, default=60, help="measured at each size")
    add("--rounds", type=int, default=3, help="in which the sizes are measured in turn")
    add("--analyze", action="store_true", help="SQLite too gets statistics; Cosima makes none")
    add("--folder", type=Path, help="where the sites are; 10 million responses take 4 GB")
    add("--inside", nargs=2, metavar=("ACTION", "NUMBER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        act(options.inside[0], int(options.inside[1]), analyze=options.analyze)
        return
    for kind in options.databases or (["sqlite", "pg"] if options.cluster else ["sqlite"]):
        sys.stdout.write(f"{compare(kind, options)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
