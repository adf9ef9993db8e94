"""The bare app: an ordinary Django app that does the minimum of a survey for a judgement.

Four requests and two committed writes: page 1 shows a text, two words are stored, page 2 shows
the text with two words in bold, a rating is stored. No middleware, no quota, no leases, no
languages, no extra headers; plain ORM, plain templates, the settings Django starts with.

    DATABASE_URL=… python app.py prepare ANNOTATORS TASKS < items.json
    DATABASE_URL=… python app.py stored
    DATABASE_URL=… python -m granian --interface wsgi app:application
"""

import json
import os
import re
import sys
from typing import Any

import django
import environ
from django.conf import settings

PAGES = {
    "base.html": """<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{% block title %}Survey{% endblock %}</title>
<link rel="icon" href="/static/images/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/css/survey.css">
</head>
<body>
<header class="progress">
<label for="progress">Text {{ answer.position }} of all</label>
<progress id="progress" max="200" value="{{ answer.position }}"></progress>
</header>
<main>
{% block content %}{% endblock %}
</main>
</body>
</html>
""",
    "welcome.html": """{% extends "base.html" %}
{% block content %}<h1>Welcome</h1>
<form method="post"><button>Start</button></form>{% endblock %}
""",
    "words.html": """{% extends "base.html" %}
{% block title %}Read the text{% endblock %}
{% block content %}
<h1>Read the text</h1>
<blockquote lang="en" dir="auto">{{ answer.item.text }}</blockquote>
<form method="post" novalidate>
<fieldset>
<legend>Which two words does this text make you think of?</legend>
<p class="hint">Single words, whatever comes to mind first.</p>
<div class="words" lang="en">
<div class="word-field">
<label for="id_inspired_word1">First word</label>
<input type="text" name="inspired_word1" maxlength="50" autocomplete="off" autocapitalize="none" class="word" required id="id_inspired_word1">
</div>
<div class="word-field">
<label for="id_inspired_word2">Second word</label>
<input type="text" name="inspired_word2" maxlength="50" autocomplete="off" autocapitalize="none" class="word" required id="id_inspired_word2">
</div>
</div>
</fieldset>
<button>Continue</button>
</form>
{% endblock %}
""",  # noqa: E501
    "rating.html": """{% extends "base.html" %}
{% block title %}Compare two words{% endblock %}
{% block content %}
<h1>Compare two words</h1>
<blockquote lang="en" dir="auto">{{ answer.item.marked|safe }}</blockquote>
<form method="post" novalidate>
<fieldset class="scale" aria-describedby="scale-ends">
<legend>How similar in meaning are <b>{{ answer.item.word1 }}</b> and <b>{{ answer.item.word2 }}</b> in this text?</legend>
<div class="points">
{% for point in scale %}<label for="id_rating_{{ point }}"><input type="radio" name="rating" value="{{ point }}" required id="id_rating_{{ point }}"><span>{{ point }}</span></label>
{% endfor %}</div>
<p class="ends" id="scale-ends"><span>0 = not similar at all</span> <span>6 = nearly the same</span></p>
</fieldset>
<button>Continue</button>
</form>
{% endblock %}
""",  # noqa: E501
    "thanks.html": '{% extends "base.html" %}{% block content %}<h1>Thank you</h1>{% endblock %}',
}


def _database(url: str) -> dict[str, Any]:
    """Return settings as durable as Cosima's: acknowledged answers are on disk."""
    database: dict[str, Any] = environ.Env.db_url_config(url)
    if url.startswith("sqlite"):
        pragmas = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        options = {"init_command": pragmas, "transaction_mode": "IMMEDIATE", "timeout": 30}
    else:
        options = {"options": "-c synchronous_commit=on"}
    return {**database, "OPTIONS": options, "CONN_MAX_AGE": None}


settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    SECRET_KEY="of a benchmark",  # noqa: S106  (it signs nothing)
    ROOT_URLCONF=__name__,
    DATABASES={"default": _database(os.environ["DATABASE_URL"])},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "loaders": [
                    (
                        "django.template.loaders.cached.Loader",
                        [("django.template.loaders.locmem.Loader", PAGES)],
                    )
                ]
            },
        }
    ],
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpRequest, HttpResponse  # noqa: E402
from django.shortcuts import get_object_or_404, redirect, render  # noqa: E402
from django.urls import path  # noqa: E402


