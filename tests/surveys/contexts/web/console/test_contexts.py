"""The step Contexts: a study that begins with candidates, and how far the choices are."""

import re

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from surveys.access.roles import grant_role
from surveys.contexts.choices import Chosen, configure_selection, record_choice
from surveys.contexts.models import CandidatePair, CandidateSet
from surveys.models import Role, Study
from surveys.monitoring import checklist
from surveys.web.console.urls import OF_A_STUDY
from tests.factories.candidates import candidate_rows, candidates_file, window_rows, write_parquet
from tests.factories.clients import client_of
from tests.factories.pages import page
from tests.factories.selections import make_draft
from tests.factories.studies import make_study

pytestmark = pytest.mark.django_db


def upload(browser, address, data, **fields):
    return browser.post(address, {"file": SimpleUploadedFile("candidates.parquet", data), **fields})


def text_of(answer) -> str:
    text = re.sub(r"<[^>]+>", " ", answer.content.decode())
    return " ".join(text.split())


def choose(draft, expert, number, first, second):
    record_choice(draft.candidate_pairs.get(number=number), expert, Chosen(first, second))


# A new study


def test_a_study_can_begin_with_candidates(as_ana, ana):
    fields = {"title": "My words", "slug": "", "language": "en", "design": ""}

    answer = upload(as_ana, reverse("console:begin_contexts"), candidates_file(), **fields)

    study = Study.objects.get(slug="my-words")
    assert answer["Location"] == page("contexts", study)
    assert study.candidate_pairs.count() == 2
    shown = text_of(as_ana.get(answer["Location"]))
    assert "Decided 0 of 2" in shown
    assert "Start choosing" in shown


def test_errors_in_the_file_are_shown_by_row_and_nothing_is_stored(as_ana):
    rows = candidate_rows(1, 3)
    rows[1]["distance"] = -4
    fields = {"title": "My words", "slug": "", "language": "en", "design": ""}

    answer = upload(as_ana, reverse("console:begin_contexts"), write_parquet(rows), **fields)

    assert answer.status_code == 422
    assert "1 error in candidates.parquet; see below. Nothing was saved." in text_of(answer)
    assert (
        "Row Column Problem What to do 2 distance &quot;-4&quot; is not a whole number"
        in text_of(answer)
    )
    assert not Study.objects.exists()


def test_a_study_can_begin_with_windows_and_scores(as_ana):
    fields = {"title": "My words", "slug": "", "language": "en", "design": "", "number": "2"}
    windows = write_parquet(window_rows(2, 4), b'{"seed": 5}')
    address = reverse("console:begin_contexts")

    def send(scores: str):
        file = SimpleUploadedFile("elmo.csv", scores.encode())
        return upload(as_ana, address, windows, scores=file, **fields)

    refused = send("window,score\nw1-1,high\n")
    assert refused.status_code == 422
    assert "elmo.csv: row 1 (line 2), score: &quot;high&quot; is not a number" in text_of(refused)
    assert not Study.objects.exists()

    rows = [f"{row['window']},{n}" for n, row in enumerate(window_rows(2, 4))]
    assert send("\n".join(["window,score", *rows, ""])).status_code == 302

    stored = CandidateSet.objects.get()
    assert (stored.file_name, stored.model_names) == ("candidates.parquet, elmo.csv", ["elmo"])
    assert stored.origin["windows"] == {"seed": 5}
    assert [pair.n_candidates for pair in stored.study.candidate_pairs.all()] == [2, 2]


def test_the_page_of_new_studies_leads_to_this_beginning(as_ana):
    assert reverse("console:begin_contexts") in as_ana.get("/console/new/").content.decode()


# The menu


def test_the_step_is_the_first_of_a_study_with_candidates(as_ana, draft):
    shown = text_of(as_ana.get(page("overview", draft)))

    assert "Contexts 0 of 2 Stimuli" in shown
    assert "Next: Choose the contexts of 2 pairs. Go to the contexts" in shown


def test_a_study_from_a_stimuli_file_never_meets_it(ana, as_ana):
    study = make_study(2)
    grant_role(study, ana, Role.OWNER)

    assert "Contexts" not in text_of(as_ana.get(page("overview", study)))
    for name in ("contexts", "candidates_file", "contexts_settings"):
        assert as_ana.get(page(name, study)).status_code == 404
    assert as_ana.get(page("candidates", study, 1)).status_code == 404


