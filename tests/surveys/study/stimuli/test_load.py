import unicodedata

import pytest

from surveys.errors import ImportRefused, StudyExists
from surveys.models import Block, Context, Item, Pair, Questionnaire, Study
from surveys.study.create import create_study
from surveys.study.stimuli.load import ImportSummary, read_stimuli
from tests.factories.studies import HEADER, make_study, numbered_stimuli, stimuli_file, stimuli_row

pytestmark = pytest.mark.django_db

DESIGN = Study(slug="study", language="en", ratings_per_context=11)


def n_stored() -> tuple[int, ...]:
    tables = (Study, Pair, Context, Block, Questionnaire, Item)
    return tuple(table.objects.count() for table in tables)


def create(data: bytes, design: Study) -> ImportSummary:
    return create_study(read_stimuli(data, design))


def refusal(data: bytes, design: Study = DESIGN) -> str:
    """Return the message of an import that stored nothing."""
    with pytest.raises(ImportRefused) as refused:
        create(data, design)
    assert n_stored() == (0, 0, 0, 0, 0, 0)
    return str(refused.value)


def test_create_study_stores_a_study():
    summary = create(numbered_stimuli(5), DESIGN)

    assert (summary.n_pairs, summary.n_blocks, summary.n_assignments) == (5, 1, 22)
    assert summary.warnings == ()
    assert n_stored() == (1, 5, 10, 1, 2, 10)


def test_create_study_stores_the_spans_of_the_forms():
    make_study(stimuli=stimuli_file(stimuli_row()))

    first, second = Context.objects.all()

    assert first.text == "The cats slept. It rained. A dog barked."
    assert (first.form1, first.form2) == ("cats", "dog")
    assert (first.word1_start, first.word1_end) == (4, 8)
    assert (second.form1, second.form2) == ("cat", "dogs")
    assert second.parts == [
        ("No ", False), ("dogs", True), (" came. It snowed. One ", False), ("cat", True),
        (" ran.", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "<strong>cats</strong> came first. It rained. Then a <strong>dog</strong>, wet, came.",
        "«<strong>cats</strong>»! It rained. And “<strong>dog</strong>”?",
        "Words.</poem> The <strong>cats</strong> & <i>one</i> <strong>dog</strong> &amp; rain.",
        "👩‍👩‍👧 and 𝔊 saw <strong>cats</strong>. It rained e\u0301. A <strong>dog</strong> 🐕.",
    ],
    ids=["at the start", "next to punctuation", "stray markup", "emoji and combining marks"],
)
def test_create_study_stores_every_text_unchanged(text):
    make_study(stimuli=stimuli_file(stimuli_row(context1=text)))

    context = Context.objects.get(number=1)

    assert context.text == text.replace("<strong>", "").replace("</strong>", "")
    assert (context.form1, context.form2) == ("cats", "dog")


def test_create_study_reads_crlf_and_bom_as_the_same_file():
    study = make_study(3)

    data = b"\xef\xbb\xbf" + numbered_stimuli(3).replace(b"\n", b"\r\n")
    summary = create(data, Study(slug="study", language="en", ratings_per_context=2))

    assert not summary.is_new
    assert Study.objects.get() == study


def test_create_study_accepts_the_same_two_words_in_two_rows():
    other = stimuli_row(context1="A <strong>dog</strong>. Two. My <strong>cats</strong> ate.")

    summary = create(stimuli_file(stimuli_row(), other), DESIGN)

    assert summary.n_pairs == 2


NFD = unicodedata.normalize("NFD", "čaj")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (HEADER.replace("\tcontext2", "").encode() + b"\n", ["context2"]),
        (b"", ["the file is empty"]),
        (b"PK\x03\x04\0", ["a spreadsheet", "save it again"]),
        (stimuli_file(), ["a header but no rows"]),
        (stimuli_file(stimuli_row(word2="d\tog")), ["row 1", "tab"]),
        (stimuli_file(stimuli_row(word2="d\nog")), ["row 1", "line break"]),
        (stimuli_file(stimuli_row(context1="The cats. A <strong>dog</strong>. Rain.")),
         ["row 1", "context1", "cats"]),
        (stimuli_file(stimuli_row(
            context1="<strong>cats</strong>, <strong>cats</strong>, <strong>dog</strong>. A. B.")),
         ["row 1", "context1", "twice"]),
        (stimuli_file(stimuli_row(
            context1="The <strong>cats</strong> and cats. A. One <strong>dog</strong>.")),
         ["row 1", "context1", "twice"]),
        (stimuli_file(stimuli_row(word1_context1="catses")), ["row 1", "catses"]),
        (stimuli_file(stimuli_row(
            context1="A <strong>cats <strong>dog</strong></strong> came. It. Was.")),
         ["row 1", "context1", "overlap"]),
        (stimuli_file(stimuli_row(
            context2=stimuli_row().split("\t")[2], word1_context2="cats", word2_context2="dog")),
         ["row 1", "context2", "equal"]),
        (stimuli_file(stimuli_row()).replace(b"slept", b"sl\xe9pt"), ["UTF-8", "line 2"]),
        (stimuli_file(stimuli_row(
            word1_context1="čaj",
            context1=f"A <strong>{NFD}</strong>. It. A <strong>dog</strong>.")),
         ["row 1", "context1", "NFC"]),
    ],
    ids=[
        "missing column", "empty file", "spreadsheet", "header only", "tab in a field",
        "line break in a field", "target missing", "target marked twice", "target standing twice",
        "not its inflected form", "overlapping", "contexts equal", "not UTF-8",
        "other normal form",
    ],
)  # fmt: skip
def test_create_study_refuses_errors(data, said):
    message = refusal(data)

    assert [word for word in said if word not in message] == []


