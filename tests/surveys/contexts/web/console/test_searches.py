"""Searches in the corpora of a site, on pages: for a study, for one pair, and by scores."""

import re

import pandas as pd
import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from surveys.access.roles import grant_role
from surveys.contexts.candidates import begin_study
from surveys.contexts.choices import Chosen, record_choice
from surveys.contexts.models import Candidate, CandidateSet
from surveys.contexts.search.requests import find_windows, request_search
from surveys.models import Job, Role, Run, Study
from tests.factories.clients import client_of
from tests.factories.corpora import wish
from tests.factories.pages import page
from tests.factories.selections import make_draft
from tests.factories.studies import make_study
from tests.preprocess.corpus import write
from tests.preprocess.windows.test_finding import stories_by_id

pytestmark = pytest.mark.django_db
ASKED = {
    "corpora": ["tales.conllu"], "listed": "ice sun\nsun, lake", "number": "4", "per_pair": "50",
    "filters": "", "licence": "",
}  # fmt: skip


@pytest.fixture
def empty(ana):
    """A draft for which candidates are still to be found."""
    return begin_study(None, Study(slug="words", language="en", ratings_per_context=2), ana)


@pytest.fixture
def searched_study(corpora, empty, as_ana, performed) -> Study:
    with performed():
        assert as_ana.post(page("search_contexts", empty), ASKED).status_code == 302
    assert Run.objects.get().state == "done"
    return empty


def text_of(answer) -> str:
    text = re.sub(r"<[^>]+>", " ", answer.content.decode())
    return re.sub(r" (?=[.,])", "", " ".join(text.split()))


# Where it begins


def test_a_corpus_without_borders_is_named_and_can_be_searched_by_sent_id(
    corpora, empty, as_ana, performed
):
    write(corpora / "plain.conllu", stories_by_id(6))
    address = page("search_contexts", empty)
    asked = {**ASKED, "corpora": ["plain.conllu"]}

    with performed():
        as_ana.post(address, asked)
    assert "plain.conllu: no `# newdoc` in the first 24 sentences" in text_of(as_ana.get(address))

    with performed():
        as_ana.post(address, {**asked, "by_sent_id": "on"})
    shown = as_ana.get(address)
    assert "newdoc`" not in text_of(shown)
    assert set(Candidate.objects.values_list("document", flat=True)) <= {f"s{n}" for n in range(6)}


def test_a_study_can_begin_with_a_search(corpora, as_ana):
    fields = {"title": "My words", "slug": "", "language": "en", "design": ""}
    shown = text_of(as_ana.get(reverse("console:begin_contexts")))
    assert "Leave it empty to search the corpora of this site." in shown

    answer = as_ana.post(reverse("console:begin_contexts"), fields, follow=True)

    study = Study.objects.get(slug="my-words")
    assert answer.redirect_chain[-1][0] == page("search_contexts", study)
    assert "news (2 files, " in text_of(answer)
    overview = text_of(as_ana.get(page("overview", study)))
    assert "Next: Search for texts in the corpora of this site. Go to the contexts" in overview


def test_without_corpora_a_study_begins_with_a_file_alone(as_ana, empty):
    fields = {"title": "My words", "slug": "", "language": "en", "design": ""}

    answer = as_ana.post(reverse("console:begin_contexts"), fields)

    assert answer.status_code == 422
    assert "Choose the file with the candidates or the windows." in text_of(answer)
    assert "Contexts" not in text_of(as_ana.get(page("overview", empty)))
    for name in ("contexts", "search_contexts", "pick_by_scores"):
        assert as_ana.get(page(name, empty)).status_code == 404


def test_a_draft_with_candidates_leads_to_the_search(corpora, as_ana, ana):
    draft = make_draft(ana)

    assert page("search_contexts", draft) in as_ana.get(page("contexts", draft)).content.decode()
    shown = as_ana.get(page("candidates", draft, 1)).content.decode()
    assert page("search_pair", draft, 1) in shown
    record_choice(draft.candidate_pairs.first(), ana, Chosen(1, 2))
    shown = as_ana.get(page("candidates", draft, 1)).content.decode()
    assert page("search_pair", draft, 1) in shown


