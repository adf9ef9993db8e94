"""The form of a description: what is kept, filled in, missing and refused."""

import pytest
from django.urls import reverse

from postprocess.release.description.study import Description, parse_description
from postprocess.release.description.template import render_template
from surveys.errors import ReleaseRefused
from surveys.models import AuditEntry, Job, Run, Study, WrittenDescription
from surveys.results.entries.description import (
    count_written,
    list_lost_comments,
    list_progress,
    read_written,
    show_text,
    store_written,
    write_entries,
)
from surveys.results.runs import request_release, request_results
from surveys.web.console.results.description_forms import DescriptionForm
from tests.factories.forms import fill_in
from tests.factories.pages import page, read
from tests.factories.studies import QUICK, make_study_of

pytestmark = pytest.mark.usefixtures("kept_contexts")

FULL = """
[dataset]
title = "Words"
version = "1.0.0"
released_on = 2026-11-30
licence = "CC-BY-4.0"
url = "https://example.org"
doi = "10.1234/words"
summary = "Two\\nlines."
keywords = ["words", "senses, too"]

[[authors]]
family_names = "Kos"
given_names = "Ana"
orcid = "0000-0002-1825-0097"

[[authors]]
name = "Lab"

[stimuli]
creators = "found"

[scale]
minimum = 1.0

[[recruitment]]
channel = "e-mail"
"""


def sent(study, written="", **changed):
    """Return what the form of a description sends, with some fields changed."""
    form = DescriptionForm(study=study, written=written)
    return fill_in((form, form.authors.management_form, *form.authors.forms), changed)


def stored(study):
    return parse_description(read_written(study).encode())


def test_a_description_survives_the_form(study, owner):
    store_written(study, FULL)

    answer = owner.post(page("description", study), sent(study, FULL))

    assert answer.status_code == 302
    assert stored(study) == parse_description(FULL.encode())


def test_the_run_chosen_for_a_release_is_kept_while_its_description_is_written(study, owner):
    older = request_results(study, QUICK, None)
    request_results(study, QUICK.replace('"raw"', '"newer"'), None)
    of_run = f"?run={older.pk}"

    description = f"{page('description', study)}{of_run}"
    release = owner.get(f"{page('release', study)}{of_run}")
    assert f'href="{description}">Write' in release.content.decode()
    assert f'action="{description}"' in owner.get(description).content.decode()
    answer = owner.post(description, sent(study, **{"dataset-title": "Words", "then": "release"}))

    assert answer["Location"] == f"{page('release', study)}{of_run}"
    form = owner.get(answer["Location"]).context["form"]
    assert form["recipe"].value() == str(older.pk)


def test_every_entry_of_a_description_survives_the_form(study, owner):
    """Fill in every field of the form, whatever entries there are."""
    form = DescriptionForm(study=study, written="")
    values = {}
    for name, field in form.fields.items():
        choices = [value for value, _ in getattr(field, "choices", []) if value]
        values[name] = choices[0] if choices else f"Text of {name}."
    values |= {
        "dataset-name": "words", "dataset-version": "0.1.0", "dataset-released_on": "2026-01-31",
        "dataset-url": "https://example.org", "dataset-doi": "10.1234/a",
        "dataset-keywords": "one\ntwo",
    }  # fmt: skip
    owner.post(page("description", study), {**sent(study), **values})

    written = read_written(study)
    form = DescriptionForm(study=study, written=written)
    assert {name: str(form[name].value()) for name in form.fields} == values
    progress = {one.part: (one.n_written, one.n_asked) for one in form.progress}
    assert progress["Authors"] == (0, 1)
    assert all(n == of for part, (n, of) in progress.items() if part != "Authors")
    assert sum(of for _, of in progress.values()) == 34


def test_known_entries_are_filled_in_and_follow_the_study(study, owner):
    Study.objects.update(contact="lab@example.org", ethics="No. 12", title="Words in texts")
    study.refresh_from_db()
    text = read(owner, "description", study)
    for value in ("lab@example.org", "No. 12", "Words in texts", ">English<"):
        assert value in text or f'value="{value.strip("<>")}"' in text

    owner.post(page("description", study), sent(study, dataset__funding="None."))

    assert read_written(study) == '[dataset]\nfunding = "None."'
    Study.objects.update(contact="new@example.org")
    study.refresh_from_db()
    assert 'value="new@example.org"' in read(owner, "description", study)


def test_an_incomplete_description_is_kept_and_counted(study, owner):
    before = count_written(list_progress(study, ""))

    answer = owner.post(page("description", study), sent(study, dataset__licence="CC0-1.0"))

    after = count_written(list_progress(study, read_written(study)))
    assert answer["Location"] == page("description", study)
    assert after == {"n_written": before["n_written"] + 1, "n_asked": 34}
    text = read(owner, "release", study)
    assert f"{after['n_written']} of 34 entries written" in text
    assert f'href="{page("description", study)}#id_dataset-funding">Funding</a>' in text
    assert "#id_dataset-licence" not in text