def test_create_study_reports_all_errors_at_once():
    data = stimuli_file(stimuli_row(), stimuli_row(word1=""), stimuli_row(word2_context2="dogses"))

    message = refusal(data, Study(slug="a b", language="tlh-x", ratings_per_context=0))

    assert "Short name: Use letters, digits" in message
    assert "'tlh-x'" in message
    assert "Ratings per context: Ensure" in message
    assert "row 2 (line 3), word1" in message
    assert "row 3 (line 4), context2" in message
    assert "row 1" not in message


@pytest.mark.parametrize("tag", ["xx", "english", "", "en_GB", "en-Xxxx", "sl-QQ", "../etc"])
def test_create_study_refuses_an_unknown_language(tag):
    design = Study(slug="study", language=tag, ratings_per_context=1)

    assert "Language of the texts: " in refusal(numbered_stimuli(1), design)


@pytest.mark.parametrize("tag", ["en", "hr", "sl", "fi", "fa", "ar", "pt-BR", "sr-Latn", "hsb"])
def test_create_study_knows_the_languages_of_the_world(tag):
    design = Study(slug="study", language=tag, ratings_per_context=1)

    assert create(numbered_stimuli(1), design).is_new


@pytest.mark.parametrize(
    ("tag", "written"), [("SL", "sl"), ("en-us", "en-US"), ("sr-latn", "sr-Latn")]
)
def test_create_study_asks_for_canonical_language_tags(tag, written):
    design = Study(slug="study", language=tag, ratings_per_context=1)

    assert refusal(numbered_stimuli(1), design) == (
        f"Language of the texts: Write the language '{tag}' as '{written}'."
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"ratings_per_context": -1}, "Ratings per context: Ensure"),
        ({"block_size": 0}, "Pairs in a block, at most: Ensure"),
        ({"scale_minimum": 6, "scale_maximum": 6}, "scale"),
        ({"scale_minimum": -100, "scale_maximum": 100}, "101 points"),
        ({"slug": "x" * 51}, "50 characters"),
        ({"slug": ""}, "Short name: This field cannot be blank"),
        ({"seed": 2**63}, "Seed: Ensure"),
        ({"question_forms": "plural"}, "'plural' is not a valid choice"),
        ({"title": "t" * 201}, "Title: Ensure"),
    ],
)
def test_create_study_refuses_an_impossible_design(changed, said):
    design = Study(**{"slug": "study", "language": "en", "ratings_per_context": 2, **changed})

    assert said in refusal(numbered_stimuli(1), design)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"word1_context1": "dog", "word2_context1": "cats"}, "word1_context1"),
        ({"context1": "Seven <strong>cats</strong> ate a <strong>dog</strong>."}, "context1"),
    ],
    ids=["swapped columns", "one sentence"],
)
def test_create_study_reports_warnings(changed, said):
    summary = create(stimuli_file(stimuli_row(**changed)), DESIGN)

    (warning,) = summary.warnings
    assert (warning.row, warning.column) == (1, said)
    assert Study.objects.count() == 1


def test_create_study_stores_the_question_forms():
    asked = Study(slug="study", language="en", question_forms="text")
    create(numbered_stimuli(1), asked)

    assert not create(numbered_stimuli(1), asked).is_new
    with pytest.raises(
        StudyExists, match="Forms of the two words in the question: text, not dictionary"
    ):
        create(numbered_stimuli(1), DESIGN)
    assert Study.objects.get().question_forms == "text"


@pytest.mark.parametrize(
    "name",
    ["data_sl.tsv", "data_fi.tsv"]
    + [f"practice_kit/data_{code}.tsv" for code in ("en", "hr", "sl")],
)
def test_create_study_accepts_published_files(published, name):
    design = Study(slug="study", language="en", ratings_per_context=10)

    summary = create((published / name).read_bytes(), design)

    assert summary.is_new
