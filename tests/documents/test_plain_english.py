"""The list of odd wordings: each kind of text is read, and each reason is found."""

import subprocess
from pathlib import Path

import pytest

from tests.machine import ROOT

ODD = "Return the names of the pairs of the rows of a table."
PLAIN = "Return each pair's name, or None if it has been deleted."


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [ROOT / "scripts/plain_english", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def repository(tmp_path):
    """A repository whose commits take the files given to it."""

    def commit(subject: str, **files: str) -> None:
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
        who = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]
        subprocess.run(["git", *who, "commit", "-qm", subject], cwd=tmp_path, check=True)

    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path, commit


def test_each_kind_of_text_is_read(repository):
    folder, commit = repository
    commit(
        "Add texts",
        surveys__module_dot_py=f'def f():\n    """{ODD}"""\n    raise ValueError(f"{ODD}")\n',
        templates__page_dot_html=f"<p>\n{ODD}\n</p>\n{{# {ODD} #}}\n",
        docs__guide_dot_md=f"{PLAIN}\n\n- {ODD}\n\n```\n{ODD}\n```\n",
    )

    assert run(folder, "surveys", "templates", "docs").stdout.splitlines() == [
        f"docs/guide.md:3: document [of, of, of] - {ODD}",
        f"surveys/module.py:2: docstring [of, of, of] {ODD}",
        f"surveys/module.py:3: message [of, of, of] {ODD}",
        f"templates/page.html:2: page [of, of, of] {ODD}",
    ]


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        (PLAIN, ""),
        ("Check that for each row there is a pair.", ""),  # a conjunction
        ("Return those of some systems.", "those of"),
        ("You do not hold this HIT any more.", "not hold this HIT any more"),
        ("A draft is a study that is " + "very " * 40 + "new.", "long"),
    ],
)
def test_odd_sentences_are_found_with_their_reason(repository, sentence, reason):
    folder, commit = repository
    commit("Add a guide", README_dot_md=sentence)

    assert run(folder, "README.md").stdout.count("document") == bool(reason)
    assert f"[{reason}]" in run(folder, "README.md").stdout + "[]"


def test_a_limit_names_the_folders_beyond_it(repository):
    folder, commit = repository
    commit(
        "Add texts", surveys__m_dot_py=f'"""{ODD}"""\n', postprocess__m_dot_py=f'"""{PLAIN}"""\n',
        tests__m_dot_py=f'"""{ODD}"""\n', postprocess__release__m_dot_py=f'CAPTION = "{ODD}"\n',
    )  # fmt: skip

    refused = run(folder, "--limit", "1.5")

    assert refused.returncode == 1
    assert refused.stderr == "More odd sentences than the limit of 1.5 %: surveys (docstrings)\n"
    assert run(folder, "--limit", "100").returncode == 0


def test_subjects_that_only_the_diff_explains_are_found(repository):
    folder, commit = repository
    commit("Show merge targets in the team list", a="1")
    commit("Show what else there is", a="2")
    commit("Showing runs", a="3")

    found = run(folder, "--commits", "HEAD").stdout

    assert found.splitlines() == ["[no imperative] Showing runs", "[what] Show what else there is"]
