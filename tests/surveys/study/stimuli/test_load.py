import unicodedata
from dataclasses import replace

import pytest

from surveys.errors import ImportRefused, StudyExists
from surveys.models import Block, Context, Item, Pair, Questionnaire, Study
from surveys.study.stimuli.load import StudyDesign, import_stimuli
from tests.factories import HEADER, make_study, numbered_stimuli, stimuli_file, stimuli_row

pytestmark = pytest.mark.django_db

DESIGN = StudyDesign(slug="study", language="en", ratings_per_context=11)


def n_stored() -> tuple[int, ...]:
    tables = (Study, Pair, Context, Block, Questionnaire, Item)
    return tuple(table.objects.count() for table in tables)


def refusal(data: bytes, design: StudyDesign = DESIGN) -> str:
    """The message of an import that stored nothing."""
    with pytest.raises(ImportRefused) as refused:
        import_stimuli(data, design)
    assert n_stored() == (0, 0, 0, 0, 0, 0)
    return str(refused.value)


def test_import_stimuli_stores_a_study():
    summary = import_stimuli(numbered_stimuli(5), DESIGN)

    assert (summary.n_pairs, summary.n_blocks, summary.n_assignments) == (5, 1, 22)
    assert summary.warnings == ()
    assert n_stored() == (1, 5, 10, 1, 2, 10)


def test_import_stimuli_keeps_offsets_that_give_back_the_forms():
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
    ids=["at the start", "beside punctuation", "stray markup", "emoji and combining marks"],
)
def test_import_stimuli_takes_every_text_as_it_is(text):
    make_study(stimuli=stimuli_file(stimuli_row(context1=text)))

    context = Context.objects.get(number=1)

    assert context.text == text.replace("<strong>", "").replace("</strong>", "")
    assert (context.form1, context.form2) == ("cats", "dog")


def test_import_stimuli_reads_crlf_and_bom_as_the_same_file():
    study = make_study(3)

    data = b"\xef\xbb\xbf" + numbered_stimuli(3).replace(b"\n", b"\r\n")
    summary = import_stimuli(data, StudyDesign(slug="study", language="en", ratings_per_context=2))

    assert not summary.is_new
    assert Study.objects.get() == study


def test_import_stimuli_takes_the_same_two_words_in_two_rows():
    other = stimuli_row(context1="A <strong>dog</strong>. Two. My <strong>cats</strong> ate.")

    summary = import_stimuli(stimuli_file(stimuli_row(), other), DESIGN)

    assert summary.n_pairs == 2


NFD = unicodedata.normalize("NFD", "čaj")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (HEADER.replace("\tcontext2", "").encode() + b"\n", ["context2"]),
        (b"", ["the file is empty"]),
        (b"PK\x03\x04\0", ["a spreadsheet", "separated by tabs"]),
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
def test_import_stimuli_refuses_what_is_wrong(data, said):
    message = refusal(data)

    assert [word for word in said if word not in message] == []


def test_import_stimuli_tells_everything_at_once():
    data = stimuli_file(stimuli_row(), stimuli_row(word1=""), stimuli_row(word2_context2="dogses"))

    message = refusal(data, StudyDesign(slug="a b", language="tlh-x", ratings_per_context=0))

    assert "'a b'" in message
    assert "'tlh-x'" in message
    assert "ratings per context" in message
    assert "row 2 (line 3), word1" in message
    assert "row 3 (line 4), context2" in message
    assert "row 1" not in message


@pytest.mark.parametrize("tag", ["xx", "english", "", "en_GB", "en-Xxxx", "sl-QQ", "../etc"])
def test_import_stimuli_refuses_an_unknown_language(tag):
    design = StudyDesign(slug="study", language=tag, ratings_per_context=1)

    assert "language" in refusal(numbered_stimuli(1), design)


@pytest.mark.parametrize("tag", ["en", "hr", "sl", "fi", "fa", "ar", "pt-BR", "sr-Latn", "hsb"])
def test_import_stimuli_knows_the_languages_of_the_world(tag):
    design = StudyDesign(slug="study", language=tag, ratings_per_context=1)

    assert import_stimuli(numbered_stimuli(1), design).is_new


