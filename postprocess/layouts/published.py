"""The layouts of published data sets, as declared tables of columns."""

from postprocess.errors import UserError
from postprocess.layouts.checks import (
    find_inexact_means,
    find_large_deviations,
    find_scores_off_grid,
    find_spaces_at_ends,
    find_unequal_tags,
    find_unshared_texts,
    find_wrong_means,
)
from postprocess.layouts.columns import Kept, Marked, Number, OneOf, Targets, Text, TokenPlaces
from postprocess.layouts.layout import File, Layout

WORDS = (Text("word1"), Text("word2"))
TAG = OneOf("tag", words="T F", is_figure=True)
SIMLEX = Layout(
    "simlex",
    (
        File(
            "{name}.txt",
            (
                *WORDS, Text("pos", ("POS",)), Number("score", ("SimLex999",)),
                *(
                    Kept(name, default="NA")
                    for name in ("conc(w1)", "conc(w2)", "concQ", "Assoc(USF)", "SimAssoc333")
                ),
                Number("sd", ("SD(SimLex)",), missing="NA", is_optional=True),
            ),
        ),
        File(
            "{name}.csv", (*WORDS, Number("score", ("mean", "Human (mean)"), is_optional=True)),
            syntax="comma", more="ratings", is_default=False,
        ),
    ),
    (find_large_deviations, find_wrong_means), decimals=(2, 0),
)  # fmt: skip
SEMEVAL2017 = Layout(
    "semeval2017",
    (
        File(
            "{language}.{split}.txt", (*WORDS, Number("score", is_optional=True)),
            has_header=False, is_default=False,
        ),
        File("{language}.{split}.data.txt", WORDS, has_header=False),
        File("{language}.{split}.gold.txt", (Number("score"),), has_header=False),
    ),
    (find_scores_off_grid,), is_parallel=True,
)  # fmt: skip
MCLWIC = Layout(
    "mclwic",
    (
        File(
            "{split}.{languages}.data",
            (
                Text("id"), Text("word1", ("lemma",)), OneOf("pos", words="NOUN VERB ADJ ADV"),
                Targets("text1", ("sentence1",), ranges="ranges1", ends=("start1", "end1")),
                Targets("text2", ("sentence2",), ranges="ranges2", ends=("start2", "end2")),
            ),
            syntax="json",
            forms=(
                "id lemma pos sentence1 sentence2 start1 end1 start2 end2",
                "id lemma pos sentence1 sentence2 ranges1 ranges2",
            ),
        ),
        File("{split}.{languages}.gold", (Text("id"), TAG), syntax="json"),
    ),
    (find_spaces_at_ends, find_unshared_texts, find_unequal_tags),
)  # fmt: skip
WIC = Layout(
    "wic",
    (
        File(
            "{split}/{split}.data.txt",
            (Text("word1"), OneOf("pos", words="N V"), TokenPlaces("places")), has_header=False,
        ),
        File("{split}/{split}.gold.txt", (TAG,), has_header=False),
    ),
)  # fmt: skip
SCWS = Layout(
    "scws",
    (
        File(
            "{name}.txt",
            (
                Text("id"), Text("word1"), OneOf("pos1", words="n v a"), Text("word2"),
                OneOf("pos2", words="n v a"), Marked("text1"), Marked("text2"), Number("score"),
            ),
            has_header=False, more="ratings",
        ),
    ),
    (find_inexact_means,), decimals=(12, 1),
)  # fmt: skip
USES = (
    Text("lemma", ("lemma", "target")), Kept("pos", default=" "), Kept("date", default=" "),
    Kept("grouping", default=" "), Text("identifier"), Kept("description", default=" "),
    Targets("text", ("context",), ranges="indexes_target_token", sign=":"),
    Kept("indexes_target_sentence", default=" "),
)  # fmt: skip
USIM = Layout(
    "usim",
    (
        File(
            "{name}ratings.csv",
            (
                Text("identifier1", ("lexsub_id1",)), Text("identifier2", ("lexsub_id2",)),
                Number("judgment"), Text("annotator", ("user_id",)), Text("lemma"),
            ),
            "judgements", syntax="comma",
        ),
        File("uses.csv", USES, "uses"),
    ),
    points=range(1, 6),
)  # fmt: skip
IDENTIFIERS = (Text("identifier1"), Text("identifier2"))
DWUG = Layout(
    "dwug",
    (
        File("{folder}/uses.csv", USES, "uses"),
        File(
            "{folder}/judgments.csv",
            (
                *IDENTIFIERS, Text("annotator"), Number("judgment"), Kept("comment", default=" "),
                Kept("lemma"),
            ),
            "judgements",
        ),
        File("{folder}/instances.csv", (Text("word1", ("lemma",)), *IDENTIFIERS), "instances"),
    ),
    points=range(1, 5),
)  # fmt: skip
LAYOUTS = {layout.name: layout for layout in (SIMLEX, SEMEVAL2017, MCLWIC, WIC, SCWS, USIM, DWUG)}


def find_layout(name: str) -> Layout:
    """Return a layout by its name. Raises UserError for an unknown one."""
    if name not in LAYOUTS:
        raise UserError(f'unknown layout "{name}"; name one of {", ".join(LAYOUTS)}')
    return LAYOUTS[name]
