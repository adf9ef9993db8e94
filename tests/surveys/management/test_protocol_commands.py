"""Commands for texts, settings, checkpoint items and rounds."""

import getpass
import io
import sys
from types import SimpleNamespace

import pytest
from django.core.management import CommandError

from surveys.models import Pair, Round, Study, StudyText, TextKind
from surveys.study.design import configure_study
from surveys.study.settings import KIND, SETTINGS
from surveys.study.texts import current_text
from tests.factories.checkpoints import file, numbered_row, row
from tests.factories.studies import finish, make_study, start, stored
from tests.surveys.management.running import run

pytestmark = [pytest.mark.django_db, pytest.mark.study(n_pairs=4)]

CHECK = '[[questions]]\nquestion = "?"\nanswers = ["a", "b"]\nright = 1\nwhy = "."\n'


@pytest.fixture
def text_file(tmp_path):
    """Return a file for a text."""
    return tmp_path / "text"


@pytest.fixture
def checkpoints(tmp_path):
    """Return a file with two checkpoint items."""
    path = tmp_path / "checkpoints.tsv"
    path.write_bytes(file(row(), numbered_row(2)))
    return path


def version(study: Study, kind: str) -> tuple[int, str]:
    current = current_text(study, TextKind(kind))
    return current.version, current.body


def test_set_text_prints_the_current_version(study, text_file):
    text_file.write_bytes("\ufeff# Pozdravljeni\r\n".encode())

    out, err = run("set_text", "study", "consent", text_file)

    assert (out, err) == ("Annotators of study study now read this consent (version 2).\n", "")
    assert version(study, "consent") == (2, "# Pozdravljeni")


def test_set_text_again_reports_no_change(study, text_file):
    text_file.write_text("# Welcome")
    run("set_text", "study", "consent", text_file)

    out, _ = run("set_text", "study", "consent", text_file)

    assert out == (
        "Nothing changed: the consent of study study is this text already (version 2).\n"
    )
    assert StudyText.objects.count() == 2


def test_set_text_reads_standard_input(study, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"# Hello")))

    run("set_text", "study", "instructions", "-")

    assert version(study, "instructions") == (2, "# Hello")


def test_set_text_shows_the_text(study, text_file):
    text_file.write_text("# Welcome")
    run("set_text", "study", "consent", text_file)

    assert run("set_text", "study", "consent", "--show")[0] == "# Welcome\n"
    assert version(study, "consent")[0] == 2


@pytest.mark.parametrize("kind", ["practice", "check"])
def test_set_text_empties_an_optional_text(study, kind):
    out, err = run("set_text", "study", kind, "--empty")

    assert (out, err) == (f"Study study now has no {kind} (version 2).\n", "")
    assert version(study, kind) == (2, "")


def test_set_text_explains_how_to_switch_the_check_on(study, text_file):
    text_file.write_text(CHECK)

    _, err = run("set_text", "study", "check", text_file)
    configure_study(study, n_check_tries=2)
    text_file.write_text(CHECK.replace("?", "??"))
    _, err_again = run("set_text", "study", "check", text_file)

    assert err == (
        "note: the check is switched off. To switch it on: "
        "manage.py configure_study study --check-tries 2\n"
    )
    assert err_again == ""


def test_configure_study_prints_the_settings():
    study = make_study(title="Similar?", lease_hours=2)
    configure_study(study, scale_labels={"0": "not at all", "6": "the same"}, seconds_per_item=30)
    before = stored(study, "revision")

    lines = [line.split("  ", 1) for line in run("configure_study", "study")[0].splitlines()]
    assert len(lines) == len(KIND) + len(SETTINGS)
    assert {label: value[0].strip() for label, *value in lines if value} == {
        "Kind of item": "text",
        "One lemma twice": "no",
        "Question": "similarity_in_text",
        "Written by annotators": "associations",
        "Centre of the ratings": "mean",
        "Layout of published files": "cosimlex",
        "Doubled items": "0",
        "Items without a majority are decided": "no",
        "Title": "Similar?",
        "Language of the texts": "en",
        "Lowest point": "0",
        "Highest point": "6",
        "Step": "1",
        "Labels of points": "0 = not at all, 6 = the same",
        "Forms of the two words in the question": "dictionary",
        "Texts and wording": "plain",
        "Annotators may say that they cannot judge": "no",
        "Choosing a number sends it": "no",
        "Ratings per context": "2",
        "Pairs in a block, at most": "20",
        "Seconds per text": "30",
        "Checkpoint items in an assignment": "0",
        "Annotators can do another block after finishing one": "no",
        "Assignment of questionnaires": "balanced",
        "Hours for which a place is reserved without an answer": "2",
        "Tries for the comprehension check": "0",
        "Seed": "0",
        "Withdrawal erases the answers": "yes",
        "Words written by annotators are published": "no",
    }
    assert stored(study, "revision") == before


@pytest.mark.parametrize(
    ("options", "field", "setting"),
    [
        (["--title", "Similar?"], "title", "Similar?"),
        (["--contact", "lab@example.org"], "contact", "lab@example.org"),
        (["--pay", "£2.50"], "pay", "£2.50"),
        (["--pay-for-more", "£1"], "pay_for_more", "£1"),
        (["--ratings-per-context", "3"], "ratings_per_context", 3),
        (["--lease-hours", "5"], "lease_hours", 5),
        (["--assigning-policy", "random"], "assigning_policy", "random"),
        (["--label", "0.0=not at all", "--label", "6= a = b "], "scale_labels",
         {"0": "not at all", "6": "a = b"}),
        (["--allows-unjudgeable"], "allows_unjudgeable", True),
        (["--sends-choice"], "sends_choice", True),
        (["--allows-more-blocks"], "allows_more_blocks", True),
        (["--no-erases-withdrawn"], "erases_withdrawn", False),
        (["--publishes-words"], "publishes_words", True),
        (["--check-tries", "2"], "n_check_tries", 2),
        (["--seconds-per-item", "60"], "seconds_per_item", 60),
    ],
)  # fmt: skip
def test_configure_study_changes_a_setting(study, options, field, setting):
    run("configure_study", "study", *options)

    assert stored(study, field) == (setting,)


