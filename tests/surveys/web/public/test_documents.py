"""The documentation as pages of the site, and the links of the console to it."""

import re

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from surveys.web.console.help import find_help, list_sections
from surveys.web.console.urls import urlpatterns
from tests.documents.reading import list_documents, read_anchors, read_targets
from tests.inline import find_inline

NAMES = [f"{name.removesuffix('.md')}.html" for name in list_documents()]


def read_page(name: str) -> str:
    answer = Client().get(f"/docs/{name}")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("name", NAMES)
def test_a_document_is_shown_with_its_anchors(name):
    page = read_page(name)

    anchors = read_anchors(f"{name.removesuffix('.html')}.md")
    assert {anchor for anchor in anchors if f'id="{anchor}"' not in page} == set()
    assert '.md"' not in page
    assert "toctree" not in page


@pytest.mark.django_db
def test_long_lines_are_reached_by_keyboard_and_no_heading_is_empty():
    page = read_page("docs/console.html")

    assert '<pre tabindex="0">' in page
    assert "<pre>" not in page
    assert not re.search(r"<th[^>]*></th>", page)
    assert '<td role="cell"></td><th scope="col"' in "".join(page.split("\n"))


@pytest.mark.django_db
def test_a_document_holds_nothing_inline():
    assert find_inline(Client().get("/docs/docs/console.html")) == []


@pytest.mark.django_db
def test_links_between_documents_lead_to_their_pages():
    page = read_page("docs/index.html")

    assert "console.md" in read_targets("docs/index.md")
    assert 'href="console.html"' in page
    assert 'href="../README.html"' in page


@pytest.mark.parametrize("name", ["survey.png", "screencast.webp"])
def test_pictures_are_shown(name):
    answer = Client().get(f"/docs/docs/images/{name}")

    assert (answer.status_code, answer["Content-Type"]) == (200, f"image/{name.split('.')[1]}")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["nothing.html", "../.env", "docs/conf.py", "docs/images/"])
def test_nothing_else_is_shown(name):
    assert Client().get(f"/docs/{name}").status_code == 404


def test_the_address_alone_leads_to_the_start_page():
    assert Client().get("/docs/").url == "/docs/docs/index.html"


@pytest.mark.parametrize("name", sorted({pattern.name for pattern in urlpatterns}))
def test_every_page_of_the_console_has_a_section_that_explains_it(name):
    page, _, anchor = list_sections()[name].partition("#")
    document = f"{page.removesuffix('.html')}.md"

    assert document in list_documents()
    assert anchor in read_anchors(document)


def test_no_page_without_a_name_has_a_section():
    assert list_sections().keys() == {pattern.name for pattern in urlpatterns}


@pytest.mark.django_db
def test_a_page_links_to_its_section():
    page = Client().get(reverse("console:sign_in")).content.decode()

    assert re.search(r'<a class="help" href="([^"]*)"', page)[1] == (
        "/docs/docs/console.html#accounts-and-roles"
    )


def test_the_documentation_may_be_elsewhere(settings):
    settings.DOCS_URL = "https://docs.example.org/"

    assert find_help("stimuli") == "https://docs.example.org/docs/console.html#stimuli"
    assert find_help("") == "https://docs.example.org/docs/console.html"


def test_the_site_shows_the_documentation_unless_settings_say_otherwise():
    assert settings.DOCS_URL == "/docs/"


@pytest.mark.django_db
def test_rows_of_tables_are_named_by_their_first_cell():
    page = read_page("docs/glossary.html")

    term = 'data-label="term">study (<code>Study</code>)</th>'
    assert f'<th scope="row" role="rowheader" {term}' in page
    assert '<td role="cell" data-label="meaning">the collection of ratings ' in page
