"""`python -m preprocess corpus lemmatise`: turn raw text into a corpus with lemmas."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from preprocess.commands.options import language_code
from preprocess.commands.progress import showing_progress
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.opening import unpacked_name
from preprocess.corpora.raw import read_documents
from preprocess.replacing import replacing

if TYPE_CHECKING:
    from preprocess.corpora.lemmatising import Analyse

UDPIPE = "udpipe"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    commands = parser.add_subparsers(dest="of_corpus", required=True)
    made = commands.add_parser("lemmatise", help="add sentences and lemmas to raw text (CoNLL-U)")
    add = made.add_argument
    add(
        "files", type=Path, nargs="+", metavar="FILE",
        help="text, JSON lines with text, or what WikiExtractor writes; also .gz, .bz2 and .xz",
    )  # fmt: skip
    add(
        "--language", type=language_code, required=True, metavar="CODE", help="such as hr",
    )  # fmt: skip
    add("--out", type=Path, required=True, metavar="DIR", help="created if it does not exist")
    add(
        "--wrapped", action="store_true",
        help="the lines of the text are wrapped: only an empty line ends a paragraph",
    )  # fmt: skip
    add(
        "--tagger", type=_tagger, metavar="udpipe:FILE",
        help="analyse the text by a model of UDPipe (default: by simplemma's lists of lemmas)",
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Write a .conllu file for each file of text; files that are there already are kept."""
    from preprocess.corpora.lemmatising import by_udpipe, by_word_lists

    targets = _name_targets(options.files, options.out)
    tagger = options.tagger
    analyse = by_word_lists(options.language) if tagger is None else by_udpipe(tagger)
    with showing_progress() as progress:
        for number, (target, path) in enumerate(targets.items(), 1):
            if not target.exists():
                _write(path, target, analyse, is_wrapped=options.wrapped)
            progress("lemmatising", number, len(targets))
    sys.stdout.write("".join(f"written   {target}\n" for target in targets))
    return 0


def _write(path: Path, target: Path, analyse: "Analyse", *, is_wrapped: bool) -> None:
    from preprocess.corpora.lemmatising import lemmatise

    with replacing(target) as temporary, temporary.open("w", encoding="utf-8") as file:
        for document in read_documents(path):
            file.writelines(lemmatise(document, analyse, is_wrapped=is_wrapped))


def _name_targets(paths: Sequence[Path], folder: Path) -> dict[Path, Path]:
    """Return the files by the files to write; files of one name get their folder's name, too.

    WikiExtractor writes AA/wiki_00, AB/wiki_00 and so on. Raises CorpusError.
    """
    stems = [unpacked_name(path).stem for path in paths]
    targets: dict[Path, Path] = {}
    for path, stem in zip(paths, stems, strict=True):
        name = stem if stems.count(stem) == 1 else f"{path.resolve().parent.name}-{stem}"
        target = folder / f"{name}.conllu"
        if target in targets:
            raise CorpusError(target, "two files would get this name; rename one of them")
        targets[target] = path
    return targets


def _tagger(text: str) -> Path:
    program, _, path = text.partition(":")
    if program != UDPIPE or not path:
        raise argparse.ArgumentTypeError(
            f"{text} is not a tagger; write {UDPIPE}:FILE. Others, such as Stanza and CLASSLA, "
            "write CoNLL-U themselves"
        )
    return Path(path)
