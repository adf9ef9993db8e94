"""`python -m preprocess corpus lemmatise`: turn raw text into a corpus with lemmas."""

import argparse
import sys
from pathlib import Path

from preprocess.commands.progress import showing_progress
from preprocess.corpora.errors import CorpusError
from preprocess.corpora.lemmatising import lemmatise
from preprocess.corpora.raw import PACKED, read_documents
from preprocess.replacing import replacing


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command and its options."""
    parser = subparsers.add_parser("corpus", help="make a corpus that `find` can search")
    commands = parser.add_subparsers(dest="of_corpus", required=True)
    made = commands.add_parser("lemmatise", help="add sentences and lemmas to raw text (CoNLL-U)")
    add = made.add_argument
    add("files", type=Path, nargs="+", metavar="FILE", help=".txt, or .jsonl with text, also .gz")
    add("--language", required=True, metavar="CODE", help="such as hr")
    add("--out", type=Path, required=True, metavar="DIR", help="created if it does not exist")
    add(
        "--wrapped", action="store_true",
        help="the lines of the text are wrapped: only an empty line ends a paragraph",
    )  # fmt: skip
    made.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write a .conllu file for each file of text; files that are there already are kept."""
    targets: dict[Path, Path] = {}
    for path in options.files:
        target = _target(path, options.out)
        if target in targets:
            raise CorpusError(target, "two files would get this name; rename one of them")
        targets[target] = path
    with showing_progress() as progress:
        for number, (target, path) in enumerate(targets.items(), 1):
            if not target.exists():
                _write(path, target, options)
            progress("lemmatising", number, len(targets))
    sys.stdout.write("".join(f"written   {target}\n" for target in targets))
    return 0


def _write(path: Path, target: Path, options: argparse.Namespace) -> None:
    with replacing(target) as temporary, temporary.open("w", encoding="utf-8") as file:
        for document in read_documents(path):
            file.writelines(lemmatise(document, options.language, is_wrapped=options.wrapped))


def _target(path: Path, folder: Path) -> Path:
    bare = path.with_suffix("") if path.suffix in PACKED else path
    return folder / f"{bare.stem}.conllu"
