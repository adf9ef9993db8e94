"""Page 2 of an item: the scale and "I cannot judge this"."""

import re
from decimal import Decimal

import pytest

from surveys.models import Assignment, Response, Study
from surveys.participation.answers import record_engagement
from surveys.study.design import configure_study
from tests.factories.arrivals import page, squeeze
from tests.factories.studies import (
    due_response,
    make_study,
    progress_of,
    start,
    stimuli_file,
    stimuli_row,
    stored,
)

pytestmark = pytest.mark.django_db

ANSWER = ("written1", "written2", "rating")


def test_rate_shows_both_words_in_bold_and_names_them(client, assignment, response):
    record_engagement(progress_of(assignment), "morje", "sol")

    content = client.get(page("rate", assignment, 1)).content.decode()

    context = response.context
    for form in (context.form1, context.form2):
        assert content.count(f"<strong>{form}</strong>") == 1
        assert content.count(f'<b lang="en">{form}</b>') == 1
    assert content.count('type="radio"') == 7


def test_rate_stores_the_rating_and_goes_on_to_the_next_text(client, assignment, response):
    record_engagement(progress_of(assignment), "morje", "sol")

    answer = client.post(page("rate", assignment, 1), {"rating": "6"})

    assert answer.url == page("engage", assignment, 2)
    assert stored(response, *ANSWER) == ("morje", "sol", 6)


def test_rate_redirects_to_the_words_before_they_are_given(client, assignment, response):
    url = page("rate", assignment, 1)

    looked, posted = client.get(url), client.post(url, {"rating": "3"})

    assert looked.url == posted.url == page("engage", assignment, 1)
    assert stored(response, *ANSWER) == ("", "", None)


@pytest.mark.parametrize("rating", ["", "7", "-1", "99", "3.5", "three", "3; DROP TABLE"])
def test_rate_refuses_ratings_outside_the_scale(client, assignment, response, rating):
    record_engagement(progress_of(assignment), "morje", "sol")

    answer = client.post(page("rate", assignment, 1), {"rating": rating})

    assert answer.status_code == 422
    assert "Please choose" in answer.content.decode()
    assert stored(response, *ANSWER) == ("morje", "sol", None)


def test_rate_offers_the_scale_of_the_study(client):
    assignment = start(make_study(1, scale_minimum=1, scale_maximum=4))
    record_engagement(progress_of(assignment), "morje", "sol")

    content = client.get(page("rate", assignment, 1)).content.decode()

    assert [f'value="{point}"' in content for point in range(6)] == [
        False, True, True, True, True, False,
    ]  # fmt: skip


# The scale


def rating_page(client, study: Study) -> str:
    """Return page 2 of a new annotator's first item, without whitespace around tags."""
    assignment = start(study)
    record_engagement(progress_of(assignment), "morje", "sol")
    return squeeze(client.get(page("rate", assignment, 1)))


def test_rate_names_the_ends_of_the_scale_unless_the_study_does(client):
    study = make_study(1, ratings_per_context=9)
    before = rating_page(client, study)
    configure_study(study, scale_labels={"0": "apart <b>", "3": "half-way"})
    after = rating_page(client, study)

    for label in ("0: Not similar at all", "6: Extremely similar"):
        assert f'aria-label="{label}"' in before
    assert before.count("aria-label") == 2
    for label in ("0: apart &lt;b&gt;", "3: half-way", "6: Extremely similar"):
        assert f'aria-label="{label}"' in after
    assert after.count("aria-label") == 3
    assert "apart <b>" not in after


def test_rate_marks_labels_that_are_not_in_the_language_of_the_page(client):
    study = configure_study(make_study(1), scale_labels={"6": "same"})
    study_in_urdu = make_study(1, slug="ur", language="ur")
    own = rating_page(client, study)
    foreign = rating_page(client, configure_study(study_in_urdu, scale_labels={"6": "یکساں"}))

    assert 'aria-label="6: same"><span' in own
    assert '<span class="words-of" dir="auto">same</span>' in own
    assert 'aria-label="6: یکساں" lang="ur"><span' in foreign
    assert '<span class="words-of" lang="ur" dir="auto">یکساں</span>' in foreign
    assert '<span class="words-of" dir="auto">Not similar at all</span>' in foreign