def test_authors_are_added_and_removed(study, owner):
    owner.post(
        page("description", study),
        {**sent(study, FULL), "authors-2-name": "Institute", "then": "author"},
    )
    assert [author.full_name for author in stored(study).authors] == ["Ana Kos", "Lab", "Institute"]

    answer = owner.post(
        page("description", study), {**sent(study, read_written(study)), "authors-0-DELETE": "on"}
    )

    assert answer.status_code == 302
    assert [author.full_name for author in stored(study).authors] == ["Lab", "Institute"]


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("dataset-version", "one", "such as 1.0.0"),
        ("dataset-doi", "https://doi.org/10.1/x", "without a URL"),
        ("dataset-url", "example.org", "Must be a URL"),
        ("dataset-licence", "mine", "Select a valid choice"),
        ("dataset-released_on", "31.1.2026", "Enter a valid date"),
        ("dataset-summary", "TODO", "placeholder"),
        ("dataset-keywords", "TODO", "placeholder"),
        ("dataset-funding", "a\N{REPLACEMENT CHARACTER}", "could not be read"),
        ("dataset-title", "x" * 501, "at most 500"),
    ],
)
def test_an_error_is_shown_at_its_field_and_nothing_is_stored(field, value, said, study, owner):
    answer = owner.post(page("description", study), {**sent(study), field: value})

    assert answer.status_code == 422
    assert said in " ".join(answer.context["form"].errors[field])
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert not WrittenDescription.objects.exists()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("authors-2-given_names", "Ana", "names of a person"),
        ("authors-0-orcid", "1", "0000-0002-1825-0097"),
        ("authors-1-affiliation", "\N{REPLACEMENT CHARACTER}", "could not be read"),
    ],
)
def test_an_error_of_an_author_is_shown_there(field, value, said, study, owner):
    answer = owner.post(page("description", study), {**sent(study, FULL), field: value})

    assert answer.status_code == 422
    number, name = field.split("-")[1:]
    author = answer.context["form"].authors.forms[int(number)]
    assert said in " ".join(author.errors.get(name) or author.errors["family_names"])
    (wrong,) = author.errors
    named = f"{'Add an author' if number == '2' else f'Author {int(number) + 1}'}"
    link = f'<li><a href="#id_authors-{number}-{wrong}">{named}: {author[wrong].label}</a></li>'
    assert link in answer.content.decode()
    assert not WrittenDescription.objects.exists()


@pytest.mark.every_database  # saving locks the study
def test_toml_is_saved_as_it_is_written(study, owner):
    body = "# ours\n[dataset]\nfunding = 'None.' # so far"

    answer = owner.post(page("description_text", study), {"body": body + "\r\n"})

    assert answer.status_code == 302
    assert read_written(study) == show_text(study, body) == body
    assert AuditEntry.objects.filter(action="description.set").count() == 1
    owner.post(page("description_text", study), {"body": body})
    assert AuditEntry.objects.filter(action="description.set").count() == 1
    text = read(owner, "description", study)
    assert "comments, which this form does not keep" in text
    assert "<code># so far</code>" in text


def test_the_toml_to_edit_asks_for_what_is_missing(study):
    written = "[dataset]\nfunding = 'None.'"

    text = show_text(study, written)

    assert 'funding = "None."' in text
    assert '# licence = ""' in text
    assert list_lost_comments(text) == []
    assert list_lost_comments(render_template(Description())) == []


def test_words_alone_are_not_asked_for_texts(db):
    study = make_study_of("simlex", slug="words")

    form = DescriptionForm(study=study, written="")
    text = show_text(study, "")

    labels = {one.label for part in list_progress(study, "") for one in part.missing}
    assert {"Licence of the words", "Origin of the words", "Choice of the pairs"} <= labels
    assert not [label for label in labels if "text" in label.lower()]
    assert "stimuli-contexts_from" not in form.fields
    assert "contexts_from" not in text
    assert list_lost_comments(text) == []


def test_the_description_of_the_last_release_is_the_first_to_edit(study):
    assert read_written(study) == ""
    run = request_release(study, QUICK, {"description": "[pay]\namount = '2 EUR'"}, None)
    Job.objects.filter(run=run).update(state="done")
    assert read_written(study) == "[pay]\namount = '2 EUR'"

    store_written(study, "[pay]\namount = '3 EUR'")

    assert read_written(study) == "[pay]\namount = '3 EUR'"


def test_write_entries_refuses_invalid_entries_by_place(study):
    with pytest.raises(ReleaseRefused, match=r"^dataset\.url: must be a URL"):
        write_entries("", {"dataset": {"url": "x"}})
    with pytest.raises(ReleaseRefused, match="at most"):
        store_written(study, "#" * 200_001)


def test_a_release_takes_the_description_and_a_chosen_recipe(study, owner):
    store_written(study, "[pay]\namount = '2 EUR'")

    owner.post(page("release", study), {"recipe": "simlex", "n_practice": 0, "seed": 0})

    run = Run.objects.get()
    assert (run.recipe_name, run.request["description"]) == ("simlex", "[pay]\namount = '2 EUR'")
    answer = owner.get(reverse("console:release", args=[study.slug]), {"run": run.pk})
    assert answer.context["form"]["recipe"].value() == str(run.pk)


def test_missing_entries_have_the_labels_of_the_form(study):
    form = DescriptionForm(study=study, written="")

    missing = [one for part in list_progress(study, "") for one in part.missing]

    of_form = {(one.section, one.name) for one in missing if one.section != "authors"}
    assert len(of_form) > 20
    labels = {(one.section, one.name): one.label for one in missing}
    assert {place: form["-".join(place)].label for place in of_form}.items() <= labels.items()
