import pytest

from postprocess.designs import FOLDER, list_designs
from postprocess.designs.design import DesignError, parse_design, read_design
from postprocess.steps.recipe import read_recipe
from postprocess.table.scale import Scale

HEAD = 'name = "x"\ntitle = "X"\nsource = ""\nabout = ""\n'
WORDS = '[item]\nkind = "words"\n[question]\nquestion = "similarity"\nwrites = "nothing"\n'
TEXTS = WORDS.replace("words", "texts")
MAJORITY = '[scores]\ncentre = "majority"\nrecipe = "raw"\n'
SAME = (
    '[item]\nkind = "texts"\nsame_word = true\n[question]\nquestion = "same_meaning"\n'
    f'writes = "nothing"\n[scale]\nmaximum = 1\n{MAJORITY}'
)


def test_the_published_designs_are_as_described():
    described = {
        name: (
            design.item.kind, design.question.question, design.question.writes,
            str(design.scale.as_scale()), design.answers.number, design.answers.block_size,
            design.scores.centre, design.scores.recipe, design.scores.rescaled,
        )
        for name in list_designs() if (design := read_design(name))
    }  # fmt: skip

    quarters, halves = "0–4 in steps of 0.25", "0–10 in steps of 0.5"
    text = ("text", "similarity_in_text", "associations", "0–6")
    assert described == {
        "cosimlex-crowd": (*text, 27, 20, "mean", "cosimlex", True),
        "cosimlex-direct": (*text, 12, 20, "mean", "cosimlex", True),
        "durel": ("texts", "relatedness", "nothing", "1–4", 5, 50, "median", "raw", False),
        "mclwic": ("texts", "same_meaning", "substitutes", "0–1", 1, 100, "majority", "raw", False),
        "scws": ("texts", "similarity", "nothing", halves, 10, 20, "mean", "raw", False),
        "semeval2017": ("words", "similarity", "nothing", quarters, 3, None, "mean", "raw", False),
        "semeval2017-translation": (
            "words", "translation", "translations", "0–6", 2, None, "majority", "raw", False,
        ),
        "simlex": ("words", "similarity", "nothing", "0–6", 15, 20, "mean", "simlex", True),
        "usim": ("texts", "relatedness", "nothing", "1–5", 8, None, "mean", "raw", False),
        "wic": ("texts", "same_meaning", "nothing", "0–1", 3, 50, "majority", "raw", False),
    }  # fmt: skip


def test_a_design_has_the_texts_of_its_items_and_question():
    sets = "text text uses same_meaning texts words translation words uses same_meaning"
    assert [read_design(name).text_set for name in list_designs()] == sets.split()


@pytest.mark.parametrize("name", list_designs())
def test_a_published_design_has_the_name_of_its_file_and_gives_itself_back(name):
    design = read_design(name)

    assert design.name == name
    assert parse_design(design.render().encode()) == design
    assert parse_design(design.render().encode()).digest() == design.digest()
    assert read_design(str(FOLDER / f"{name}.toml")) == design


def test_a_recipe_is_on_the_scale_of_the_design():
    simlex, scws = read_design("simlex").as_recipe(), read_design("scws").as_recipe()

    assert simlex == read_recipe("simlex")
    assert scws.scale.as_scale() == Scale(0, 10, 0.5)
    assert (scws.rescaling.minimum, scws.rescaling.maximum) == (0, 10)
    assert read_design("durel").as_recipe().rescaling.as_scale() == Scale(1, 4, 3)


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        (WORDS.replace("nothing", "associations"), "do not fit the kind of item"),
        ('[item]\nkind = "words"\n', "do not fit the kind of item"),
        ("[item]\nsame_word = true\n", "one lemma twice is only possible with two texts"),
        ("[item]\nlanguages = 2\n", "two languages are only possible with two words or two texts"),
        (SAME.replace("same_word = true\n", ""), "the question for the same meaning needs"),
        (SAME.replace("maximum = 1", "maximum = 2"), "the question for the same meaning needs"),
        (SAME.replace("majority", "mean"), "the question for the same meaning needs"),
        (WORDS.replace("nothing", "translations") + MAJORITY, "translations are asked for and"),
        ("[rounds]\nsecond_look_above = 1.0\n", "a second look needs words or texts"),
        (WORDS + MAJORITY + "[rounds]\nsecond_look_above = 1.0\n", "a second look needs words"),
        ('[scores]\ncentre = "median"\n', "another centre than the mean needs words or texts"),
        ("[answers]\ndoubled = 5\n", "doubled items need blocks"),
        (WORDS + "[rounds]\nadjudicates = true\n", "only majorities are adjudicated"),
        ('[scores]\nrecipe = "mine"\n', "the recipe is none of the library's"),
        (TEXTS + '[scores]\ncentre = "majority"\n', "neither calibrated nor filtered"),
        ("[answers]\nnumber = 0\n", "answers.number: input should be greater than or equal to 1"),
        ("[scale]\nstep = 4\n", "the step of 0–6 in steps of 4 must divide"),
        ("[scale]\nstart = 4\n", "scale.start: unknown entry"),
        ("[scale\n", "not valid TOML"),
    ],
)  # fmt: skip
def test_an_impossible_design_is_refused_in_words(entries, reason):
    with pytest.raises(DesignError, match=reason):
        parse_design((HEAD + entries).encode())


def test_an_unknown_design_is_refused_with_the_names_of_all():
    with pytest.raises(DesignError, match='unknown design "simplex"; name one of cosimlex-crowd'):
        read_design("simplex")