def test_a_study_with_stimuli_and_an_open_one_have_no_search(corpora, as_ana, ana):
    study = make_study(2, slug="open")
    grant_role(study, ana, Role.OWNER)

    assert "Contexts" not in text_of(as_ana.get(page("overview", study)))
    assert as_ana.get(page("contexts", study)).status_code == 404
    assert as_ana.get(page("search_contexts", study)).status_code == 404


def test_a_folder_without_corpora_is_explained(corpora, as_ana, empty, settings):
    settings.CORPORA_DIR = corpora / "none"
    (corpora / "none").mkdir()

    assert "There are no corpora on this site yet" in text_of(
        as_ana.get(page("search_contexts", empty))
    )


def test_corpora_named_for_the_language_come_first(corpora, as_ana, empty):
    address = page("search_contexts", empty)
    assert "other corpora" not in text_of(as_ana.get(address))
    (corpora / "en_tales.conllu").write_bytes((corpora / "tales.conllu").read_bytes())

    shown = as_ana.get(address).content.decode()

    assert re.findall(r'value="([^"]+)" id="id_corpora_[0-9]"( checked)?', shown) == [
        ("en_tales.conllu", " checked"), ("news", ""), ("tales.conllu", "")
    ]  # fmt: skip
    assert re.search(r"<details>\s*<summary>2 other\s+corpora</summary>", shown)
    chosen = as_ana.post(address, {**ASKED, "listed": ""}).content.decode()
    assert re.search(r"<details open>\s*<summary>2 other\s+corpora</summary>", chosen)


# A search


def test_a_search_is_performed_and_described(searched_study, as_ana):
    shown = as_ana.get(page("search_contexts", searched_study))

    assert "Texts for 2 of 2 pairs, 8 candidates." in text_of(shown)
    assert page("pick_by_scores", searched_study) in shown.content.decode()
    assert "They replace the candidates from search 1 (tales.conllu)." in text_of(shown)
    assert "ice, sun\nsun, lake</textarea>" in shown.content.decode()
    assert "Decided 0 of 2" in text_of(as_ana.get(page("contexts", searched_study)))
    jobs = text_of(as_ana.get(page("jobs", searched_study)))
    assert "Search for texts in corpora (1)" in jobs
    assert "(8 new candidates)" in jobs


def test_what_was_found_and_rejected_is_counted(corpora, as_ana, empty, performed):
    asked = {**ASKED, "listed": "ice sun\nice fire", "filters": "words=36..90"}
    with performed():
        as_ana.post(page("search_contexts", empty), asked)

    shown = text_of(as_ana.get(page("search_contexts", empty)))

    assert "Without a text: ice – fire" in shown
    assert re.search(
        r"20 texts seen, \d+ kept. Rejected by the filters: words \d+ \(words of the window\).",
        shown,
    )


def test_many_pairs_without_a_text_do_not_hide_the_next_step(corpora, as_ana, empty, performed):
    unknown = "\n".join(f"ice word{n}" for n in range(11))
    with performed():
        as_ana.post(
            page("search_contexts", empty),
            {**ASKED, "listed": f"ice sun\n{unknown}", "number": "2"},
        )

    shown = as_ana.get(page("search_contexts", empty))

    assert "<summary>11 pairs without a text</summary>" in shown.content.decode()
    assert "More texts are found in larger corpora, or with wider filters" in text_of(shown)


def test_a_pair_with_a_single_text_is_explained(corpora, as_ana, empty, performed):
    story = (corpora / "tales.conllu").read_text(encoding="utf-8").split("# newdoc")[1]
    (corpora / "tales.conllu").write_text(f"# newdoc{story}", encoding="utf-8")
    with performed():
        as_ana.post(page("search_contexts", empty), ASKED)

    shown = text_of(as_ana.get(page("search_contexts", empty)))
    pair = text_of(as_ana.get(page("candidates", empty, 1)))

    assert "2 pairs have a single text, and need two." in shown
    assert "A pair needs two texts, and this one has a single one. Search for more texts" in pair
    assert "Choose the two texts that differ most" not in pair


