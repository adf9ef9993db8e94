"""Valid data for the forms of the console, and the kinds of their fields."""

import re

import pandas as pd
from django.core.files.uploadedfile import SimpleUploadedFile
from django_otp.oath import totp

from surveys.contexts.search.requests import find_windows
from surveys.models import TextKind
from surveys.study.exercises import read_check
from surveys.study.stimuli.load import fingerprint_row, write_row
from surveys.study.texts import default_body
from tests.factories.candidates import window_rows, write_parquet
from tests.factories.checkpoints import file as checkpoint_file
from tests.factories.checkpoints import row as checkpoint_row
from tests.factories.imported import ratings_csv
from tests.factories.studies import (
    QUICK,
    numbered_stimuli,
)
from tests.postprocess.published_format import build, random_pairs
from tests.surveys.web.console.test_design import CHANGEABLE, LOCKED

CHECK = read_check(default_body("en", TextKind.CHECK))
SECRET = "correct horse battery"
OTP_KEY = "0b" * 20
WORDS = {"inspired_word1": "sea", "inspired_word2": "salt"}
VISIT = {"shown": "1", "visible": "1", "pasted": ""}
VERDICT = {"kind": "good", "reason": "as agreed", "then": "queue"}
CHECKPOINTS = checkpoint_file(checkpoint_row())
EXPORT = (
    b"Submission id,Participant id,Status,Started at,Completed at,Completion code\ns,w,ACTIVE,,,\n"
)
WINDOWS = window_rows(1, 3)
PAIRS = b"word1\tword2\nice\tsun\n"
SEARCH = {"corpora": ["tales.conllu"], "number": "4", "filters": "digits=off"}
STIMULI = numbered_stimuli(2)
RATINGS = ratings_csv(4)
FAMILY_KEY = b"id\ten_word1\ten_word2\np1\tice\tsun\n"


def stimuli():
    return SimpleUploadedFile("data.tsv", STIMULI)


def dataset():
    return SimpleUploadedFile("cosimlex_xx.csv", build(*random_pairs()).files["cosimlex_xx.csv"])


def windows():
    """Return windows and their scores, and how candidates are picked."""
    scores = "window,score\n" + "".join(f"{row['window']},0.5\n" for row in WINDOWS)
    return {
        "file": SimpleUploadedFile("windows.parquet", write_parquet(WINDOWS)),
        "scores": SimpleUploadedFile("elmo.csv", scores.encode()),
        "number": "2",
        "distance_within": "9",
    }


def score(searched):
    """Return scores of the windows that a search found, as CSV."""
    windows = pd.read_parquet(find_windows(searched).archive.path)
    return windows.assign(score=0.5)[["window", "score"]].to_csv(index=False).encode()


def shown(world, prefix=""):
    row = write_row(world.pair.study, world.pair)
    return {**({} if prefix else row), f"{prefix}shown": fingerprint_row(row),
            f"{prefix}reason": "odd"}  # fmt: skip


PLAN = {
    "target": "simulator", "each": "1", "named": "1B", "reward_cents": "0.50", "title": "Words",
    "description": "Read.", "keywords": "", "assignment_minutes": "30", "lifetime_days": "7",
    "auto_approval_days": "3", "countries": "SI", "approval_percent": "", "n_approved": "",
    "private_task": "",
}  # fmt: skip

SETTINGS = {
    "name": "ours", "exclusion_most_failed_checkpoints": "1", "calibration_enabled": "on",
    "calibration_threshold": "1", "calibration_step": "0.5", "filtering_k": "1.5",
    "filtering_minimum_rho": "0.1", "filtering_gain_share": "0.1",
    "filtering_constant_from": "5", "rescaling_minimum": "0", "rescaling_maximum": "10",
    "files_scientific_below": "1e-7", "files_trailing_zeros": "on",
    "report_n_resamples": "0", "report_resample": "items", "report_n_splits": "5",
    "report_seed": "0",
}  # fmt: skip

# Fields that one function of a form makes
KINDS = {
    "switch of a recipe": "exclusion_rejected_engagement report_pdf calibration_enabled "
    "filtering_enabled files_trailing_zeros",
    "whole number of a recipe": "exclusion_most_failed_checkpoints report_n_resamples "
    "report_n_splits report_seed filtering_constant_from",
    "number of a recipe": "calibration_threshold calibration_step filtering_k filtering_gain_share "
    "filtering_minimum_rho rescaling_minimum rescaling_maximum files_scientific_below",
    "switch of a design": "allows_unjudgeable erases_withdrawn allows_more_blocks sends_choice "
    "publishes_words",
    "whole number of a design": "ratings_per_context lease_hours n_check_tries n_checkpoints "
    "seconds_per_item block_size",
    "detail of a model": "model model_version prompt_sha256 rated_on",
    "number of a design": "scale_minimum scale_maximum scale_step",
}