def test_rate_offers_and_takes_the_steps_of_the_scale_in_a_language_with_commas(client):
    study = make_study(
        1, language="sl", scale_minimum=-1, scale_maximum=1, scale_step=Decimal("0.5")
    )
    assignment = start(study)
    record_engagement(progress_of(assignment), "morje", "sol")
    url = page("rate", assignment, 1)

    content = client.get(url).content.decode()
    refused = client.post(url, {"rating": "0.25"})
    client.post(url, {"rating": "-0.5"})

    offered = [point for point in ("-1", "-0.5", "0", "0.5", "1") if f'value="{point}"' in content]
    assert (len(offered), content.count('type="radio"')) == (5, 5)
    assert refused.status_code == 422
    assert assignment.responses.get().rating == Decimal("-0.5")


def test_rate_validates_against_the_scale_at_the_time_of_the_answer(client):
    study = configure_study(make_study(1), allows_unjudgeable=True)
    assignment = start(study)
    record_engagement(progress_of(assignment), "morje", "sol")
    url = page("rate", assignment, 1)
    client.get(url)
    configure_study(study, allows_unjudgeable=False)

    assert client.post(url, {"rating": "cannot"}).status_code == 422
    assert assignment.responses.get().rated_at is None


KEYS = re.compile(r"Tip: press (\S+), then Enter|(type the number), then press Enter")


@pytest.mark.parametrize(
    ("scale", "named"),
    [
        ({}, "0–6"),
        ({"scale_minimum": 1, "scale_maximum": 4}, "1–4"),
        ({"scale_maximum": 8, "scale_step": 2}, "0–8"),
        ({"scale_minimum": 1, "scale_maximum": 10}, "type the number"),
        ({"scale_minimum": -1, "scale_maximum": 1}, "type the number"),
        ({"scale_maximum": 1, "scale_step": Decimal("0.5")}, "type the number"),
    ],
)
def test_rate_names_the_keys_for_its_points(client, scale, named):
    content = rating_page(client, make_study(1, **scale))

    assert ["".join(found) for found in KEYS.findall(content)] == [named]


# Layout of the scale


HALVES = {"scale_step": Decimal("0.5")}


@pytest.mark.parametrize(
    ("scale", "labels", "layout"),
    [
        ({}, {}, "row"),
        ({"scale_minimum": 1, "scale_maximum": 4}, {"4": "incomparably alike"}, "row"),
        ({"scale_maximum": 10}, {}, "row"),
        ({"scale_minimum": -5, "scale_maximum": 5}, {}, "row"),
        ({"scale_maximum": 5, **HALVES}, {}, "row"),
        (
            {"scale_minimum": Decimal("-2.5"), "scale_maximum": Decimal("2.5"), **HALVES},
            {},
            "column",
        ),
        ({"scale_minimum": 1, "scale_maximum": 4}, {"2": "hardly"}, "column"),
        ({"scale_maximum": 10}, {"5": "half"}, "column"),
        ({"scale_maximum": 11}, {}, "field"),
        ({"scale_minimum": 1, "scale_maximum": 100}, {"50": "half"}, "field"),
    ],
)
def test_the_page_names_the_layout_of_its_points(client, scale, labels, layout):
    shown = rating_page(client, configure_study(make_study(1, **scale), scale_labels=labels))

    assert f'<input type="hidden" name="layout" value="{layout}">' in shown
    assert ("as-" + layout in shown) == (layout != "field")
    assert ('type="range"' in shown) == (layout == "field")