def test_pairs_can_be_uploaded(corpora, as_ana, empty, performed):
    file = SimpleUploadedFile("pairs.tsv", b"word1\tword2\tPOS\nice\tsun\tN\n")

    with performed():
        answer = as_ana.post(page("search_contexts", empty), {**ASKED, "listed": "", "file": file})

    assert answer.status_code == 302
    assert [str(pair) for pair in empty.candidate_pairs.all()] == ["ice – sun"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"listed": ""}, "There are no pairs; add some."),
        ({"listed": "ice sun\nice"}, "Line 2: 1 word instead of two;"),
        ({"corpora": []}, "Choose a corpus."),
        ({"corpora": ["../../etc"]}, "is not one of the available choices"),
        ({"corpora": ["/etc/passwd"]}, "is not one of the available choices"),
        ({"filters": "colour=off"}, "Filter &quot;colour&quot; does not exist; choose from words,"),
        ({"filters": "words=many"}, "is not a setting of the filter words"),
        ({"number": "40"}, "less than or equal to 32"),
        ({"per_pair": "100000"}, "less than or equal to 1000"),
    ],
)
def test_errors_are_shown_next_to_their_fields(corpora, as_ana, empty, changed, said):
    answer = as_ana.post(page("search_contexts", empty), {**ASKED, **changed})

    assert answer.status_code == 422
    assert said in text_of(answer)
    assert not Run.objects.exists()


def test_a_faulty_file_of_pairs_is_described_by_row(corpora, as_ana, empty):
    file = SimpleUploadedFile("pairs.tsv", b"word1\tword2\nice\t\n")

    answer = as_ana.post(page("search_contexts", empty), {**ASKED, "file": file})

    assert "pairs.tsv: row 1 (line 2), word2: the field is empty; fill it in." in text_of(answer)


def test_choices_are_discarded_only_if_the_box_is_ticked(searched_study, as_ana, ana, performed):
    record_choice(searched_study.candidate_pairs.first(), ana, Chosen(1, 2))
    address = page("search_contexts", searched_study)

    refused = as_ana.post(address, {**ASKED, "corpora": ["news"]})
    assert refused.status_code == 422
    assert "1 choice was made among the present candidates" in text_of(refused)

    with performed():
        as_ana.post(address, {**ASKED, "corpora": ["news"], "discards_choices": "on"})
    assert not searched_study.candidate_pairs.exclude(state="open").exists()


def test_a_search_in_progress_is_shown_and_cancelled(corpora, as_ana, empty, ana):
    run = request_search(empty, wish(), ana)
    Job.objects.update(state="running", stage="scanning, about 3 minutes left", share_done=40)
    address = page("search_contexts", empty)

    shown = as_ana.get(address)
    assert "scanning, about 3 minutes left, 40 %" in text_of(shown)
    assert "data-live data-busy" in shown.content.decode()
    assert 'name="listed"' not in shown.content.decode()
    refused = as_ana.post(address, ASKED)
    assert "already in progress" in text_of(refused)

    assert as_ana.post(page("cancel_search", empty, run.pk))["Location"] == address
    shown = text_of(as_ana.get(address))
    assert "Search 1 Cancelled Corpora: tales.conllu." in shown
    assert "Try again" in shown
    again = as_ana.post(page("cancel_search", empty, run.pk))
    assert again.status_code == 409


def test_a_failed_search_is_tried_again_from_its_page(corpora, as_ana, empty, ana, performed):
    run = request_search(empty, wish(), ana)
    Job.objects.update(state="failed", error="The disk is full.")

    with performed():
        answer = as_ana.post(page("retry_search", empty, run.pk))

    assert answer["Location"] == page("search_contexts", empty)
    assert CandidateSet.objects.filter(study=empty).exists()