WRITTEN = {
    "dataset-title": "Words", "dataset-name": "words", "dataset-biases": "Few texts.",
    "dataset-social_impact": "None known.", "dataset-version": "1.0.0",
    "dataset-released_on": "2026-11-30",
    "dataset-licence": "CC-BY-4.0", "dataset-url": "https://example.org/words",
    "dataset-doi": "10.1234/words", "dataset-summary": "Pairs.", "dataset-uses": "Evaluation.",
    "dataset-limitations": "Few pairs.", "dataset-contact": "lab@example.org",
    "dataset-funding": "None.", "dataset-maintenance": "The lab.", "dataset-keywords": "words",
    "language-name": "English", "language-variety": "British.", "stimuli-pairs_from": "A list.",
    "stimuli-contexts_from": "A corpus.", "stimuli-rationale": "To be short.",
    "stimuli-writers": "Students.", "stimuli-situation": "At school.",
    "stimuli-characteristics": "Stories.", "stimuli-licence": "CC BY 4.0.",
    "stimuli-creators": "found", "annotators-recruited": "By e-mail.",
    "annotators-qualifications": "Native speakers.", "annotators-demographics": "Adults.",
    "annotators-creators": "crowdsourced", "pay-amount": "2 EUR", "pay-adequacy": "12 EUR an hour.",
    "consent-obtained": "On a page.", "ethics-review": "No. 12.", "ethics-risks": "None known.",
}  # fmt: skip


def name_rows(row, n):
    """Return what a form of n equal rows sends."""
    return {
        "rows-TOTAL_FORMS": str(n), "rows-INITIAL_FORMS": "0", "rows-MIN_NUM_FORMS": "0",
        "rows-MAX_NUM_FORMS": "20",
        **{f"rows-{k}-{name}": text for k in range(n) for name, text in row.items()},
    }  # fmt: skip


AUTHORS = {
    "authors-TOTAL_FORMS": "2", "authors-INITIAL_FORMS": "0", "authors-MIN_NUM_FORMS": "0",
    "authors-MAX_NUM_FORMS": "200",
    **{
        f"authors-{n}-{name}": text
        for n in range(2)
        for name, text in {
            "family_names": "Kos", "given_names": "Ana", "name": "", "affiliation": "Lab",
            "orcid": "0000-0002-1825-0097",
        }.items()
    },
}  # fmt: skip


