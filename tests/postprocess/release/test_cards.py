"""The contents of README.md, DATA_STATEMENT.md and CHECKLIST.md, and escaping in them."""

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from postprocess.release.description.study import Description
from postprocess.release.documents.markdown import escape, escape_prose
from tests.postprocess.release.releases import full_description, full_entries, release

HOSTILE = (
    "=cmd|' /C calc'!A0 <script>alert(1)</script> | **bold** _x_ `code` [link](http://x.org) "
    "![img](http://x.org/i.png) $\\sum$ # x --- &amp; {{ 7*7 }} ~~s~~ https://x.org/a_b \\"
)
CHECKED = ("version", "licence", "url", "doi", "creators")  # entries with a fixed format
CARDS = ("README.md", "DATA_STATEMENT.md", "CHECKLIST.md")
LINES = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"))).map(
    lambda text: " ".join(text.split())
)


def render(markdown):
    return (
        MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown)
    )


def plain(html):
    text = re.sub(r"<[^>]+>", "", html)
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, sign)
    return text.strip()


def hostile_description():
    entries = full_entries()
    for section in entries.values():
        if isinstance(section, dict):
            prose = [name for name, entry in section.items() if isinstance(entry, str)]
            section.update({name: HOSTILE for name in prose if name not in CHECKED})
    entries["authors"] = [{"name": HOSTILE}]
    entries["recruitment"] = [{"channel": HOSTILE}]
    entries["scale"] = {"labels": {"0": HOSTILE}}
    return full_description(**entries)


def body_of(card):
    return card.split("---\n", 2)[2]


@given(LINES)
def test_escape_keeps_the_text(line):
    html = render(escape(line))

    assert plain(html) == line
    assert set(re.findall(r"<(\w+)", html)) <= {"p"}


@given(LINES)
def test_escape_keeps_text_in_its_cell(line):
    html = render(f"| a | b |\n| --- | --- |\n| {escape(line)} | end |")

    assert html.count("<td>") == 2
    assert "<td>end</td>" in html


def test_escape_prose_keeps_paragraphs():
    assert escape_prose("One\nline.\n\n- two") == "One line.\n\n\\- two"


@pytest.mark.parametrize("name", CARDS)
def test_hostile_text_is_escaped(one_dataset, name):
    card = release(description=hostile_description()).files[name].decode()
    html = render(body_of(card) if name == "README.md" else card)

    assert "<script" not in html
    assert "<img" not in html
    assert '<a href="http://x.org"' not in html
    assert HOSTILE in plain(html)
    for line in card.splitlines():
        if line.startswith("| "):
            assert len(re.findall(r"(?<!\\)\|", line)) == 3


@pytest.mark.parametrize("described", [Description(), full_description(), hostile_description()])
def test_the_metadata_of_the_card_is_valid_for_hubs(one_dataset, described):
    card = release(description=described).files["README.md"].decode()

    head = yaml.safe_load(card.split("---\n", 2)[1])

    assert card.startswith("---\n")
    assert head["language"] == ["sl"]
    is_known = described.annotators.creators is not None
    assert head.get("annotations_creators") == (["crowdsourced"] if is_known else None)
    assert head["task_categories"] == ["text-classification"]
    assert head["size_categories"] == ["n<1K"]
    assert head.get("license") == ("cc-by-4.0" if described.dataset.licence else None)
    assert [config["config_name"] for config in head["configs"]] == [
        "dataset", "distributions", "ratings"
    ]  # fmt: skip
    if described.dataset.title:
        assert head["pretty_name"] == described.dataset.title


def test_the_metadata_names_existing_files():
    files = release(n_practice=1).files

    head = yaml.safe_load(files["README.md"].decode().split("---\n", 2)[1])

    paths = {one["path"] for config in head["configs"] for one in config["data_files"]}
    assert paths == {
        "cosimlex_sl.parquet", "practice_kit/cosimlex_sl.parquet", "distributions_sl.parquet",
        "ratings_sl.parquet",
    }  # fmt: skip
    assert paths <= set(files)


def test_the_card_names_every_file():
    files = release(n_practice=1).files
    card = files["README.md"].decode()

    assert set(re.findall(r"^\| `([^`]+)` \| \S", card, re.MULTILINE)) >= set(files)


def test_the_statement_has_sections_a_to_i():
    statement = release().files["DATA_STATEMENT.md"].decode()

    assert re.findall(r"^## (\w)\. ", statement, re.MULTILINE) == list("ABCDEFGHI")


