"""Mail texts with placeholders: validation and completion."""

import pytest

from surveys.errors import TextRefused
from surveys.models import TextKind
from surveys.study.letters import Letter, check_letter, fill_letter

KNOWN = {"link": "https://x.org/a", "title": "", "minutes": "20", "contact": "lab@x.org"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Come\n{name}\n{link}", r"unknown placeholder \{name\}; use \{link\}, \{title\}, \{min"),
        ("Come\n{}\n{link}", r"unknown placeholder \{\}"),
        ("Come\nHello", r"the personal link is missing; write \{link\}"),
        ("Come {link}\nHello", "the personal link is missing"),
        ("Come\n{title}: {link}", "on a line without other placeholders"),
        ("{title}\n{link}", "the first line is the subject of the mail; write one"),
        ("x" * 151 + "\n{link}", "may have 150 characters; it has 151"),
    ],
)
def test_a_mail_that_cannot_be_sent_is_refused(text, said):
    with pytest.raises(TextRefused, match=f"reminder: .*{said}"):
        check_letter(TextKind.REMINDER, text)


def test_fill_letter_leaves_out_lines_with_empty_placeholders():
    text = "About {title} words\n\nHello {you\n\nTitle: {title}\n\n{link}\n{minutes} min, {contact}"

    check_letter(TextKind.INVITATION, text)

    assert fill_letter(text, KNOWN) == Letter(
        "About words", "Hello {you\n\nhttps://x.org/a\n20 min, lab@x.org"
    )


def test_a_placeholder_within_a_value_is_not_replaced():
    letter = fill_letter("Come\n{title}\n{link}", {**KNOWN, "title": "{link}"})

    assert letter.body == "{link}\nhttps://x.org/a"