@pytest.mark.parametrize(
    ("tag", "written"), [("SL", "sl"), ("en-us", "en-US"), ("sr-latn", "sr-Latn")]
)
def test_import_stimuli_asks_for_the_usual_writing_of_a_language(tag, written):
    design = StudyDesign(slug="study", language=tag, ratings_per_context=1)

    assert refusal(numbered_stimuli(1), design) == f"write the language '{tag}' as '{written}'."


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"ratings_per_context": -1}, "ratings per context"),
        ({"block_size": 0}, "block size"),
        ({"scale_minimum": 6, "scale_maximum": 6}, "scale"),
        ({"scale_maximum": 100}, "41 points"),
        ({"slug": "x" * 51}, "50 characters"),
        ({"slug": ""}, "study name"),
        ({"seed": 2**63}, "seed"),
        ({"question_forms": "plural"}, "the question forms must be dictionary, text"),
        ({"title": "t" * 201}, "title"),
    ],
)
def test_import_stimuli_refuses_an_impossible_design(changed, said):
    design = StudyDesign(**{"slug": "study", "language": "en", "ratings_per_context": 2, **changed})

    assert said in refusal(numbered_stimuli(1), design)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"word1_context1": "dog", "word2_context1": "cats"}, "word1_context1"),
        ({"context1": "Seven <strong>cats</strong> ate a <strong>dog</strong>."}, "context1"),
    ],
    ids=["swapped columns", "one sentence"],
)
def test_import_stimuli_warns_of_what_is_odd(changed, said):
    summary = import_stimuli(stimuli_file(stimuli_row(**changed)), DESIGN)

    (warning,) = summary.warnings
    assert (warning.row, warning.column) == (1, said)
    assert Study.objects.count() == 1


def test_import_stimuli_dry_run_stores_nothing():
    summary = import_stimuli(numbered_stimuli(21), DESIGN, dry_run=True)

    assert (summary.n_pairs, summary.n_blocks, summary.n_assignments) == (21, 2, 44)
    assert n_stored() == (0, 0, 0, 0, 0, 0)


def test_import_stimuli_twice_changes_nothing():
    import_stimuli(numbered_stimuli(3), DESIGN)
    before = n_stored()

    summary = import_stimuli(numbered_stimuli(3), DESIGN)

    assert not summary.is_new
    assert n_stored() == before


def test_import_stimuli_refuses_other_stimuli_for_a_study():
    import_stimuli(numbered_stimuli(3), DESIGN)
    before = n_stored()

    with pytest.raises(StudyExists, match="other stimuli"):
        import_stimuli(numbered_stimuli(4), DESIGN)

    assert n_stored() == before


def test_import_stimuli_refuses_another_design_for_a_study():
    import_stimuli(numbered_stimuli(3), DESIGN)

    with pytest.raises(StudyExists, match="ratings per context is 11, not 5"):
        import_stimuli(
            numbered_stimuli(3), StudyDesign(slug="study", language="en", ratings_per_context=5)
        )


def test_import_stimuli_stores_the_forms_of_the_question_and_keeps_them():
    asked = replace(DESIGN, question_forms="text")
    import_stimuli(numbered_stimuli(1), asked)

    assert not import_stimuli(numbered_stimuli(1), asked).is_new
    with pytest.raises(StudyExists, match="question forms is text, not dictionary"):
        import_stimuli(numbered_stimuli(1), DESIGN)
    assert Study.objects.get().question_forms == "text"


@pytest.mark.parametrize(
    "name",
    ["data_sl.tsv", "data_fi.tsv"]
    + [f"practice_kit/data_{code}.tsv" for code in ("en", "hr", "sl")],
)
def test_import_stimuli_takes_published_files(published, name):
    design = StudyDesign(slug="study", language="en", ratings_per_context=10)

    summary = import_stimuli((published / name).read_bytes(), design)

    assert summary.is_new