def test_every_page_of_a_draft_without_stimuli_answers(as_ana, draft):
    for name, (address, _) in OF_A_STUDY.items():
        if "<" not in address:
            assert as_ana.get(page(name, draft)).status_code in (200, 302, 404, 405, 409, 422), name


# Roles


@pytest.mark.parametrize("role", [Role.REVIEWER, None])
def test_only_researchers_of_the_study_see_candidates(draft, role):
    rea = User.objects.create_user("rea")
    grant_role(make_study(1), rea, Role.REVIEWER)
    if role:
        grant_role(draft, rea, role)
    expected = 403 if role else 404
    reader = client_of(rea)

    for name in ("contexts", "candidates_file", "contexts_settings"):
        assert reader.get(page(name, draft)).status_code == expected
    assert reader.get(page("candidates", draft, 1)).status_code == expected
    assert reader.post(page("candidates", draft, 1), {"reason": "name"}).status_code == expected
    assert reader.post(page("undo_choice", draft, 1)).status_code == expected
    assert Client().get(page("contexts", draft)).status_code == 302
    assert not draft.candidate_pairs.exclude(state="open").exists()


# Another file, and the settings


def test_another_file_replaces_the_candidates(as_ana, draft):
    answer = upload(as_ana, page("candidates_file", draft), candidates_file(3, 2))

    assert answer.status_code == 302
    assert draft.candidate_pairs.count() == 3


def test_choices_are_discarded_only_if_the_box_is_ticked(as_ana, ana, draft):
    choose(draft, ana, 1, 1, 2)
    address = page("candidates_file", draft)

    refused = upload(as_ana, address, candidates_file(3, 2))
    assert refused.status_code == 422
    assert "1 choice was made among the present candidates" in text_of(refused)
    assert draft.candidate_pairs.count() == 2

    assert upload(as_ana, address, candidates_file(3, 2), discards_choices="on").status_code == 302
    assert draft.candidate_pairs.count() == 3


def test_settings_are_stored(as_ana, draft):
    assert as_ana.post(page("contexts_settings", draft), {"experts": "two"}).status_code == 302

    stored = CandidateSet.objects.get(study=draft)
    assert (stored.is_double, stored.shows_scores) == (True, False)


# How far it is


def test_the_overview_counts_pairs_and_describes_what_was_chosen(as_ana, ana, draft):
    record_choice(draft.candidate_pairs.get(number=2), ana, Chosen(reason="sense"))
    choose(draft, ana, 1, 3, 1)

    shown = text_of(as_ana.get(page("contexts", draft)))

    assert "Decided 2 of 2 Chosen 1 Skipped 1" in shown
    assert "6–10 2" in shown
    assert "Median 7." in shown
    assert "e5 0.200 median difference of scores, 1 pair" in shown
    assert "CC0-1.0 2 contexts" in shown
    assert "Skipped: wrong sense 1 pair" in shown
    assert "choosing" not in shown


def test_the_overview_shows_the_agreement_of_two_experts(as_ana, ana, draft):
    bea = User.objects.create_user("bea")
    configure_selection(draft, is_double=True, shows_scores=False)
    for number, second in ((1, 2), (2, 3)):
        choose(draft, ana, number, 1, 2)
        choose(draft, bea, number, 1, second)

    shown = text_of(as_ana.get(page("contexts", draft)))

    assert "Disputed 1 Agreement of two experts 50 % 1 of 2" in shown


def test_pairs_are_listed_by_state_and_by_want_of_candidates(as_ana, ana, draft):
    CandidatePair.objects.filter(study=draft, number=2).update(n_candidates=1)
    choose(draft, ana, 1, 1, 2)

    def listed(query: str) -> list[str]:
        answer = as_ana.get(page("contexts", draft) + query).content.decode()
        return re.findall(r"alpha\d – beta\d", answer)

    assert listed("") == ["alpha1 – beta1", "alpha2 – beta2"]
    assert listed("?show=chosen") == ["alpha1 – beta1"]
    assert listed("?show=open") == listed("?show=few") == ["alpha2 – beta2"]
    assert listed("?show=skipped") == []


