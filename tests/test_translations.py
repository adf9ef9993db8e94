"""Every text of the interface is there in every language."""

import shutil
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages import Message
from babel.messages.pofile import read_po
from django.conf import settings
from django.core.management import call_command
from django.utils.translation import gettext, override, to_locale

from tests.machine import ROOT, lack

TRANSLATED = [code for code, _ in settings.LANGUAGES if code != "en"]
SOURCES = ("surveys", "templates", "annotation_site")


def read_catalogue(path: Path):
    with path.open("rb") as file:
        return read_po(file)


@pytest.fixture(scope="session")
def extracted(tmp_path_factory) -> set[str]:
    """The texts that the sources hold now."""
    if not shutil.which("xgettext"):
        lack("gettext")
    copy = tmp_path_factory.mktemp("sources")
    for name in SOURCES:
        shutil.copytree(ROOT / name, copy / name)
    (copy / "locale").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(copy)
        patch.setattr(settings, "LOCALE_PATHS", [str(copy / "locale")])
        call_command("makemessages", locale=["sl"], verbosity=0)
    catalogue = read_catalogue(copy / "locale/sl/LC_MESSAGES/django.po")
    return {message.id for message in catalogue if message.id}


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogue_translates_exactly_what_the_sources_hold(extracted, language):
    catalogue = read_catalogue(ROOT / f"locale/{to_locale(language)}/LC_MESSAGES/django.po")

    assert {m.id for m in catalogue if m.id and is_translated(m)} == extracted


def is_translated(message: Message) -> bool:
    """Whether there is a text for it, and for every plural form of it."""
    forms = message.string if message.pluralizable else [message.string]
    return all(forms) and not message.fuzzy


@pytest.mark.parametrize(
    ("forms", "is_complete"),
    [(["ura", "uri", "ure", "ur"], True), (["ura", "", "ure", "ur"], False), (["ura"], False)],
)
def test_a_text_without_one_of_its_plural_forms_is_not_translated(forms, is_complete):
    lines = ['msgid ""', 'msgstr "Plural-Forms: nplurals=4; plural=(n % 4);\\n"', ""]
    lines += ['msgid "%(n)s hour"', 'msgid_plural "%(n)s hours"']
    lines += [f'msgstr[{number}] "{form}"' for number, form in enumerate(forms)]
    catalogue = read_po(BytesIO("\n".join(lines).encode()), locale="sl")

    assert [is_translated(m) for m in catalogue if m.id] == [is_complete]


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogue_keeps_every_placeholder(language):
    catalogue = read_catalogue(ROOT / f"locale/{to_locale(language)}/LC_MESSAGES/django.po")

    assert [str(error) for _, errors in catalogue.check() for error in errors] == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogue_is_compiled(language):
    with override(language):
        assert gettext("Continue") != "Continue"