class Item(models.Model):
    """A text with two target words."""

    text = models.TextField()
    marked = models.TextField()
    word1 = models.TextField()
    word2 = models.TextField()

    objects: models.Manager["Item"] = models.Manager()

    class Meta:
        app_label = "bare"

    def __str__(self) -> str:
        return self.text


class Answer(models.Model):
    """The answer of one annotator to one text."""

    annotator = models.CharField(max_length=22)
    position = models.PositiveIntegerField()
    item = models.ForeignKey(Item, models.PROTECT, related_name="answers")
    inspired_word1 = models.CharField(max_length=60, blank=True)
    inspired_word2 = models.CharField(max_length=60, blank=True)
    rating = models.SmallIntegerField(null=True, blank=True)

    objects: models.Manager["Answer"] = models.Manager()

    class Meta:
        app_label = "bare"
        constraints = [
            models.UniqueConstraint(fields=("annotator", "position"), name="one_item_a_place")
        ]

    def __str__(self) -> str:
        return f"{self.annotator}, item {self.position}"


def welcome(request: HttpRequest, token: str) -> HttpResponse:
    """Show the page of a personal link."""
    if request.method == "POST":
        return redirect(f"/survey/{token}/1/words/")
    return render(request, "welcome.html")


def words(request: HttpRequest, token: str, position: int) -> HttpResponse:
    """Show page 1 of an item and store its words."""
    if request.method == "POST":
        Answer.objects.filter(annotator=token, position=position, inspired_word1="").update(
            inspired_word1=request.POST["inspired_word1"],
            inspired_word2=request.POST["inspired_word2"],
        )
        return redirect(f"/survey/{token}/{position}/rating/")
    answer = Answer.objects.select_related("item").filter(annotator=token, position=position)
    if not (found := answer.first()):
        return render(request, "thanks.html")
    return render(request, "words.html", {"answer": found})


def rating(request: HttpRequest, token: str, position: int) -> HttpResponse:
    """Show page 2 of an item and store its rating."""
    if request.method == "POST":
        Answer.objects.filter(annotator=token, position=position, rating=None).update(
            rating=int(request.POST["rating"])
        )
        return redirect(f"/survey/{token}/{position + 1}/words/")
    answer = get_object_or_404(
        Answer.objects.select_related("item"), annotator=token, position=position
    )
    return render(request, "rating.html", {"answer": answer, "scale": "0123456"})


urlpatterns = [
    path("invitation/<slug:token>/", welcome),
    path("survey/<slug:token>/<int:position>/words/", words),
    path("survey/<slug:token>/<int:position>/rating/", rating),
]
application = get_wsgi_application()


def prepare(n_annotators: int, n_tasks: int) -> None:
    """Create tables, store the items read from standard input, create empty answers."""
    with connection.schema_editor() as editor:
        editor.create_model(Item)
        editor.create_model(Answer)
    items = Item.objects.bulk_create(Item(**fields) for fields in json.load(sys.stdin))
    Answer.objects.bulk_create(
        Answer(
            annotator=f"ann{number:03d}",
            position=position,
            item=items[(number * n_tasks + position - 1) % len(items)],
        )
        for number in range(n_annotators)
        for position in range(1, n_tasks + 1)
    )


def list_stored() -> list[tuple[Any, ...]]:
    """Return the stored answers in the format of `site_data.py`."""
    begun = Answer.objects.exclude(inspired_word1="").select_related("item")
    return [
        (
            "".join(re.findall(r"\balpha(\d+)\b", answer.item.text)),
            answer.annotator,
            answer.item.pk,
            answer.inspired_word1,
            answer.inspired_word2,
            answer.rating,
            True,
        )
        for answer in begun
    ]


if __name__ == "__main__":
    if sys.argv[1:2] == ["prepare"]:
        prepare(int(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1:] == ["stored"]:
        sys.stdout.write(json.dumps(list_stored()))
    else:
        raise SystemExit(__doc__)