def test_chosen_contexts_are_used_as_stimuli_after_a_confirmation(as_ana, ana, draft):
    choose(draft, ana, 1, 1, 2)
    address = page("use_stimuli", draft)
    assert address in as_ana.get(page("contexts", draft)).content.decode()

    asked = as_ana.get(address)
    shown = text_of(asked)
    assert "1 pair with chosen contexts will be the stimuli. 1 undecided and 0 skipped are" in shown
    assert b'class="grave"' not in asked.content  # nothing is lost
    assert not draft.pairs.exists()

    answer = as_ana.post(address)
    assert answer["Location"] == page("stimuli", draft)
    assert [str(pair) for pair in draft.pairs.all()] == ["alpha1 – beta1"]
    assert "Stimuli ✓ done" in text_of(as_ana.get(page("overview", draft)))
    again = as_ana.get(address)
    assert "They replace the 1 row that the draft has now" in text_of(again)
    assert b'<button class="grave">Use as stimuli</button>' in again.content


def test_contexts_with_a_sentence_in_common_are_named_before_they_are_used(as_ana, ana, draft):
    draft.candidate_pairs.get(number=1).candidates.update(
        document="story", first_sentence=1, last_sentence=3
    )
    choose(draft, ana, 1, 1, 2)

    shown = text_of(as_ana.get(page("use_stimuli", draft)))

    assert "Both contexts have a sentence in common: alpha1 – beta1." in shown


def test_nothing_chosen_is_explained(as_ana, draft):
    answer = as_ana.get(page("use_stimuli", draft))

    assert answer.status_code == 409
    assert "No contexts are chosen yet" in text_of(answer)


def test_doubtful_licences_are_reported_before_the_study_opens(as_ana, ana):
    draft = make_draft(ana, 1, 3, licence="")
    draft.candidate_pairs.get().candidates.filter(number=2).update(licence="CC BY-ND 4.0")
    choose(draft, ana, 1, 1, 2)
    assert "Licences of the texts" not in text_of(as_ana.get(page("opening", draft)))

    as_ana.post(page("use_stimuli", draft))

    shown = text_of(as_ana.get(page("opening", draft)))
    assert "CC BY-ND 4.0: 1 context, publishing is forbidden" in shown
    assert "no licence known: 1 context" in shown
    overview = text_of(as_ana.get(page("contexts", draft)))
    assert "CC BY-ND 4.0 1 context forbids publishing" in overview
    assert "Unknown licence 1 context check" in overview
    assert "corpus.conllu 2 contexts from 2 documents" in overview


def test_starting_opens_the_next_pair(as_ana, ana, draft):
    address = page("contexts", draft)
    assert as_ana.post(address)["Location"] == page("candidates", draft, 1)
    choose(draft, ana, 1, 1, 2)
    assert as_ana.post(address)["Location"] == page("candidates", draft, 2)
    choose(draft, ana, 2, 1, 2)
    assert as_ana.post(address)["Location"] == address


# Queries

MOST = {
    "contexts": 12, "candidates_file": 6, "contexts_settings": 5, "use_stimuli": 9,
    "candidates": 10, "chosen": 9,
}  # fmt: skip


def test_the_number_of_queries_is_equal_for_few_and_many_pairs(as_ana, ana, monkeypatch):
    monkeypatch.setattr(checklist, "STEPS_KEPT", 3600)  # never counted again between two requests
    counts = []
    for n_pairs in (2, 6, 60):
        draft = make_draft(ana, n_pairs, min(n_pairs + 1, 30), slug=f"of-{n_pairs}")
        for number in range(1, n_pairs // 2 + 1):
            choose(draft, ana, number, 1, 2)
        pages = {
            **{name: page(name, draft) for name in list(MOST)[:4]},
            "candidates": page("candidates", draft, n_pairs),
            "chosen": page("candidates", draft, 1),
        }
        counts.append({name: count_queries(as_ana, address) for name, address in pages.items()})

    assert counts[0] == counts[1] == counts[2]
    assert {name: n for name, n in counts[0].items() if n > MOST[name]} == {}


def count_queries(browser: Client, address: str) -> int:
    assert browser.get(address).status_code == 200
    with CaptureQueriesContext(connection) as asked:
        browser.get(address)
    return len(asked)


def test_a_draft_without_stimuli_is_neither_duplicated_nor_rehearsed(as_ana, draft):
    copied = as_ana.post(page("duplicate", draft), {"title": "Copy", "slug": "copy"})
    rehearsed = as_ana.post(page("rehearsal", draft), {"count": "1"})

    assert (copied.status_code, rehearsed.status_code) == (422, 422)
    assert "has no stimuli yet" in text_of(copied)
    assert not Study.objects.filter(slug="copy").exists()