UNCONFIRMED = dict.fromkeys(("confirmed", "name", "separator", "encoding", "read"), "")
# Valid data for each page; {} is a button without fields. Other pages accept no data.
FORMS = {
    "sign_in": lambda world: {"username": "ana", "password": "right", "next": ""},
    "sign_in_link": lambda world: {},
    "choose_password": lambda world: dict.fromkeys(("new_password1", "new_password2"), SECRET),
    "change_password": lambda world: {"old_password": "right", "new_password1": SECRET,
                                      "new_password2": SECRET},
    "sign_out": lambda world: {"next": ""},
    "new_study": lambda world: {"title": "New", "slug": "new", "language": "en", "kept": "",
                                "design": "cosimlex-crowd", "file": stimuli(), **UNCONFIRMED},
    "audit": lambda world: {"dataset": dataset(), "least": "10", "most": "10", "minimum": "0",
                            "maximum": "6", "step": "1", "published_minimum": "0",
                            "published_maximum": "10", "with_details": "on"},
    "new_family": lambda world: {"slug": "new", "title": "New", "text": "Words.",
                                 "studies": [world.study.slug]},
    "edit_family": lambda world: {"slug": "both", "title": "New", "text": "Words.",
                                  "studies": [world.study.slug]},
    "delete_family": lambda world: {},
    "family": lambda world: {"file": SimpleUploadedFile("key.tsv", FAMILY_KEY)},
    "begin_contexts": lambda world: {"title": "New", "slug": "new", "language": "en",
                                     "design": "cosimlex-crowd", **windows()},
    "contexts": lambda world: {},
    "candidates_file": lambda world: {**windows(), "discards_choices": "on"},
    "contexts_settings": lambda world: {"experts": "two", "shows_scores": "on"},
    "candidates": lambda world: {"first": "1", "second": "3", "reason": "", "text1": "",
                                 "text2": "", "text3": ""},
    "undo_choice": lambda world: {},
    "use_stimuli": lambda world: {},
    "search_contexts": lambda world: {**SEARCH, "listed": "ice, sun", "per_pair": "50",
                                      "licence": "CC0-1.0", "discards_choices": "on",
                                      "by_sent_id": "on",
                                      "file": SimpleUploadedFile("pairs.tsv", PAIRS)},
    "cancel_search": lambda world: {},
    "retry_search": lambda world: {},
    "search_pair": lambda world: SEARCH,
    "pick_by_scores": lambda world: {"file": SimpleUploadedFile("elmo.csv", score(world.searched)),
                                     "number": "4", "distance_within": "9",
                                     "discards_choices": "on"},
    **{name: lambda world: {} for name in ("close", "reopen", "archive", "restore")},
    "duplicate": lambda world: {"title": "Copy", "slug": "copy"},
    "rehearsal": lambda world: {"count": "1"},
    "delete_rehearsal": lambda world: {},
    "address": lambda world: {"old_password": "right", "email": "ana@example.org"},
    "request_reset": lambda world: {"email": "ana@example.org"},
    "reset_password": lambda world: dict.fromkeys(("new_password1", "new_password2"), SECRET),
    "account": lambda world: {"session": ""},
    "second_factor": lambda world: {"old_password": "right", "key": OTP_KEY,
                                    "code": f"{totp(bytes.fromhex(OTP_KEY)):06}"},
    "tokens": lambda world: {"name": "lab", "scopes": ["runs:read"], "last_day": "2099-12-31"},
    "revoke_token": lambda world: {},
    "replace_file": lambda world: {"file": stimuli(), **UNCONFIRMED, "kept": ""},
    "checkpoints": lambda world: {"file": SimpleUploadedFile("c.tsv", CHECKPOINTS),
                                  "per_assignment": "1", **UNCONFIRMED, "kept": ""},
    "row": lambda world: {**shown(world), "word1": "other"},
    "remove_row": lambda world: shown(world, "drop-"),
    "design": lambda world: {**CHANGEABLE, **LOCKED, "allows_more_blocks": "on",
                             "sends_choice": "on",
                             "publishes_words": "on", "digits": "latn",
                             "legal_basis": "Consent.", "authority": "The authority.",
                             "data_protection_officer": "dpo@example.org"},
    "text": lambda world: {"body": "You may stop at any time."},
    "practice_rows": lambda world: name_rows({
        "text": "A <strong>cat</strong> and a <strong>dog</strong>.", "word1": "cat",
        "word2": "dog", "good1": "pets", "good2": "noise", "lowest": "", "highest": "",
        "explanation": "They are pets.",
    }, 1),
    "check_rows": lambda world: name_rows({
        "question": "Which?", "answer1": "a", "answer2": "b", "answer3": "c", "answer4": "d",
        "answer5": "e", "answer6": "f", "right": "2", "why": "The rule.",
    }, 2),
    "opening": lambda world: {"version": "1", "has_reviewed": "on", "opens_link": "yes"},
    "preview": lambda world: {"answer": "agree"},
    "preview_instructions": lambda world: {},
    "preview_practice": lambda world: WORDS,
    "preview_practice_rating": lambda world: {"rating": "3", "comment": ""},
    "preview_practice_answer": lambda world: {},
    "preview_check": lambda world: {f"question{n}": q.right for n, q in enumerate(CHECK)},
    "preview_words": lambda world: WORDS,
    "preview_rating": lambda world: {"rating": "3", "comment": ""},
    "preview_thanks": lambda world: {},
    "invite": lambda world: {"count": "1", "listed": "", "n_before": world.n_links, "file": ""},
    "invitation": lambda world: {"because": "lost"},
    "open_link": lambda world: {"cap": "7", "completion_code": "C1", "no_place_code": "C2"},
    "prolific": lambda world: {"cap": "7", "completion_code": "C1", "no_place_code": "C2"},
    "close_entrance": lambda world: {},
    "prolific_export": lambda world: {"file": SimpleUploadedFile("e.csv", EXPORT), "kept": ""},
    "send_invitations": lambda world: {"version": "1"},
    "send_reminders": lambda world: {"version": "1"},
    "cancel_mails": lambda world: {},
    "retry_mails": lambda world: {},
    "no_mail": lambda world: {},
    "plan_batch": lambda world: PLAN,
    "arm_batch": lambda world: {"typed_cents": "1.20", "ceiling_cents": "100",
                                "last_day": "2099-12-31"},
    "disarm_batch": lambda world: {},
    "drop_batch": lambda world: {},
    "work_batch": lambda world: {"what": "fetch"},
    "batch_bonus": lambda world: {"chosen": [str(world.payable.pk)], "amount_cents": "1",
                                  "reason": "careful", "key": "0" * 32},
    "batch_choose": lambda world: {"chosen": [str(world.payable.pk)], "reason": "careful"},
    "pay_visit": lambda world: {"reason": "they wrote"},
    "reject_visit": lambda world: {"feedback": "not done"},
    "retry_visit": lambda world: {"reason": "there is money"},
    "override_visit": lambda world: {"reason": "a mistake"},
    "compensate_visit": lambda world: {"reason": "the frame was closed"},
    "note_visit": lambda world: {"reason": "by bank", "amount_cents": "0.50"},
    "gauge": lambda world: {},
    "gauge_block": lambda world: {},
    "gauge_annotators": lambda world: {},
    "repeat": lambda world: {"reason": "low agreement", "round_number": "1"},
    "undo_repeat": lambda world: {},
    "adjudicate": lambda world: {
        "answer": f"{world.tied.pairs.get(position=2).responses.first().pk}", "reason": "clear",
        "replaces": "",
    },
    "replace": lambda world: {},
    "open_look": lambda world: {},
    "close_look": lambda world: {},
    "review": lambda world: {},
    "review_more": lambda world: {"exclude": "1"},
    "review_file": lambda world: {"then": "queue"},
    "review_one": lambda world: VERDICT,
    "review_effect": lambda world: {},
    "review_undo": lambda world: {},
    "review_settle": lambda world: VERDICT,
    "review_settings": lambda world: {"sample_percent": "50", "double_percent": "0"},
    "results": lambda world: {**SETTINGS, "exclusion_rejected_engagement": "on",
                              "filtering_enabled": "on", "report_pdf": "on"},
    "recipe_text": lambda world: {"recipe": QUICK},
    "retry": lambda world: {},
    "comparisons": lambda world: {"second": f"collection-{world.imported.pk}", "recipe": "raw",
                                  "match": "", "only_matched": "on"},
    "retry_comparison": lambda world: {},
    "new_collection": lambda world: {
        "name": "Owls", "file": SimpleUploadedFile("owls.csv", RATINGS), "kind": "model",
        "model": "Owl", "model_version": "1", "prompt_sha256": "0a" * 32, "rated_on": "2026-05-31",
        "language": "en", "scale_minimum": "0", "scale_maximum": "6", "scale_step": "1",
    },
    "remove_collection": lambda world: {},
    "release": lambda world: {"recipe": "raw", "n_practice": "0", "seed": "0",
                              "ids_of": "", "complete": "on", "has_log": "on",
                              "is_published_layout": "on", "accepts_unscored": "on"},
    "release_page": lambda world: {"is_open": "yes"},
    "verify_release": lambda world: {},
    "deposit": lambda world: {},
    "description": lambda world: {**WRITTEN, **AUTHORS},
    "description_text": lambda world: {"body": "[dataset]\nfunding = 'None.'"},
    "people": lambda world: {"username": "mate", "role": "reviewer"},
    "invite_person": lambda world: {"username": "zoe", "role": "reviewer"},
    "leave": lambda world: {},
    "jobs": lambda world: {"form": "csv"},
    "webhooks": lambda world: {"url": "https://lab.example.org/x", "events": ["run.finished"]},
    "webhook": lambda world: {"what": "test"},
    "remove_webhook": lambda world: {},
    "forget": lambda world: {"because": "asked for it"},
    "privacy": lambda world: {"days": "30"},
    "find_person": lambda world: {"text": "a"},
    "pay": lambda world: {"n_unpaid": "1"},
    "settle": lambda world: {"is_settled": "no"},
    "drop": lambda world: {},
    "export_person": lambda world: {},
    "pay_person": lambda world: {"is_paid": "yes"},
    "erase": lambda world: {"because": "asked for it"},
}  # fmt: skip


def kind_of(name):
    """Return the kind of a field; the same for fields that one piece of code makes and checks."""
    if WRITTEN.get(name, "").endswith("."):
        return "prose"
    kinds = [kind for kind, names in KINDS.items() if name in names.split()]
    if kinds:
        return kinds[0]
    return re.sub(r"\d+", "#", name) if name.startswith(("authors-", "rows-")) else name
