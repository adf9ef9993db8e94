"""The documentation as a site: complete, without warnings, and without requests to other hosts."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents.reading import list_documents
from tests.machine import ROOT

LOADED = re.compile(r'(?:src|srcset)="(?:https?:)?//|<link[^>]*href="(?:https?:)?//|@import')


@pytest.fixture(scope="module")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--fail-on-warning", "--nitpicky", "-c", "docs"]
    command = [sys.executable, "-m", "sphinx", *options, ".", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_every_document_is_a_page_and_in_the_menu(built_site):
    menu = (built_site / "docs/index.html").read_text(encoding="utf-8")
    pages = [f"{document.removesuffix('.md')}.html" for document in list_documents()]

    for page in set(pages) - {"docs/index.html"}:
        assert (built_site / page).is_file()
        link = page.removeprefix("docs/") if page.startswith("docs/") else f"../{page}"
        assert f'href="{link}"' in menu


def test_no_page_loads_anything_from_another_host(built_site):
    files = [*built_site.rglob("*.html"), *built_site.rglob("*.css")]

    assert len(files) > 30
    assert [file.name for file in files if LOADED.search(file.read_text(encoding="utf-8"))] == []


def test_formulas_are_drawn_without_a_script(built_site):
    page = (built_site / "docs/statistics.html").read_text(encoding="utf-8")

    assert page.count("<math") > 30
    assert "$" not in re.sub(r"<(pre|code).*?</\1>|<script.*?</script>", "", page, flags=re.DOTALL)
