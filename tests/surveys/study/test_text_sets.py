"""The instructions and practice items for designs other than CoSimLex's."""

import re
import tomllib
from decimal import Decimal
from itertools import pairwise

import pytest

from postprocess.designs import list_designs
from postprocess.designs.design import read_design
from postprocess.designs.kinds import KINDS, WordPair
from surveys.errors import TextRefused
from surveys.models import Study, TextKind
from surveys.study.design import configure_study
from surveys.study.exercises import read_practice
from surveys.study.scale_examples import points_between, read_scale_examples
from surveys.study.text_rows import read_rows
from surveys.study.texts import (
    DEFAULTS,
    IN_TWO,
    TEXT,
    check_text,
    current_texts,
    default_text,
    read_text,
    read_texts,
    set_text,
)
from tests.factories.studies import make_study_of, study_of

LANGUAGES = ("en", "hr", "sl", "fi", "ar", "fa")
DESIGNS = [design for name in list_designs() if (design := read_design(name)).text_set != TEXT]
N_PARTS = {"same_meaning": (0, 2), "translation": (0, 0)}  # of the scale; elsewhere both ends


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_the_texts_of_a_set_are_flawless_and_show_both_ends(language, design):
    kind, scale, text_set = KINDS[design.item.kind], design.scale.as_scale(), design.text_set
    points = [Decimal(str(scale.minimum + n * scale.step)) for n in range(scale.n_points)]
    body, _, written_in = default_text(language, TextKind.INSTRUCTIONS, text_set=text_set)

    check_text(TextKind.INSTRUCTIONS, body)
    practice = default_text(language, TextKind.PRACTICE, "", text_set).body
    items = read_practice(practice, design.item)

    assert (written_in, len(body.split()) <= 105, len(items)) == ("", True, 2)
    block = "".join(re.findall("```scale\n(.+?)```", body, re.DOTALL))
    shown = [example.part for example in read_scale_examples(block)]
    ours = [item.ours for item in items if item.ours]
    assert (len(shown), len(ours)) == N_PARTS.get(text_set, (2, 2))
    for low, high in filter(None, (shown, ours)):
        ends = [{points[0], points[-1]} & {*points_between(points, part)} for part in (low, high)]
        assert ends == [{points[0]}, {points[-1]}]
    for item in items:
        row = dict(zip(kind.columns, kind.write(WordPair("1", *item.item)), strict=True))
        assert kind.read(row, design.item)[1] == []  # no warning either
        assert all(text.text.count(text.form) == len(text.spans) == 1 for text in item.item.texts)


@pytest.mark.parametrize("name", ["simlex", "scws", "usim", "mclwic"])
@pytest.mark.parametrize(("language", "language2"), list(pairwise((*LANGUAGES, "en"))))
@pytest.mark.django_db
def test_a_study_in_two_languages_practises_in_both(name, language, language2):
    study = study_of(name, language=language, language2=language2)
    own, other = (
        [
            table
            for table in tomllib.loads((DEFAULTS / tag / IN_TWO).read_text("utf-8"))["items"]
            if study.text_set in table["sets"]
        ]
        for tag in (language, language2)
    )

    body = read_text(study, TextKind.PRACTICE).body

    check_text(TextKind.PRACTICE, body, study.item_rules)
    items = read_practice(body, study.item_rules)
    assert [item.ours for item in items] == [(0, 20), (80, 100)]
    for item, first, second in zip(items, own, other, strict=True):
        assert item.item[:2] == (first["word1"], second["word2"])
        assert [text.marked() for text in item.item.texts] == [first["text1"], second["text2"]][
            : study.kind.n_texts
        ]
        assert item.explanation.startswith(first["explanation"] + " ")
        row = study.kind.write(WordPair("1", *item.item))
        read = study.kind.read(dict(zip(study.kind.columns, row, strict=True)), study.item_rules)
        assert read[1] == []
    assert read_rows(TextKind.PRACTICE, body)  # the form shows them


@pytest.mark.django_db
def test_a_study_practises_in_one_language_where_the_other_has_no_items():
    for name, language2 in (("mclwic", "pt"), ("semeval2017-translation", "fi")):
        study = study_of(name, language2=language2)
        practice = read_text(study, TextKind.PRACTICE).body
        assert practice == default_text("en", TextKind.PRACTICE, "", study.text_set).body != ""


def test_a_set_has_no_check_and_is_in_english_where_a_language_has_none():
    texts = {kind: default_text("pt", kind, text_set="uses") for kind in TextKind}
    assert texts[TextKind.INSTRUCTIONS].body == default_text("en", "instructions", "", "uses").body
    assert (texts[TextKind.CHECK].body, texts[TextKind.INSTRUCTIONS].language) == ("", "en")
    assert texts[TextKind.CONSENT] == default_text("pt", TextKind.CONSENT)


def test_a_wrong_practice_item_is_refused_with_all_that_is_wrong():
    item = 'text1 = "A bat."\ntext2 = "<strong>Bats</strong>."\nword1 = "bat"\nword2 = "owl"'
    with pytest.raises(TextRefused, match=r'word2: "owl" is not .+; text1: the target is not m'):
        read_practice(item, read_design("usim").item)


@pytest.mark.django_db
def test_a_study_has_the_texts_of_its_design_which_follow_its_language():
    study = make_study_of("usim", 1)
    Study.objects.update(opened_at=None)
    first = current_texts(study, list(TextKind))
    with pytest.raises(TextRefused, match="practice: text1 is missing"):
        set_text(study, TextKind.PRACTICE, default_text("en", TextKind.PRACTICE).body)
    own = set_text(study, TextKind.PRACTICE, "")
    back = set_text(study, own.kind, default_text("en", own.kind, text_set="uses").body)

    now = read_texts(configure_study(study, language="fi"))

    of_set = (TextKind.INSTRUCTIONS, TextKind.PRACTICE, TextKind.CHECK)
    assert [first[kind].body for kind in of_set] == [
        default_text("en", kind, text_set="uses").body for kind in of_set
    ]
    assert [now[kind].body for kind in TextKind] == [
        default_text("fi", kind, text_set="uses").body for kind in TextKind
    ]
    assert (own.variant, back.variant) == ("own", "plain")
