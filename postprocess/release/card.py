"""The dataset card: `README.md`, for people and, in its head, for dataset hubs."""

from collections.abc import Iterator

from postprocess.release.answers import ask, ask_unlabelled, list_channels, warn
from postprocess.release.citation import cite
from postprocess.release.contents import DATASET, PAIR, Column, describe_file, ratings_columns
from postprocess.release.figures import (
    FATES,
    Subject,
    count_annotators,
    count_divided,
    describe_change,
    describe_days,
    describe_question,
    describe_tests,
    describe_time,
    list_agreement,
    list_fates,
    list_steps,
)
from postprocess.release.kit import PRACTICE
from postprocess.release.licences import LICENCES
from postprocess.release.markdown import bullets, escape, join_blocks, table, told
from postprocess.release.metadata import render_metadata


def render_card(subject: Subject) -> str:
    """The text of `README.md`. It needs nothing but the description and what was computed."""
    dataset = subject.description.dataset
    title = told(dataset.title, "Title", "what the dataset is called")
    blocks = [
        f"# {subject.stamp(title)}",
        warn(subject),
        *ask_unlabelled(dataset, "Summary", "summary"),
        _count(subject),
    ]
    for heading, *parts in (
        ("Files", _list_files(subject)),
        ("Columns", *_list_columns(subject)),
        ("Load it", *_show_loading(subject)),
        ("Use it for a task", *_describe_task(subject)),
        ("How the ratings were collected", *_describe_collection(subject)),
        ("How the scores were made", *_describe_steps(subject)),
        ("Uses", *ask_unlabelled(dataset, "Uses", "uses")),
        ("Limits", *ask_unlabelled(dataset, "Limits", "limitations")),
        ("People in the data", *_describe_people(subject)),
        ("Licence", *_describe_licence(subject)),
        ("Citation", cite(subject, write=told, link="<{}>")),
        ("Upkeep", *_describe_upkeep(subject)),
    ):
        blocks += [f"## {heading}", *parts]
    return f"{render_metadata(subject)}\n{join_blocks(blocks)}"


def _count(subject: Subject) -> str:
    practice = f", and {subject.n_practice} more in a practice kit" if subject.n_practice else ""
    return (
        f"{subject.n_test} pairs of words in {escape(subject.language_name)}{practice}. Each pair "
        "stands in two contexts; people rated how similar the two words are in each of them. "
        f"{count_annotators(subject)}"
    )


def _list_files(subject: Subject) -> str:
    return table(
        ("file", "what it is"),
        ((f"`{path}`", escape(describe_file(subject, path))) for path in subject.files),
    )


def _list_columns(subject: Subject) -> Iterator[str]:
    yield f"`cosimlex_{subject.tag}.csv`, tab separated, UTF-8, without quoting:"
    yield _columns_table(DATASET)
    yield f"`ratings_{subject.tag}.tsv`, likewise:"
    yield _columns_table(ratings_columns(subject.rating_columns))


def _columns_table(columns: "list[Column] | tuple[Column, ...]") -> str:
    rows = ((f"`{column.name}`", escape(column.meaning)) for column in columns)
    return table(("column", "meaning"), rows)


def _show_loading(subject: Subject) -> Iterator[str]:
    yield (
        "```python\n"
        "import pandas as pd\n\n"
        f'dataset = pd.read_parquet("cosimlex_{subject.tag}.parquet")\n'
        f'ratings = pd.read_parquet("ratings_{subject.tag}.parquet")\n'
        "```"
    )
    yield (
        'The text files have no quoting: read them with `sep="\\t", quoting=csv.QUOTE_NONE`. '
        f"`{PAIR.name}` is {PAIR.meaning}."
    )


