"""Before page 1 is answered, the server sends nothing about the two target words."""

import re

import pytest
from django.urls import reverse

from surveys.models import Assignment, Context
from surveys.participation.assignments import begin_assignment
from surveys.recruitment.links import invite_annotators
from tests.factories.arrivals import agree
from tests.factories.studies import due_response, make_study, start

pytestmark = pytest.mark.django_db


def everything_sent(answer) -> str:
    head = "".join(f"{name}: {text}\n" for name, text in answer.items())
    return f"{answer.status_code}\n{head}\n{answer.cookies.output()}\n{answer.content.decode()}"


def without_the_text(sent: str, context: Context) -> str:
    """Return a page without its bare text, which must appear in it once."""
    assert sent.count(context.text) == 1
    return sent.replace(context.text, "")


def normalised(sent: str, context: Context, token: str) -> str:
    """Return a page without what may differ: text, link, time and id of the request."""
    rest = without_the_text(sent, context).replace(token, "TOKEN")
    return without_the_time_and_id(rest)


def without_the_time_and_id(sent: str) -> str:
    return re.sub(
        r'Expires: .*|X-Request-ID: .*|name="shown" value="\d+"', "", sent, flags=re.IGNORECASE
    )


def test_page_1_differs_between_contexts_only_in_its_bare_text(client):
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


def test_page_1_does_not_depend_on_the_targets(client):
    """Other targets in the same text leave every byte of page 1 the same."""
    study = make_study(1)
    engage = reverse("annotate:engage", args=[start(study).token, 1])
    sent = [everything_sent(client.get(engage))]

    Context.objects.update(word1_start=0, word1_end=2, word2_start=3, word2_end=5)
    study.pairs.update(word1="quite", word2="other")
    sent.append(everything_sent(client.get(engage)))

    assert without_the_time_and_id(sent[0]) == without_the_time_and_id(sent[1])


def test_page_2_is_not_sent_before_page_1_is_accepted(client):
    rate = reverse("annotate:rate", args=[start(make_study(1)).token, 1])

    for answer in (client.get(rate), client.post(rate, {"rating": 3}), client.head(rate)):
        assert answer.status_code == 302
        assert answer.content == b""
