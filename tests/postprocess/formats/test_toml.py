import pytest

from postprocess.formats.toml import MOST_PARTS, TomlError, parse_toml
from postprocess.release.description.study import DescriptionError, parse_description
from postprocess.steps.recipe import RecipeError, parse_recipe


def test_parse_toml_reads_bytes_with_a_byte_order_mark():
    assert parse_toml("\ufeffa = 1".encode()) == parse_toml("a = 1") == {"a": 1}


def test_parse_toml_reads_texts_with_many_full_stops():
    text = "And so on. " + "c." * 50

    assert parse_toml(f'said = "{text}"') == {"said": text}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\xff", "not UTF-8 text"),
        (b"PK\x03\x04" + bytes(20), "an archive that is damaged"),
        ("a = ", "Invalid value"),
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "{b = " * 100_000, "nested too deeply"),
        ("a." * MOST_PARTS + "a = 1", "more than 20 parts"),
        ('"é" . ' * MOST_PARTS + "a = 1", "more than 20 parts"),
        ("[" + "a." * MOST_PARTS + "a]", "more than 20 parts"),
        ("b = {" + "a." * 400_000 + "a = 1}", "more than 20 parts"),
        ("a = " + "1" * 5_000, "digits"),
        ("#" * 1_000_001, "longer than 1,000,000"),
    ],
)
def test_parse_toml_refuses_keys_of_quadratic_time(text, said):
    with pytest.raises(TomlError, match=said):
        parse_toml(text)


def test_recipes_and_descriptions_that_are_nested_too_deeply_are_refused():
    deep = b"a = " + b"[" * 100_000

    with pytest.raises(RecipeError, match="nested too deeply"):
        parse_recipe(deep)
    with pytest.raises(DescriptionError, match="nested too deeply"):
        parse_description(deep)
