"""What a command cannot do it refuses by name, and nothing is stored."""

import shlex

import pytest
from django.core.management import CommandError

from surveys.models import TextKind
from surveys.recruitment.links import invite_listed
from surveys.study.texts import current_texts
from tests.factories.studies import make_study
from tests.hostile import watch_writes
from tests.surveys.management.running import run

pytestmark = pytest.mark.django_db

FILES = {
    "twice.txt": b"anna\nbert\nanna\n",
    "blank.txt": b"\n \n",
    "latin.txt": b"anna\n\xe8rt\n",
    "latin.md": b"Dober dan, \xe8mrlj",
    "practice.toml": b"text = 1",
    "folder/file": b"",
}
UNKNOWN = r"Unknown study 'nobody'\. Studies: study"
NO_INVITATION = "Study study has no invitation with this link or note"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("import_stimuli missing.tsv --study s --language en", "Cannot read"),
        ("import_stimuli folder --study s --language en", "Cannot read"),
        ("invite_annotators nobody", UNKNOWN),
        ("invite_annotators nobody --from twice.txt", UNKNOWN),
        ("invite_annotators study --count=0", "whole number from 1"),
        ("invite_annotators study --count=-1", "whole number from 1"),
        ("invite_annotators study --count=many", "whole number from 1"),
        ("invite_annotators study --from twice.txt", "line 3 says the same as line 1"),
        ("invite_annotators study --from blank.txt", "the list is empty"),
        ("invite_annotators study --from latin.txt", "latin.txt: not UTF-8 text: byte 6 of the"),
        ("invite_annotators study --from missing.txt", "Cannot read"),
        ("invite_annotators study --count 3 --from twice.txt", "not allowed with"),
        ("export invitations nobody", UNKNOWN),
        ("export invitations study --out folder", "Cannot write"),
        ("export responses nobody", UNKNOWN),
        ("export responses study --out missing/responses.csv", "Cannot write"),
        ("revoke_invitation nobody anna --because left", UNKNOWN),
        ("revoke_invitation study '' --because x", NO_INVITATION),
        ("revoke_invitation study / --because x", NO_INVITATION),
        ("revoke_invitation study anna --because x", NO_INVITATION),
        ("revoke_invitation study known --because=", "use 1 to 200 characters"),
        ("revoke_invitation study known --because=' '", "use 1 to 200 characters"),
        (f"revoke_invitation study known --because={'x' * 201}", "use 1 to 200 characters"),
        ("revoke_invitation study http://x.org/invitation/anna/ --because x", NO_INVITATION),
        ("entrance link nobody", UNKNOWN),
        ("entrance link study --close", "Study study has no open link."),
        ("entrance link study --close --cap 3", "--close goes with no other option"),
        ("entrance link study --cap 0", "whole number from 1"),
        ("entrance link study --cap 3 --no-cap", "not allowed with"),
        ("entrance link study --completion-code C1 --no-completion-code", "not allowed with"),
        ("entrance link study --completion-code 'two words'", "'two words' is not a code"),
        (f"entrance link study --completion-code {'C' * 41}", "is not a code"),
        ("entrance prolific nobody --completion-code C1", UNKNOWN),
        ("entrance prolific study", "Give --completion-code"),
        ("entrance prolific study --no-place-code N1", "Give --completion-code"),
        ("entrance prolific study --completion-code ''", "'' is not a code"),
        ("entrance prolific study --completion-code C1 --no-place-code é", "'é' is not a code"),
        ("entrance prolific study --completion-code C1 --cap none", "whole number from 1"),
        ("entrance prolific study --completion-code C1 --cap 3 --no-cap", "not allowed with"),
        (
            "entrance prolific study --completion-code C --no-place-code N --without-no-place-code",
            "not allowed with",
        ),
        ("entrance prolific study --close", "Study study has no connection to Prolific."),
        ("entrance prolific study --close --no-cap", "--close goes with no other option"),
        ("entrance prolific study --close --completion-code C1", "--close goes with no other"),
        ("set_text nobody consent --show", UNKNOWN),
        ("set_text study consent --empty", "Only practice and check may be empty"),
        ("set_text study consent", "one of the arguments file --show --empty is required"),
        ("set_text study consent text --show", "not allowed with argument"),
        ("set_text study welcome --show", "invalid choice: 'welcome'"),
        ("set_text study consent missing.md", "Cannot read missing.md"),
        ("set_text study consent latin.md", "not UTF-8 text: byte 12"),
        ("set_text study practice practice.toml", "practice: text is missing"),
        ("configure_study nobody", UNKNOWN),
        ("configure_study study --lease-hours 0", "Hours for which .*: Ensure this value is"),
        ("configure_study study --question-forms text", "The study is open: .*question"),
        ("configure_study study --question-forms plural", "invalid choice: 'plural'"),
        ("configure_study study --label '7=too much'", "which the scale does not have"),
        ("configure_study study --label 0=a --label 0.0=b", "The point 0 has two labels"),
        ("configure_study study --label none", "write 'none' as POINT=WORDS"),
        ("configure_study study --label x=a", "'x' is not a number"),
        ("configure_study study --label 0=a --no-labels", "not allowed with"),
        ("configure_study study --assigning-policy none", "invalid choice: 'none'"),
        (f"configure_study study --contact a@b.org --title {'x' * 201}", "Title: "),
        ("import_checkpoints nobody twice.txt --per-assignment 1", UNKNOWN),
        ("repeat_block nobody 1 --reason scripts", UNKNOWN),
        ("repeat_block study 1 --reason scripts", "There is no assignment in round 1"),
        ("repeat_block study 9 --reason scripts", "has no block 9; its blocks are 1 to 1"),
        ("repeat_block study x --reason scripts", "'x' is not a whole number"),
        ("repeat_block study 1 --reason ' '", "use 1 to 500 characters"),
        (f"repeat_block study 1 --reason x --author {'a' * 151}", "use 1 to 150 characters"),
        ("repeat_block study 1", "required: --reason"),
        ("set_retention study x", "'x'"),
        ("set_retention study -1", "-1"),
        ("set_retention study 9999", "Give from 0 to 3650 days"),
        ("set_retention study 99999999", "Give from 0 to 3650 days"),
        ("export person study nobody", "has no annotator 'nobody'"),
        ("release_dataset nobody out", UNKNOWN),
        ("release_dataset study out --no-report --set filtering.k=-1", "filtering.k"),
        ("release_dataset study out --no-report --recipe mine.toml", "mine.toml"),
        ("rehearse_study nobody --base-url http://127.0.0.1:1", UNKNOWN),
    ],
)
def test_a_command_is_refused_by_name_and_stores_nothing(command, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = make_study(1)
    current_texts(study, TextKind)  # stores the default texts
    invite_listed(study, ["known"])
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)

    with watch_writes() as written, pytest.raises(CommandError, match=said):
        run(*shlex.split(command))

    assert written == set()
    assert not (tmp_path / "out").exists()
