"""The files on the sources of the texts, among them `ATTRIBUTION.md`: documents by licence."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from urllib.parse import quote, urlsplit

from postprocess.origin import Origin, render_origin
from postprocess.release.documents.markdown import escape
from postprocess.release.sources import ContextSource, Document, list_documents, render_sources
from postprocess.release.withholding import SCRIPT, read_script

ATTRIBUTION = "ATTRIBUTION.md"
UNKNOWN = "Unknown licence"
IN_URLS = "/:?#@!$&'*+,;=%~"  # stay as they are; brackets would end the link


def render_sources_files(
    sources: Sequence[ContextSource], origin: Origin, n_pairs: int, tag: str
) -> dict[str, bytes]:
    """Return the files that say where the texts come from and how they were found, if known.

    `tag` is part of their names.
    """
    files: dict[str, bytes] = {}
    if origin:
        files[f"origin_{tag}.json"] = render_origin(origin)
    if sources:
        path = f"sources_{tag}.tsv"
        files[path] = render_sources(sources).encode()
        files[ATTRIBUTION] = render_attribution(sources, n_pairs, path).encode()
    if any(source.sha256 for source in sources):
        files[SCRIPT] = read_script()
    return files


def render_attribution(sources: Sequence[ContextSource], n_pairs: int, path: str) -> str:
    """Return the text of `ATTRIBUTION.md`; `path` is the sources file."""
    edited = [source for source in sources if source.edited]
    about = (
        "The contexts of this dataset come from the documents below. Each text remains under the "
        "licence of its document, in every file of this dataset. The words of the pairs were "
        f"marked in them{_name_edited(edited)}. `{path}` has the place of each text in its "
        "document."
    )
    parts = ["# Sources of the texts", about]
    by_licence = groupby(list_documents(sources).items(), key=lambda item: item[0].licence)
    for licence, documents in by_licence:
        lines = [f"- {_write_document(file)}: {_write_places(texts)}" for file, texts in documents]
        parts += [f"## {escape(licence) or UNKNOWN}", "\n".join(lines)]
    if withheld := [source for source in sources if source.sha256]:
        about = (
            "The licences do not allow publishing these texts, or do not say so: "
            f"{_write_places(withheld)}. In all files their letters are replaced by x and their "
            "digits by 0, except in the words of the pairs. `python3 rebuild.py FOLDER` restores "
            "them from the files of the corpus."
        )
        parts += ["## Texts that are withheld", about]
    contexts_with_source = {source[:2] for source in sources}
    missing = [
        ContextSource(pair, context)
        for pair in range(1, n_pairs + 1)
        for context in (1, 2)
        if (pair, context) not in contexts_with_source
    ]
    if missing:
        parts += ["## No source is recorded", f"{_write_places(missing).capitalize()}."]
    return "\n\n".join(parts) + "\n"


def _name_edited(edited: Sequence[ContextSource]) -> str:
    if not edited:
        return "; nothing else was changed"
    return f", and these texts were edited lightly: {_write_places(edited)}"


def _write_document(document: Document) -> str:
    name = escape(document.name) or "A document without a name"
    if urlsplit(document.url).scheme in ("http", "https"):
        name = f"[{name}]({quote(document.url, safe=IN_URLS)})"
    elif document.url and document.url != document.name:
        name = f"{name}, {escape(document.url)}"
    return f"{name}, revision {escape(document.revision)}" if document.revision else name


def _write_places(contexts: Iterable[ContextSource]) -> str:
    """Return the contexts as `pair 1 (context 2), pair 3 (both contexts)`."""
    by_pair: defaultdict[int, list[int]] = defaultdict(list)
    for source in contexts:
        by_pair[source.pair].append(source.context)
    return ", ".join(
        f"pair {pair} ({'both contexts' if len(contexts) > 1 else f'context {contexts[0]}'})"
        for pair, contexts in sorted(by_pair.items())
    )
