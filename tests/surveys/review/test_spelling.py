import stat
import subprocess

import pytest

from preprocess.word_lists import has_word_list
from surveys.review import spelling
from surveys.review.spelling import find_doubted, spelling_command


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    """Clear the cache and hide the programs of the system."""
    clear_caches()
    monkeypatch.setenv("PATH", str(tmp_path))
    yield
    clear_caches()


def clear_caches():
    spelling.remembered.clear()
    spelling.spelling_command.cache_clear()


def install(folder, name, script):
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def add_dictionary(folder, monkeypatch, tag="hr_HR"):
    monkeypatch.setenv("DICPATH", str(folder))
    (folder / f"{tag}.aff").touch()


@pytest.mark.parametrize(
    ("language", "known"),
    [("en", "houses"), ("hr", "kućama"), ("sr-Latn", "kućama"), ("sl", "hišah"), ("fi", "talossa")],
)
def test_find_doubted_knows_words_of_a_language(language, known):
    assert find_doubted([known, known.upper(), "xqzt"], language) == {"xqzt"}


def test_find_doubted_is_empty_for_an_unknown_language():
    assert not has_word_list("tlh")
    assert find_doubted(["xqzt"], "tlh") == frozenset()


def test_find_doubted_uses_a_system_dictionary(monkeypatch, tmp_path):
    add_dictionary(tmp_path, monkeypatch)
    install(tmp_path, "hunspell", 'echo "$@" >> "$0.asked"; while read -r w; do '
            'case $w in tvit) echo "$w";; esac; done')  # fmt: skip

    assert spelling_command("hr")
    assert find_doubted(["kuća", "tvit", "Xqzt"], "hr") == {"Xqzt"}
    find_doubted(["tvit", "Xqzt"], "hr")
    asked = (tmp_path / "hunspell.asked").read_text().splitlines()
    assert asked == [f"-d {tmp_path / 'hr_HR'} -i utf-8 -G"]  # cached the second time


def test_find_doubted_uses_voikko_for_finnish(tmp_path):
    install(tmp_path, "voikkospell", 'while read -r w; do '
            'case $w in hiilikissa) echo "C: $w";; *) echo "W: $w";; esac; done')  # fmt: skip

    assert find_doubted(["hiilikissa", "xqzt"], "fi") == {"xqzt"}


def test_find_doubted_ignores_a_dictionary_that_fails(monkeypatch, tmp_path, caplog):
    add_dictionary(tmp_path, monkeypatch)
    install(tmp_path, "hunspell", "exit 3")

    assert find_doubted(["kuća", "xqzt"], "hr") == {"xqzt"}
    assert "failed: CalledProcessError" in caplog.text
    assert "xqzt" not in caplog.text


def test_find_doubted_has_a_timeout(monkeypatch, tmp_path):
    add_dictionary(tmp_path, monkeypatch)
    install(tmp_path, "hunspell", "exit 0")

    def never(*arguments, **options):
        raise subprocess.TimeoutExpired(arguments, options["timeout"])

    monkeypatch.setattr(spelling.subprocess, "run", never)

    assert find_doubted(["kuća", "xqzt"], "hr") == {"xqzt"}


def test_find_doubted_caches_a_bounded_number_of_words(monkeypatch):
    monkeypatch.setattr(spelling, "CACHE_SIZE", 3)

    for number in range(5):
        find_doubted([f"xq{number}", f"zt{number}"], "en")

    assert len(spelling.remembered) <= 3
