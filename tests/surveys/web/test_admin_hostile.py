"""Admin pages handle any query and store nothing."""

import pytest
from django.contrib import admin
from django.contrib.admin.templatetags.admin_urls import admin_urlname
from django.contrib.admin.utils import quote
from django.urls import reverse

from surveys.web.admin.read_only import list_tables
from tests.factories.studies import make_study
from tests.hostile import TEXTS, Attacker

pytestmark = pytest.mark.django_db

OURS = [
    admin.site.get_model_admin(model)
    for model in list_tables("surveys")
    if admin.site.is_registered(model)
]
# A filter may be on a number or a text; the other two are texts in all lists.
KINDS = {"filter": ("NUL", "5000 digits", "above any column"), "text": ("NUL",)}


@pytest.mark.parametrize("of", OURS, ids=lambda of: of.model._meta.model_name)
def test_admin_pages_handle_any_query(of, admin_client):
    make_study(1)
    attacker = Attacker(sessionid=admin_client.session.session_key)
    fields = {f"{field}__exact": "filter" for field in of.list_filter}
    fields |= {"q": "text", "study__slug": "text"}
    address = reverse(admin_urlname(of.opts, "changelist"))

    for field, of_field in fields.items():
        for kind in KINDS[of_field]:
            answer = attacker.get(address, {field: TEXTS[kind]})
            attacker.judge(f"{field} {kind}", answer, may_store=False)
    for key in ("0", "a\0b", "9" * 5000, str(10**30)):
        row = reverse(admin_urlname(of.opts, "change"), args=[quote(key)])
        attacker.judge(f"row {key:.20}", attacker.get(row, {}), may_store=False)
    attacker.judge("changed row", attacker.post(row, {"study": "1"}), may_store=False)

    assert not attacker.complaints


@pytest.mark.parametrize("field", ["q", "p", "o", "e", "study__slug"])
def test_parameters_of_all_lists_may_hold_any_text(field, admin_client):
    """One list is enough: Django reads these alike in all of them."""
    attacker = Attacker(sessionid=admin_client.session.session_key)

    for kind, text in TEXTS.items():
        short = text[:5000] if isinstance(text, str) else text
        answer = attacker.get(reverse("admin:surveys_study_changelist"), {field: short})
        attacker.judge(kind, answer, may_store=False)

    assert not attacker.complaints