@pytest.mark.parametrize(
    ("sent", "stored_as"),
    [("row", "row"), ("slider", "slider"), ("grid", ""), ("", ""), ("\0", ""), ("row" * 99, "")],
)
def test_the_layout_is_stored_with_the_rating_and_with_a_change_of_it(client, sent, stored_as):
    assignment = start(make_study(2))
    record_engagement(progress_of(assignment), "morje", "sol")
    response = assignment.responses.get(position=1)

    client.post(page("rate", assignment, 1), {"rating": "3", "layout": sent})
    assert stored(response, "rating", "scale_layout") == (3, stored_as)
    client.post(page("change", assignment, 1), {"rating": "4", "layout": "column"})
    assert stored(response, "rating", "scale_layout") == (4, "column")


@pytest.mark.parametrize(
    ("scale", "asked", "keypad"),
    [
        ({"scale_maximum": 100}, "A number from 0 to 100</label>", "numeric"),
        ({"scale_maximum": 60, "scale_step": 5}, "0 to 60, in steps of 5</label>", "numeric"),
        ({"scale_maximum": 10, "scale_step": Decimal("0.5")}, "in steps of 0.5<", "decimal"),
        ({"scale_minimum": -10, "scale_maximum": 10}, "A number from −10 to 10</label>", "text"),
    ],
)
def test_many_points_have_a_field_and_a_slider_without_a_choice(client, scale, asked, keypad):
    content = rating_page(client, make_study(1, **scale))

    assert asked in content
    assert f'inputmode="{keypad}" value=""' in content
    assert content.count('type="range" class="slider" hidden') == 1
    assert content.count('name="rating"') == 1


@pytest.fixture
def half_points():
    """An assignment whose first item is at page 2, on a scale from -5 to 5 by 0.5."""
    study = make_study(2, scale_minimum=-5, scale_maximum=5, scale_step=Decimal("0.5"))
    assignment = start(configure_study(study, allows_unjudgeable=True))
    record_engagement(progress_of(assignment), "morje", "sol")
    return assignment


@pytest.mark.parametrize(
    ("written", "rating"),
    [
        ("2.5", "2.5"), (" 2,50 ", "2.5"), ("٢٫٥", "2.5"), ("-1", "-1"), ("−۱", "-1"),
        ("05", "5"), ("-0", "0"), ("-0,5", "-0.5"),
    ],
)  # fmt: skip
def test_a_number_can_be_written_in_any_script(client, half_points, written, rating):
    answer = client.post(page("rate", half_points, 1), {"rating": written})

    assert answer.status_code == 302
    assert half_points.responses.get(position=1).rating == Decimal(rating)


@pytest.mark.parametrize(
    "written", ["", "6", "2.25", "--1", "1e0", "1 2", "0x1", "five", "1.", "²"]
)
def test_a_number_that_is_no_point_is_refused_and_shown_again(client, half_points, written):
    answer = client.post(page("rate", half_points, 1), {"rating": written})

    assert (answer.status_code, half_points.responses.get(position=1).rating) == (422, None)
    assert f'value="{written}"' in squeeze(answer)


def test_cannot_judge_counts_where_a_number_was_written_as_well(client, half_points):
    client.post(page("rate", half_points, 1), {"rating": ["3", "cannot"]})

    assert stored(half_points.responses.get(position=1), "rating", "is_unjudgeable") == (None, True)


# Who cannot judge


@pytest.fixture
def optional() -> Response:
    """The first response, at page 2, of a study that allows "I cannot judge this"."""
    study = configure_study(make_study(2), allows_unjudgeable=True)
    assignment = start(study)
    record_engagement(progress_of(assignment), "morje", "sol")
    return due_response(assignment)


JUDGEMENT = ("rating", "is_unjudgeable", "comment")


def test_rate_stores_cannot_judge_with_its_comment(client, optional):
    url = page("rate", optional.assignment, 1)

    answer = client.post(url, {"rating": "cannot", "comment": " A word is <cut> off. "})

    assert answer.url == page("engage", optional.assignment, 2)
    assert stored(optional, *JUDGEMENT) == (None, True, "A word is <cut> off.")


