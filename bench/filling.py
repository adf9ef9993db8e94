"""Fill a fresh site with millions of answers by statements that insert many rows at once.

It gets a measured study with nearly all places held, and other studies. Constraints stay enabled;
columns that are not given get the default of their model.
"""

from collections.abc import Sequence
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, models
from django.utils import timezone
from stimuli import HEADER

RESEARCHER = "researcher"
STUDY, N_PAIRS, N_PAIRS_OF_OTHERS, BLOCK_SIZE, N_CHECKPOINTS = "measured", 20_000, 500, 20, 10
RATINGS_OF_OTHERS = 100  # per context in the other studies
ANSWERS_PER_STEP = 20_000  # that are filed together
MAX_UNFINISHED = 2500  # assignments in the measured study
CHECKPOINTS = "word1\tword2\tcontext\tword1_context\tword2_context\tlowest\thighest\n"
FILLER = "Nobody came by, the road lay still as far as one could see" + (
    ", and nobody came by, and the road lay still as far as one could see" * 5 + ". "
)

# The holders of places. `k` numbers the assignments; every twentieth is the second one of an
# annotator. In the measured study every 21st is expired and its place free (a number that does not
# divide that of the questionnaires, so that each gets ratings), and the last ones are in progress,
# a tenth of them with leases that only their answers renew. In the other studies, without new
# arrivals, every fiftieth was abandoned long ago and has never expired.
FILLING = """
CREATE TEMPORARY TABLE filling AS
SELECT seated.*, CASE k %% 20 WHEN 2 THEN k - 2 ELSE k END AS who,
  CASE state WHEN 'submitted' THEN 1000 ELSE 1 + k %% 19 END AS n_answered,
  CASE WHEN is_recent AND k %% 10 > 0 THEN {minutes_ago} ELSE {days_ago} END AS active_at,
  CASE WHEN is_recent THEN {minutes_ago} ELSE {days_ago} END AS acted_at
FROM (
  SELECT n + {first} AS k, n >= {n_done} AS is_recent, id, study_id, questionnaire_id, round_id,
    CASE WHEN n >= {n_done} OR ({is_other} AND n %% 50 = 7) THEN 'started'
      WHEN n %% 21 = 13 AND NOT {is_other} THEN 'expired' ELSE 'submitted' END AS state
  FROM (
    SELECT p.*, ROW_NUMBER() OVER (ORDER BY p.study_id, p.number, p.id) - 1 AS n
    FROM surveys_place p JOIN surveys_study s ON s.id = p.study_id
    WHERE (s.slug <> '{study}') = {is_other}
  ) numbered WHERE n < {n}
) seated ORDER BY k
"""
ITEMS = """filling f CROSS JOIN surveys_item t CROSS JOIN surveys_context c
WHERE t.questionnaire_id = f.questionnaire_id AND c.id = t.context_id"""
CHECKPOINT_ITEMS = """filling f CROSS JOIN surveys_pair t CROSS JOIN surveys_context c
WHERE t.study_id = f.study_id AND t.is_checkpoint = TRUE AND t.position = 1 + f.k %% 10
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


def import_studies(n_measured: int, n_others: int) -> None:
    """Import studies with places for the assignments, by the app's actions."""
    from surveys.study.design import configure_study
    from surveys.study.stimuli.checkpoints import import_checkpoints

    for number in range(-(-n_others // (2 * N_PAIRS_OF_OTHERS // BLOCK_SIZE * RATINGS_OF_OTHERS))):
        import_study(f"other{number}", N_PAIRS_OF_OTHERS, RATINGS_OF_OTHERS)
    # One place per assignment, a tenth more, and one or two more per questionnaire.
    study = import_study(STUDY, N_PAIRS, 2 + int(1.1 * n_measured) // (2 * N_PAIRS // BLOCK_SIZE))
    configure_study(study, allows_more_blocks=True, n_check_tries=3)
    rows = "".join(
        f"dawn{n}\tdusk{n}\tA <strong>dawn{n}</strong> is no <strong>dusk{n}</strong>, it is said."
        f"\tdawn{n}\tdusk{n}\t0\t2\n"
        for n in range(N_CHECKPOINTS)
    )
    import_checkpoints(study, f"{CHECKPOINTS}{rows}".encode(), per_assignment=1)


def import_study(slug: str, n_pairs: int, n_ratings: int) -> Any:
    """Import a study, open its link and its provider, and store its consent."""
    from surveys.models import Study, TextKind
    from surveys.recruitment.links import open_entrance
    from surveys.study.create import create_study
    from surveys.study.design import configure_study
    from surveys.study.lifecycle import open_study, review_consent
    from surveys.study.stimuli.load import read_stimuli
    from surveys.study.texts import current_text

    design = Study(slug=slug, language="en", ratings_per_context=n_ratings, block_size=BLOCK_SIZE)
    data = f"{HEADER}{''.join(map(write_pair, range(n_pairs)))}".encode()
    create_study(read_stimuli(data, design))
    study = Study.objects.get(slug=slug)
    configure_study(study, organisation="Benchmark", contact="bench@example.org")
    review_consent(study, current_text(study, TextKind.CONSENT).version)
    study = open_study(study)
    for provider in ("link", "prolific"):
        open_entrance(study, provider, cap=10**9, completion_code="DONE", no_place_code="FULL")
    return study


def write_pair(number: int) -> str:
    """Return a row of a stimuli file."""
    one, two = f"alpha{number}", f"beta{number}"
    contexts = (
        f"Rain fell on <strong>{one}</strong>. {FILLER}Then <strong>{two}</strong> left.",
        f"Here lived <strong>{two}</strong>. {FILLER}There <strong>{one}</strong> lay.",
    )
    return "\t".join((one, two, *contexts, one, two, one, two)) + "\n"


def fill(n_responses: int, open_share: float = 0.0) -> None:
    """Fill a fresh site with about `n_responses` responses, and add a researcher.

    `open_share` of the measured study's assignments are in progress, but a few in any case.
    """
    from django.contrib.auth.models import User

    n_others = n_responses // 2 // BLOCK_SIZE // 20 * 20
    n_measured = n_responses // 2 // (BLOCK_SIZE + 1) // 20 * 20
    import_studies(n_measured, n_others)
    tables = list(apps.get_app_config("surveys").get_models())
    if connection.vendor == "sqlite":
        settings = ["PRAGMA journal_mode = OFF", "PRAGMA cache_size = -1000000"]
        settings += ["PRAGMA foreign_keys = OFF"]  # checked together afterwards
    else:
        settings = ["SET work_mem = '256MB'", "SET session_replication_role = replica"]
    execute(*settings)
    seat(n_others, n_others, first=20, is_other=True)
    n_open = max(int(open_share * n_measured), min(MAX_UNFINISHED, n_measured // 50))
    n_done = n_measured - n_open
    seat(n_measured, n_done, first=20 + n_others, is_other=False)
    execute(*connection.ops.sequence_reset_sql(no_style(), tables))
    check_foreign_keys(tables)
    User.objects.create_superuser(RESEARCHER)


def file_all() -> None:
    """File all answers of the measured study for review."""
    from surveys.models import Study
    from surveys.review.queue import file_answers

    study = Study.objects.get(slug=STUDY)
    while file_answers(study, at_most=ANSWERS_PER_STEP):
        pass


# Half of the answers are judged, and a fiftieth of the questionnaires is set aside as a whole, half
# of which are replaced: not always the same questionnaires, although assignments have them in turn.
# Two reviewers disagree on a few hundred of the other answers.
SET_ASIDE = "SELECT assignment_id FROM surveys_review WHERE response_id IS NULL AND outcome <> ''"
JUDGING = (
    """UPDATE surveys_review SET state = 'decided', outcome = 'unused'
    WHERE {of_study} AND response_id IS NULL
      AND (assignment_id + assignment_id / 2000) %% 50 = 3""",
    """UPDATE surveys_review SET state = 'covered'
    WHERE {of_study} AND response_id IS NOT NULL AND assignment_id IN ({set_aside})""",
    """UPDATE surveys_review SET state = 'disputed', n_wanted = 2
    WHERE {of_study} AND response_id IS NOT NULL AND state = 'open' AND id %% 2000 = 0""",
    """UPDATE surveys_review SET state = 'decided',
      outcome = CASE WHEN id %% 100 = 1 THEN 'unused' ELSE 'good' END
    WHERE {of_study} AND response_id IS NOT NULL AND state = 'open' AND id %% 2 = 1""",
    """UPDATE surveys_place SET is_replaced = TRUE
    WHERE {of_study} AND assignment_id / 2000 %% 2 = 0 AND assignment_id IN ({set_aside})""",
)


def judge_some() -> None:
    """Judge some of the filed answers of the measured study, by two reviewers."""
    from django.contrib.auth.models import User

    from surveys.models import Study

    of_study = f"study_id = {Study.objects.get(slug=STUDY).pk}"
    one, two = (User.objects.create_user(f"reviewer{number}").pk for number in (1, 2))
    execute(*(statement.format(of_study=of_study, set_aside=SET_ASIDE) for statement in JUDGING))
    judged, disputed = (
        f"surveys_review r WHERE {of_study} AND state = '{state}'"
        for state in ("decided", "disputed")
    )
    insert("verdict", judged, review="r.id", reviewer=str(one), opinion="1", kind="r.outcome")
    insert("verdict", disputed, review="r.id", reviewer=str(one), opinion="1", kind="'good'")
    insert("verdict", disputed, review="r.id", reviewer=str(two), opinion="2", kind="'unused'")


def gauge_all() -> None:
    """Compute the agreement of all blocks of the measured study."""
    from surveys.models import Round, Study
    from surveys.monitoring.agreement import compute_agreement
    from surveys.monitoring.progress import count_block_progress

    study = Study.objects.get(slug=STUDY)
    rounds = list(Round.objects.filter(block__study=study).select_related("block"))
    compute_agreement(study, count_block_progress(study, rounds), most_ratings=10**9)


def make_runs(recipes: Sequence[str] = ("raw", "cosimlex")) -> None:
    """Post-process the answers of the measured study by some recipes, without reports as PDF."""
    from surveys.jobs.perform import perform
    from surveys.models import Study
    from surveys.results.run_inspection import write_recipe
    from surveys.results.runs import request_results

    study = Study.objects.get(slug=STUDY)
    for name in recipes:
        run = request_results(study, write_recipe(name, "report.pdf=false"), by=None)
        perform(run.job_id)
        run.refresh_from_db()
        if run.error:
            raise SystemExit(f"run {run.number}: {run.error}")


def execute(*statements: str) -> None:
    """Execute statements, in which `%%` is a percent sign."""
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, [])


def seat(n: int, n_done: int, *, first: int, is_other: bool) -> None:
    """Create `n` assignments in the first places of the measured study or of the others."""
    dialect = DIALECTS[connection.vendor]
    token, code, name = (dialect["token"].format(length) for length in (22, 16, 24))
    filling = FILLING.format(
        n=n, n_done=n_done, first=first, study=STUDY, is_other=is_other,
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
        "assignment", "filling f", id="f.k", study="f.study_id", annotator="f.who", token=token,
        questionnaire="f.questionnaire_id", round="f.round_id", state="f.state", seed="f.k * 7919",
        n_items=str(BLOCK_SIZE + (not is_other)), reason="'balanced: a place'",
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
    if not is_other:
        answer(CHECKPOINT_ITEMS, str(BLOCK_SIZE + 1))
    execute("DROP TABLE filling")


def answer(items: str, position: str) -> None:
    """Create a response to each item, and answer those that its annotator has reached."""
    is_answered = f"CASE WHEN {position} <= f.n_answered THEN"
    instants = ("engaged_at", "rated_at", "words_shown_at", "rating_shown_at")
    insert(
        "response", items, assignment="f.k", annotator="f.who", pair="c.pair_id", context="c.id",
        position=position, rating=f"{is_answered} (f.k + {position}) %% 7 END",
        written1=f"{is_answered} 'salt' || {position} ELSE '' END",
        written2=f"{is_answered} 'sea' ELSE '' END",
        words_visible_seconds=f"{is_answered} 12.345 END",
        rating_visible_seconds=f"{is_answered} 5.678 END",
        **dict.fromkeys(instants, f"{is_answered} f.acted_at END"),
    )  # fmt: skip


def insert(name: str, source: str, **columns: str) -> None:
    """Insert a row for each row of a source, with the given columns and the model's defaults."""
    model = apps.get_model("surveys", name)
    expressions, defaults = {}, []
    for field in model._meta.concrete_fields:
        expressions[field.column] = columns.get(field.name, "NULL")
        is_given = expressions[field.column] != "NULL"
        if field.primary_key and not is_given:
            del expressions[field.column]
        elif not is_given and not (field.null and not field.has_default()):
            is_set_when_added = getattr(field, "auto_now_add", False)
            default = timezone.now() if is_set_when_added else field.get_default()
            expressions[field.column] = "%s"
            defaults.append(field.get_db_prep_save(default, connection))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {model._meta.db_table} ({', '.join(expressions)})"  # noqa: S608
            f" SELECT {', '.join(expressions.values())} FROM {source}",
            defaults,
        )


def check_foreign_keys(tables: Sequence[type[models.Model]]) -> None:
    """Exit if a row refers to a missing row."""
    for model in tables:
        for field in model._meta.concrete_fields:
            if isinstance(field, models.ForeignKey):
                there = field.remote_field.model._base_manager.values("pk")  # noqa: SLF001
                lost = model._base_manager.exclude(**{field.name: None})  # noqa: SLF001
                if lost.exclude(**{f"{field.attname}__in": there}).exists():
                    raise SystemExit(f"{field} refers to missing rows.")