def _describe_task(subject: Subject) -> Iterator[str]:
    yield (
        f"`data/`, `gold/` and `results/` have the layout of SemEval-2020 Task 3. A result file "
        f"gets one row for each of the {subject.n_test} rows of `data/data_{subject.tag}.tsv`"
        ", in the same order, below the header that it has."
    )
    if subject.n_practice:
        yield (
            f"`{PRACTICE}/` holds {subject.n_practice} pairs that are not in the test data: no "
            "pair of words, in either order, and no text is in both. In the individual ratings "
            f"their numbers follow those of the test data, from {subject.n_test + 1}."
        )


def _describe_collection(subject: Subject) -> Iterator[str]:
    description, scale = subject.description, subject.recipe.scale.as_scale()
    labels = ", ".join(f"{point} = {label}" for point, label in description.scale.labels.items())
    yield from ask(description.collection, "Collection", "procedure")
    yield describe_question(subject)
    yield f"**Rating scale:** {escape(str(scale))}" + (f" ({escape(labels)})." if labels else ".")
    yield bullets(filter(None, _list_numbers(subject)))
    yield from list_channels(description)
    yield FATES
    yield bullets(map(escape, list_fates(subject)))
    yield from ask(description.annotators, "Collection", "creators", "recruited")
    yield from ask(description.stimuli, "Collection", "creators", "contexts_from")


def _list_numbers(subject: Subject) -> Iterator[str]:
    collection = subject.description.collection
    if days := describe_days(subject):
        yield f"**Days of the collection:** {days}"
    else:
        yield from ask(collection, "Collection", "began_on", "ended_on")
    if collection.ratings_per_context is not None:
        yield f"**Ratings wanted for each context:** {collection.ratings_per_context}"
    if collection.pairs_per_sitting is not None:
        yield f"**Pairs in a sitting, at most:** {collection.pairs_per_sitting}"
    for verb, n_annotators in (
        ("started", collection.n_annotators_started),
        ("finished", collection.n_annotators_finished),
        ("withdrew", collection.n_annotators_withdrawn),
        ("started and are scripts, not people", collection.n_annotators_scripted),
    ):
        if n_annotators is not None:
            yield f"**Annotators who {verb}:** {n_annotators}"
    yield describe_time(subject)


def _describe_steps(subject: Subject) -> Iterator[str]:
    yield bullets(map(escape, list_steps(subject)))
    if lines := list(list_agreement(subject)):
        yield "Agreement of the ratings that make the scores:"
        yield bullets(map(escape, lines))
    yield escape(describe_tests(subject))
    if trust := " ".join(filter(None, (describe_change(subject), count_divided(subject)))):
        yield escape(trust)
    yield (
        "Every setting is in `recipe.toml`, every rating and why it counts or not in "
        "`ledger.tsv`. Figures and agreement are those of all pairs that were collected."
    )
    if notes := subject.dataset.report["notes"]:
        yield "To be known:"
        yield bullets(escape(str(note)) for note in notes)


def _describe_people(subject: Subject) -> Iterator[str]:
    words = (
        "Words that annotators wrote beside their ratings are published, of those who agreed to "
        "it; they may say something of their writers, so handle them with care."
        if subject.has_words
        else "Words that annotators wrote beside their ratings are not published."
    )
    yield (
        "Annotators are known by ids made for this release alone. No name, address, account or "
        f"instant of an answer is in it. {words} Who withdrew is not in it at all."
    )
    yield (
        "Releases of the same ratings can still be matched by the ratings themselves, if "
        "somebody has both."
    )


def _describe_licence(subject: Subject) -> Iterator[str]:
    name = subject.description.dataset.licence
    if name:
        yield f"**Licence:** [{name}]({LICENCES[name].url})"
    else:
        yield from ask(subject.description.dataset, "Licence", "licence")
    yield from ask(subject.description.stimuli, "Licence", "licence")


def _describe_upkeep(subject: Subject) -> Iterator[str]:
    dataset = subject.description.dataset
    if dataset.version:
        yield f"**Version:** {dataset.version}"
    yield from ask(dataset, "Upkeep", "maintenance", "contact", "funding")
