"""What releases and reports cite: the two papers whose method Cosima follows, and Cosima."""

from typing import NamedTuple


class Person(NamedTuple):
    """An author."""

    family_names: str
    given_names: str

    @property
    def initials(self) -> str:
        """The initials of the given names.

        >>> Person("Armendariz", "Carlos Santos").initials
        'C. S.'
        """
        return " ".join(f"{name[0]}." for name in self.given_names.split())


class Paper(NamedTuple):
    """A paper of a conference or workshop, with the authors of the ACL Anthology."""

    authors: tuple[Person, ...]
    year: int
    title: str
    url: str


class Software(NamedTuple):
    """A program, as `CITATION.cff` of this project describes it; its version is the caller's."""

    author: str
    title: str
    licence: str


COSIMA = Software(
    "The Cosima contributors",
    "Cosima: graded word similarity in context, from texts to a published dataset",
    "Apache-2.0",
)
COSIMLEX = Paper(
    (
        Person("Armendariz", "Carlos Santos"),
        Person("Purver", "Matthew"),
        Person("Ulčar", "Matej"),
        Person("Pollak", "Senja"),
        Person("Ljubešić", "Nikola"),
        Person("Granroth-Wilding", "Mark"),
    ),
    2020,
    "CoSimLex: A Resource for Evaluating Graded Word Similarity in Context",
    "https://aclanthology.org/2020.lrec-1.720/",
)
TASK_PAPER = Paper(
    (
        Person("Armendariz", "Carlos Santos"),
        Person("Purver", "Matthew"),
        Person("Pollak", "Senja"),
        Person("Ljubešić", "Nikola"),
        Person("Ulčar", "Matej"),
        Person("Vulić", "Ivan"),
        Person("Pilehvar", "Mohammad Taher"),
    ),
    2020,
    "SemEval-2020 Task 3: Graded Word Similarity in Context",
    "https://aclanthology.org/2020.semeval-1.3/",
)


def write_authors(paper: Paper) -> str:
    """Return the authors in the format of a reference list.

    >>> write_authors(COSIMLEX)[:40]
    'Armendariz, C. S., Purver, M., Ulčar, M.'
    """
    *first, last = (f"{author.family_names}, {author.initials}" for author in paper.authors)
    return f"{', '.join(first)} and {last}"