def test_configure_study_changes_the_forms_of_the_question_in_a_draft(study):
    Study.objects.update(opened_at=None)

    out, _ = run("configure_study", "study", "--question-forms", "text")

    assert out == "Forms of the two words in the question: dictionary → text\n"
    assert stored(study, "question_forms") == ("text",)


@pytest.mark.parametrize(
    ("option", "field", "setting"),
    [
        ("--no-allows-unjudgeable", "allows_unjudgeable", False),
        ("--no-allows-more-blocks", "allows_more_blocks", False),
        ("--erases-withdrawn", "erases_withdrawn", True),
        ("--no-publishes-words", "publishes_words", False),
        ("--no-labels", "scale_labels", {}),
    ],
)
def test_configure_study_reverts_a_setting(study, option, field, setting):
    configure_study(
        study, allows_unjudgeable=True, allows_more_blocks=True, erases_withdrawn=False,
        publishes_words=True, scale_labels={"0": "not at all"},
    )  # fmt: skip

    run("configure_study", "study", option)

    assert stored(study, field) == (setting,)


def test_configure_study_prints_the_changes(study):
    out, _ = run("configure_study", "study", "--contact", "lab@example.org", "--allows-unjudgeable",
                 "--lease-hours", "24", "--label", "0=not at all")  # fmt: skip

    assert out.splitlines() == [
        "Contact for annotators: – → lab@example.org",
        "Labels of points: – → 0 = not at all",
        "Annotators may say that they cannot judge: no → yes",
    ]


def test_configure_study_reports_no_change(study):
    assert run("configure_study", "study", "--lease-hours", "24")[0] == "Nothing changed.\n"


def test_configure_study_warns_of_too_few_checkpoint_items(study, checkpoints):
    run("import_checkpoints", "study", checkpoints, "--per-assignment", "1")

    assert run("configure_study", "study", "--checkpoints", "2")[1] == ""
    out, err = run("configure_study", "study", "--checkpoints", "3")

    assert out == "Checkpoint items in an assignment: 2 → 3\n"
    assert err == "note: the study has 2 checkpoint items: manage.py import_checkpoints -h\n"


def test_import_checkpoints_reports_what_it_stored(study, checkpoints):
    out, err = run("import_checkpoints", "study", checkpoints, "--per-assignment", "1")

    assert (out, err) == (
        "Stored. New checkpoint items: 2, known already: 0, in each assignment: 1.\n", "",
    )  # fmt: skip
    assert Pair.objects.checkpoints(study).count() == 2


def test_import_checkpoints_again_reports_no_change(study, checkpoints):
    arguments = ("import_checkpoints", "study", checkpoints, "--per-assignment", "1")
    run(*arguments)

    assert run(*arguments)[0] == (
        "The study has these checkpoint items already: nothing changed.\n"
    )


def test_import_checkpoints_dry_run_reports_and_stores_nothing(study, checkpoints):
    out, _ = run("import_checkpoints", "study", checkpoints, "--per-assignment=2", "--dry-run")

    assert out == (
        "Nothing stored (dry run); this would be stored. New checkpoint items: 2, "
        "known already: 0, in each assignment: 2.\n"
    )
    assert not Pair.objects.checkpoints(study).exists()


def test_import_checkpoints_shows_warnings(study, checkpoints):
    data = checkpoints.read_bytes().replace(b"\thighest\n", b"\thighest\tnote\n")
    checkpoints.write_bytes(data.replace(b"\t6\n", b"\t6\tx\n"))

    _, err = run("import_checkpoints", "study", checkpoints, "--per-assignment", "1")

    assert err == "warning: unknown column 'note': not used; remove it, or correct its name\n"


def test_import_checkpoints_shows_every_error(study, checkpoints):
    checkpoints.write_bytes(checkpoints.read_bytes().replace(b"\t5\t6", b"\t6\t5"))

    with pytest.raises(CommandError) as refused:
        run("import_checkpoints", "study", checkpoints, "--per-assignment", "1")

    assert str(refused.value).startswith("rows 1 and 2, lowest: ")
    assert not Pair.objects.checkpoints(study).exists()


def test_repeat_block_prints_the_new_round(study, monkeypatch):
    monkeypatch.setattr(getpass, "getuser", lambda: "anna")
    finish(start(study))

    out, _ = run("repeat_block", "study", "1", "--reason", " scripts ")

    assert out == "Round 2 of block 1 is open now. Places: 4.\n"
    current = Round.objects.get(is_current=True)
    assert stored(current, "number", "reason", "opened_by") == (2, "scripts", "anna")


@pytest.mark.parametrize(
    ("options", "author"), [(["--author", "bert"], "bert"), ([], "")], ids=["given", "unknown"]
)
def test_repeat_block_stores_its_author(study, monkeypatch, options, author):
    def fail() -> str:
        raise KeyError("getpwuid(): uid not found: 1000")

    monkeypatch.setattr(getpass, "getuser", fail)
    finish(start(study))

    run("repeat_block", "study", "1", "--reason", "scripts", *options)

    assert stored(Round.objects.get(is_current=True), "opened_by") == (author,)
