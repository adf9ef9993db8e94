import pytest

from postprocess.steps import list_recipes
from postprocess.steps.recipe import Recipe, RecipeError, parse_recipe, read_recipe
from postprocess.table.ratings import Scale


def test_the_librarys_recipes_are_the_three_named_ones():
    assert list_recipes() == ["cosimlex", "raw", "simlex"]


@pytest.mark.parametrize("name", list_recipes())
def test_a_recipe_is_named_as_its_file_and_gives_itself_back(name):
    recipe = read_recipe(name)

    assert recipe.name == name
    assert parse_recipe(recipe.render().encode()) == recipe


def test_the_defaults_are_the_published_conventions():
    earlier = Recipe()  # as a file without the later setting

    assert earlier.filtering.constant_from is None
    text = read_recipe("cosimlex").render()
    assert "\nconstant_from = 5\n" in text
    assert parse_recipe(text.replace("constant_from = 5\n", "").encode()) == earlier
    assert earlier.render() == text.replace("constant_from = 5\n", "")


def test_recipes_differ_as_documented():
    cosimlex, simlex, raw = (read_recipe(name) for name in ("cosimlex", "simlex", "raw"))

    assert (cosimlex.calibration.enabled, cosimlex.filtering.k) == (True, 1)
    assert (cosimlex.filtering.gain_share, cosimlex.exclusion.most_failed_checkpoints) == (
        None,
        None,
    )
    assert (simlex.filtering.gain_share, simlex.exclusion.most_failed_checkpoints) == (0.1, 0)
    assert (raw.calibration.enabled, raw.filtering.enabled) == (False, False)
    assert not raw.exclusion.rejected_engagement


def test_read_recipe_changes_single_settings():
    recipe = read_recipe("cosimlex", ["calibration.threshold=0.5", "filtering.minimum_rho = 0"])

    assert recipe.calibration.threshold == 0.5
    assert recipe.filtering.minimum_rho == 0
    assert recipe.filtering.k == 1


def test_read_recipe_reads_a_file(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('format = 1\nname = "mine"\n[filtering]\nk = 2\n', encoding="utf-8")

    recipe = read_recipe(str(file))

    assert (recipe.name, recipe.filtering.k, recipe.calibration) == (
        "mine",
        2,
        Recipe().calibration,
    )


def test_a_recipe_has_one_digest_however_it_was_written():
    spelled = parse_recipe(b"[calibration]\nstep = 1.0\nthreshold = 1\n[filtering]\nk = 1.0")

    assert spelled.digest() == Recipe().digest()
    assert spelled.digest() != read_recipe("raw").digest()


def test_on_scale_changes_nothing_but_the_scale():
    recipe = Recipe().on_scale(Scale(1, 7, 0.5))

    assert recipe.scale.as_scale() == Scale(1, 7, 0.5)
    assert recipe.on_scale(Scale()) == Recipe()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("filter_k = 2", "filter_k: unknown setting"),
        ("[filtering]\nkay = 2", "filtering.kay: unknown setting"),
        ("[filtering]\nk = -1", "filtering.k: .*greater than or equal to 0 .*given: -1"),
        ("[filtering]\nk = inf", "filtering.k: .*finite"),
        ("[filtering]\nk = '1'", "filtering.k: .*number .*given: '1'"),
        ("[filtering]\nminimum_rho = 2", "filtering.minimum_rho: .*less than or equal to 1"),
        ("[filtering]\ngain_share = 1", "filtering.gain_share: .*less than 1"),
        ("[filtering]\nenabled = 1", "filtering.enabled: .*boolean"),
        ("[exclusion]\nmost_failed_checkpoints = -1", "most_failed_checkpoints: .*equal to 0"),
        ("[exclusion]\nmost_failed_checkpoints = 0.5", "most_failed_checkpoints: .*integer"),
        ("[calibration]\nstep = 0", "calibration.step: .*greater than 0"),
        ("[scale]\nminimum = 6", "scale: the minimum of .* must be below its maximum"),
        ("[scale]\nstep = 4", "scale: the step of .* must divide the scale"),
        ("[rescaling]\nmaximum = 0", "rescaling: the minimum must be below the maximum"),
        ("format = 2", "format: .*1 .*given: 2"),
        ("name = ''", "name: .*at least 1 character"),
        ("filtering = 3", "filtering: .*given: 3"),
        ("[filtering", "the recipe is not valid TOML"),
    ],
)
def test_parse_recipe_refuses_by_name(text, message):
    with pytest.raises(RecipeError, match=message):
        parse_recipe(text.encode())


def test_parse_recipe_names_everything_that_is_wrong_at_once():
    with pytest.raises(RecipeError) as refusal:
        parse_recipe(b"colour = 1\n[filtering]\nk = -1\n")

    assert len(str(refusal.value).splitlines()) == 2


def test_parse_recipe_refuses_bytes_that_are_not_text():
    with pytest.raises(RecipeError, match="not valid TOML"):
        parse_recipe(b"\xff\xfe\x00")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("calibration.threshold", "sets nothing"),
        ("calibration.threshold=", "nothing is not a TOML value"),
        ("calibration.threshold=much", "much is not a TOML value"),
        ("calibration.k=1", "calibration.k: unknown setting"),
        ("name.first='x'", "name is not a section"),
    ],
)
def test_read_recipe_refuses_a_change_that_makes_no_sense(change, message):
    with pytest.raises(RecipeError, match=message):
        read_recipe("cosimlex", [change])


def test_read_recipe_lists_the_recipes_for_an_unknown_name():
    with pytest.raises(RecipeError, match='"cosimlx"; name one of cosimlex, raw, simlex'):
        read_recipe("cosimlx")
