"""Until page 1 is answered, nothing the server sends says which two words will be asked about."""

import re

import pytest
from django.urls import reverse

from surveys.models import Assignment, Context
from surveys.participation.assignments import begin_assignment
from surveys.recruitment.links import invite_annotators
from tests.annotate.arriving import agree
from tests.factories import due_response, make_study, start

pytestmark = pytest.mark.django_db


def everything_sent(answer) -> str:
    head = "".join(f"{name}: {text}\n" for name, text in answer.items())
    return f"{answer.status_code}\n{head}\n{answer.cookies.output()}\n{answer.content.decode()}"


def without_the_text(sent: str, context: Context) -> str:
    """What is sent beside the bare text itself, which must stand there whole and once."""
    assert sent.count(context.text) == 1
    return sent.replace(context.text, "")


def normalised(sent: str, context: Context, token: str) -> str:
    """What is sent, without what may differ between two texts: the text, the link, the time."""
    beside = without_the_text(sent, context).replace(token, "TOKEN")
    return without_the_time(beside)


def without_the_time(sent: str) -> str:
    return re.sub(r'Expires: .*|name="shown" value="\d+"', "", sent, flags=re.IGNORECASE)


def test_page_1_of_every_context_is_the_same_but_for_its_bare_text(client):
    study = make_study(3)
    pages = []
    for invitation in invite_annotators(study, 2):
        welcome = reverse("annotate:welcome", args=[invitation.token])
        looked, started = client.get(welcome), agree(client, welcome)
        token = started.url.split("/")[2]
        begin_assignment(Assignment.objects.get(token=token))
        response = due_response(Assignment.objects.get(token=token))
        engage = reverse("annotate:engage", args=[token, 1])
        refused = client.post(engage, {})
        before = [looked, started, client.get(started.url), client.head(engage)]

        context = response.context
        for answer in (*before, client.get(engage), refused):
            sent = everything_sent(answer).replace(context.text, "")
            assert "<strong" not in re.sub(r"<details.*</details>", "", sent, flags=re.DOTALL)
            for word in (context.form1, context.form2, context.pair.word1, context.pair.word2):
                assert word not in sent
        pages.append(normalised(everything_sent(client.get(engage)), context, token))

    assert pages[0] == pages[1]


def test_what_surrounds_the_text_does_not_know_where_the_targets_are(client):
    """Moving the targets within the same text changes no byte of page 1."""
    study = make_study(1)
    engage = reverse("annotate:engage", args=[start(study).token, 1])
    sent = [everything_sent(client.get(engage))]

    Context.objects.update(word1_start=0, word1_end=2, word2_start=3, word2_end=5)
    study.pairs.update(word1="quite", word2="other")
    sent.append(everything_sent(client.get(engage)))

    assert without_the_time(sent[0]) == without_the_time(sent[1])


def test_page_2_is_not_sent_before_page_1_is_accepted(client):
    rate = reverse("annotate:rate", args=[start(make_study(1)).token, 1])

    for answer in (client.get(rate), client.post(rate, {"rating": 3}), client.head(rate)):
        assert answer.status_code == 302
        assert answer.content == b""
