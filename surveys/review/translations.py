"""The outcome of a study of translations: its items in the other language."""

from typing import Any

from postprocess.designs.items import check_items
from postprocess.designs.kinds import KINDS, ItemRules, WordPair
from postprocess.formats.parsed import render_checked
from postprocess.formats.stimuli import StimuliError
from postprocess.naming import tag_files
from surveys.errors import ReleaseRefused
from surveys.models import Assignment, Context, Place, Study
from surveys.review.adjudication import decided_answers

NOT_CARRIED = ("id", "score")  # of the details of a pair


def write_translations(study: Study) -> tuple[str, str]:
    """Return name and text of a file with the translated items, the stimuli of a next study.

    Ids and further columns are those of the study's own file, in its order, without the score.
    Raises ReleaseRefused for a study of ratings, for unfinished places, and for translations that
    are undecided or that no study could have.
    """
    if not study.collects_translations:
        raise ReleaseRefused("This study collects ratings. Only translations are exported.")
    if n := Place.objects.unfinished(study).count():
        raise ReleaseRefused(f"Unfinished places: {n}. Translations are exported after them.")
    kind: Any = KINDS["words"]
    contexts = Context.objects.stimuli(study).select_related("pair")
    decided, items, undecided = decided_answers(study), [], []
    for context in contexts:
        details, answer = context.pair.details, decided.get(context.pk)
        if isinstance(answer, tuple):
            more = {name: text for name, text in details.items() if name not in NOT_CARRIED}
            items.append(WordPair(details["id"], *answer, (), more))
        else:
            undecided.append(details["id"])
    if undecided:
        raise ReleaseRefused(f"No translation is decided yet for: {', '.join(undecided)}.")
    columns, rows = kind.columns_of(items[0]), [kind.write(item) for item in items]
    try:
        text = render_checked(columns, rows)
        errors = check_items(rows, columns, ItemRules("words")).errors
    except StimuliError as error:
        raise ReleaseRefused(str(error)) from error
    if errors:
        raise ReleaseRefused("\n".join(map(str, errors)))
    is_rehearsal = Assignment.objects.for_study(study).scripted().exists()
    return f"items_{tag_files(study.language2, is_rehearsal=is_rehearsal)}.tsv", text
