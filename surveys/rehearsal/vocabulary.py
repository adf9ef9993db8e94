"""The words of texts, from which scripted annotators choose."""

import random
import re
from collections.abc import Iterable
from itertools import chain

from surveys.models import Context, Study


def list_words(texts: Iterable[str]) -> list[str]:
    """Return the distinct words of four letters or more, sorted."""
    return sorted({word.lower() for text in texts for word in re.findall(r"[^\W\d_]{4,}", text)})


def list_vocabulary(study: Study) -> list[str]:
    """Return the distinct words of a study's texts, or two others if there are none."""
    texts = Context.objects.stimuli(study).values_list("text", "text2")
    return list_words(chain.from_iterable(texts)) or ["first", "second"]


def draw_poor_words(chance: random.Random) -> list[str]:
    """Return some words that a careless person writes for any text, different for each person."""
    return sorted({"".join(chance.choices("asdfghjkl", k=chance.randint(3, 6))) for _ in range(5)})