def test_rate_needs_no_comment(client, optional):
    client.post(page("rate", optional.assignment, 1), {"rating": "cannot"})

    assert stored(optional, *JUDGEMENT) == (None, True, "")


def test_rate_stores_no_comment_with_a_rating(client, optional):
    client.post(page("rate", optional.assignment, 1), {"rating": "4", "comment": "changed my mind"})

    assert stored(optional, *JUDGEMENT) == (4, False, "")


@pytest.mark.parametrize(
    ("comment", "said"),
    [("x" * 501, "This is too long. Please shorten it."), ("a\0b", "Null characters")],
)
def test_rate_refuses_a_comment_and_shows_it_again(client, optional, comment, said):
    answer = client.post(
        page("rate", optional.assignment, 1), {"rating": "cannot", "comment": comment}
    )

    content = answer.content.decode()
    assert answer.status_code == 422
    assert said in content
    assert 'value="cannot" checked' in content
    assert f'maxlength="500">{comment}</textarea>' in content
    assert stored(optional, *JUDGEMENT) == (None, False, "")


def test_rate_counts_a_line_break_in_a_comment_as_browsers_do(client, optional):
    """Browsers limit the field to 500 characters, then send two for each line break."""
    comment = "x" * 400 + "\r\n" + "y" * 99

    answer = client.post(
        page("rate", optional.assignment, 1), {"rating": "cannot", "comment": comment}
    )

    assert answer.status_code == 302
    assert stored(optional, "is_unjudgeable") == (True,)


def test_a_missing_rating_is_asked_for_with_the_ends_of_the_scale(client, assignment):
    Study.objects.update(scale_minimum=-3, scale_maximum=3, revision="another")
    record_engagement(progress_of(assignment), "morje", "sol")

    refused = client.post(page("rate", assignment, 1), {})

    assert refused.status_code == 422
    assert "Please choose a number from −3 to 3." in refused.content.decode()


def test_rate_refuses_cannot_judge_if_the_study_does_not_allow_it(client, assignment, response):
    record_engagement(progress_of(assignment), "morje", "sol")
    url = page("rate", assignment, 1)

    assert 'value="cannot"' not in client.get(url).content.decode()
    refused = client.post(url, {"rating": "cannot", "comment": "why not"})

    assert refused.status_code == 422
    assert "Please choose one of the numbers." in refused.content.decode()
    assert stored(response, *JUDGEMENT, "rated_at") == (None, False, "", None)


# Spoken marks


def test_the_targets_are_numbered_for_screen_readers_and_their_sentences_describe_the_question(
    client,
):
    text = "Rain fell. The <strong>cats</strong> slept. A <strong>dog</strong> ran. It snowed. End."
    row = stimuli_row(context1=text, context2=text.replace("Rain", "Hail"), word1_context2="cats",
                      word2_context2="dog")  # fmt: skip
    shown = rating_page(client, make_study(stimuli=stimuli_file(row)))

    mark = '<span class="unseen" lang="en">marked word {}:</span><strong>{}</strong>'
    described = re.search('<span id="marked">(.*?\\.)</span>', shown)[1]
    assert mark.format(1, "cats") in described
    assert mark.format(2, "dog") in described
    bare = re.sub("<span.*?</span>|<.*?>", "", described)
    assert bare == "Thecatsslept. Adogran."
    assert 'aria-describedby="marked"' in shown
    refused = client.post(page("rate", Assignment.objects.get(), 1), {}).content.decode()
    assert 'aria-describedby="id_rating_error marked"' in refused


def test_page_1_has_neither_marks_nor_spoken_ones(client):
    shown = client.get(page("engage", start(make_study(1)), 1)).content

    assert b"unseen" not in shown
    assert b'id="marked"' not in shown
