from django.urls import reverse
from lxml import html

from surveys.access.audit_log import record
from surveys.models import Role


def test_the_log_page_has_sentences_and_filters_by_subject(study, sign_in):
    record("block.repeated", study, "block 2", round=2, reason="too noisy")
    record("study.closed", study)
    url = reverse("console:log", args=[study.slug])
    client = sign_in(Role.OWNER)

    def read(**query: str) -> list[str]:
        page = html.document_fromstring(client.get(url, query).content)
        return [" ".join(row.text_content().split()) for row in page.xpath("//tbody//th")]

    assert {"Repeated block 2", "Closed the study"} <= set(read())
    assert read(action="block.") == ["Repeated block 2"]