def test_only_searches_of_the_study_are_cancelled(corpora, as_ana, empty, ana):
    other = begin_study(None, Study(slug="other", language="en", ratings_per_context=2), ana)
    run = request_search(other, wish(), ana)

    assert as_ana.post(page("cancel_search", empty, run.pk)).status_code == 404
    assert as_ana.get(page("cancel_search", other, run.pk)).status_code == 405


# Scores


def test_candidates_are_picked_by_uploaded_scores(searched_study, as_ana):
    with find_windows(searched_study).archive.open("rb") as file:
        windows = pd.read_parquet(file)
    scores = windows.assign(score=range(len(windows)))[["window", "score"]].to_csv(index=False)
    address = page("pick_by_scores", searched_study)
    shown = text_of(as_ana.get(address))
    assert "python -m preprocess score --windows windows_words_1.parquet --model" in shown
    download = as_ana.get(page("download", searched_study, Run.objects.get().pk))
    assert "windows_words_1.parquet" in download["Content-Disposition"]

    def send(text: str):
        file = SimpleUploadedFile("elmo.csv", text.encode())
        return as_ana.post(address, {"file": file, "number": "4", "distance_within": ""})

    refused = send("window,score\nx,1\n")
    assert refused.status_code == 422
    assert "40 of 40 windows have no score of the model" in text_of(refused)
    assert "elmo.csv has scores of other windows; score these" in text_of(refused)
    assert send(scores)["Location"] == page("contexts", searched_study)
    assert Candidate.objects.filter(picked="elmo: most similar").count() == 2


def test_scores_need_the_windows_of_a_search(corpora, as_ana, ana):
    assert as_ana.get(page("pick_by_scores", make_draft(ana))).status_code == 404


# One pair


def test_more_texts_of_a_pair_are_searched_for(searched_study, as_ana, performed):
    address = page("search_pair", searched_study, 1)
    shown = as_ana.get(address).content.decode()
    assert re.search(r'value="tales.conllu"[^>]* checked', shown)

    asked = {"corpora": ["tales.conllu", "news"], "number": "3", "filters": ""}
    with performed():
        answer = as_ana.post(address, asked)

    assert answer["Location"] == address
    assert "3 texts were added; the pair has 7 candidates now." in text_of(as_ana.get(address))
    assert searched_study.candidate_pairs.get(number=1).candidates.count() == 7
    assert "They replace" in text_of(as_ana.get(page("search_contexts", searched_study)))


def test_the_corpora_of_uploaded_candidates_are_proposed(corpora, as_ana, ana):
    draft = make_draft(ana, file="a.conllu")

    shown = as_ana.get(page("search_pair", draft, 1)).content.decode()

    assert re.search(r'value="news"[^>]* checked', shown)
    assert not re.search(r'value="tales.conllu"[^>]* checked', shown)


def test_a_search_without_a_find_says_so(searched_study, as_ana, performed):
    for _ in range(2):
        with performed():
            asked = {"corpora": ["tales.conllu"], "number": "28", "filters": "words=1000.."}
            as_ana.post(page("search_pair", searched_study, 2), asked)

    shown = text_of(as_ana.get(page("search_pair", searched_study, 2)))
    assert "No other text of these corpora contains both words." in shown


# Roles


@pytest.mark.parametrize(("role", "expected"), [(Role.REVIEWER, 403), (None, 404)])
def test_only_researchers_of_the_study_search(searched_study, role, expected):
    rea = User.objects.create_user("rea")
    if role:
        grant_role(searched_study, rea, role)
    reader = client_of(rea)
    run = Run.objects.get()

    for address in (
        page("search_contexts", searched_study),
        page("search_pair", searched_study, 1),
        page("pick_by_scores", searched_study),
        page("cancel_search", searched_study, run.pk),
    ):
        assert reader.post(address, ASKED).status_code == expected
    assert Run.objects.count() == 1
