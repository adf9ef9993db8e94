"""Command-line options of several commands."""

import argparse
import re
from pathlib import Path
from typing import cast

from postprocess.extras import require_cluster
from preprocess.models.loading import ALL, LAST

LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def positive(text: str) -> int:
    """Read a whole number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def language_code(text: str) -> str:
    """Read the code of a language, such as hr or pt-BR.

    >>> language_code("hr"), language_code("pt-BR")
    ('hr', 'pt-BR')
    """
    if not LANGUAGE_CODE.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text} is not the code of a language; write sl or hr")
    return text


def layer(text: str) -> int | str:
    """Read the number of a layer, "last" or "all".

    >>> layer("7"), layer("last")
    (7, 'last')
    """
    if text in (ALL, LAST):
        return text
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not a layer; write a number, last or all")
    return int(text)


def corpus_file(text: str) -> Path:
    """Read the name of a file, or its address in any store that fsspec knows, such as s3://….

    >>> corpus_file("corpus.conllu").suffix
    '.conllu'
    """
    if "://" not in text:
        return Path(text)
    try:
        require_cluster()
        from upath import UPath

        path = UPath(text)
        path.fs  # noqa: B018  (imports what the store needs)
    except (ImportError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text}: {error}") from error
    return cast(Path, path)


def named_path(text: str) -> tuple[str, Path]:
    """Read NAME=PATH, or a path alone, whose name is empty.

    >>> named_path("e5=models/e5-small"), named_path("models/e5-small")
    (('e5', PosixPath('models/e5-small')), ('', PosixPath('models/e5-small')))
    """
    name, equals, path = text.partition("=")
    if not equals or "/" in name or Path(text).exists():
        return "", Path(text)
    if not name or not path:
        raise argparse.ArgumentTypeError(f"{text} lacks the name or the path; write NAME=PATH")
    return name, Path(path)