def test_the_checklist_answers_every_question():
    checklist = release().files["CHECKLIST.md"].decode()

    assert re.findall(r"^## (D\d)\. ", checklist, re.MULTILINE) == ["D1", "D2", "D3", "D4", "D5"]
    assert "the instructions, version 1: [texts/instructions_1.md]" in checklist
    assert "2.10 EUR for 12 minutes" in checklist
    assert "1 did, and their data are not in this release" in checklist


def test_the_card_has_the_counts_of_the_dataset():
    card = release().files["README.md"].decode()

    assert "4 word pairs in Slovene." in card
    assert "11 annotators gave 44 ratings; 44 ratings by 11 of them are used in the scores" in card


def test_the_card_has_q_and_the_two_sided_p_before_the_published_p():
    made = release(description=full_description())
    text = " ".join(plain(render(body_of(made.files["README.md"].decode()))).split())
    shares = made.dataset.report["table1"]["text"]

    assert (
        f"Pairs that change between the contexts: {shares['share_q']} with q < 0.05 (false "
        f"discovery rate), {shares['share_two_sided']} with a two-sided p < 0.05; one-sided, as "
        f"published: {shares['share_one_sided']} with p < 0.05, "
        "where 10 % are expected by chance."
    ) in text
    steps = made.dataset.outcome.recipe
    is_moved = steps.calibration.enabled or steps.filtering.enabled
    assert ("Calibration and filtering make all of these shares too large" in text) == is_moved


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        (
            "README.md",
            (
                "Procedure, Rating scale, Annotators, Recruitment, Texts, Source of the contexts, "
                "Licence, Licence of the texts, Version, Maintenance, Contact, Funding"
            ),
        ),
        (
            "DATA_STATEMENT.md",
            (
                "Choice of the texts, Choice of the pairs, Variety of the language, Procedure, "
                "Writers of the texts, Recruitment, Qualifications of the annotators, Pay, "
                "Demographics of the annotators, Situation of the texts, Genre and topics, "
                "Source of the contexts, Licence of the texts"
            ),
        ),
        (
            "CHECKLIST.md",
            (
                "Recruitment, Pay, Adequacy of the pay, Consent, Ethics review, Risks, "
                "Qualifications of the annotators, Demographics of the annotators"
            ),
        ),
    ],
)
def test_every_answer_has_its_label(one_dataset, name, labels):
    sections = full_entries()
    sections["dataset"] |= {"funding": "None."}
    card = release(description=full_description(**sections)).files[name].decode()

    for label in labels.split(", "):
        assert f"\n**{label}:** " in card
    assert ("\n**Funding:** None.\n" in card) == (name == "README.md")
    answers = [line for line in card.splitlines() if line.startswith("Two sentences")]
    assert len(answers) == (3 if name == "README.md" else 0)  # summary, uses and limits


def test_a_missing_answer_has_its_label(one_dataset):
    card = release(description=Description()).files["README.md"].decode()

    assert (
        "\n**Funding:** **[TO BE WRITTEN BY A PERSON, Maintenance: who funded the work]**" in card
    )


@pytest.mark.parametrize(
    ("forms", "said"),
    [
        ("dictionary", "in their dictionary forms, in the order of the text."),
        ("text", "in the forms used in the text."),
    ],
)
def test_documents_name_the_forms_of_the_question(one_dataset, forms, said):
    collection = {**full_entries()["collection"], "question_forms": forms}
    files = release(description=full_description(collection=collection)).files

    for name in CARDS:
        assert files[name].decode().count(f"The question named the two words {said}") == 1


def test_documents_omit_the_question_if_unknown():
    files = release().files

    for name in CARDS:
        assert "The question named" not in files[name].decode()
        assert "Cosima's variant" not in files[name].decode()


def test_documents_name_the_variants_that_annotators_read(one_dataset):
    variants = {"variant": "plain", "n_annotators_by_variant": {"own": 1, "plain": 20}}
    collection = {**full_entries()["collection"], **variants}
    files = release(description=full_description(collection=collection)).files

    said = (
        "Wording of the question and the labels: Cosima's variant plain (the rule alone). "
        "Instructions, practice and check that annotators read: the researchers' own: 1 annotator; "
        "Cosima's variant plain (the rule alone): 20 annotators."
    )
    for name in (*CARDS, "croissant.json"):
        assert said.replace("'", "’") in files[name].decode().replace("'", "’")
