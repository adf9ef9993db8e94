from surveys.rehearsal.vocabulary import list_words


def test_list_words_takes_longer_words_once_in_order():
    words = list_words(["The Žaba sat, the žaba 2024 x_under sat-down.", "Été, déjà-vu; vodâ"])

    assert words == ["down", "déjà", "under", "vodâ", "žaba"]
