"""Near duplicates: what is nearly the same as an earlier text."""

from preprocess.windows.duplicates import find_near_duplicates

TEXT = "The village lies in the north of the country and has two hundred inhabitants today."


def test_a_text_with_another_number_is_a_duplicate():
    texts = [
        TEXT,
        "An entirely different sentence about the weather of the last few weeks.",
        TEXT.replace("two", "six"),
        TEXT.upper(),
    ]

    assert list(find_near_duplicates(texts)) == [False, False, True, True]


def test_texts_that_share_half_of_their_words_are_no_duplicates():
    other = "The village lies in the north of the country, but nobody lives there any more."

    assert list(find_near_duplicates([TEXT, other])) == [False, False]


def test_short_texts_are_compared_too():
    assert list(find_near_duplicates(["Ice.", "Ice.", "Sun."])) == [False, True, False]
