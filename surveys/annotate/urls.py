from django.urls import path

from surveys.annotate import arrival, ending, hits, introduction, items

app_name = "annotate"
urlpatterns = [
    path("", arrival.index, name="index"),
    path("invitation/<slug:token>/", arrival.welcome, name="welcome"),
    path("join/<slug:token>/", arrival.arrive, name="arrive"),
    path("join/<slug:token>/<slug:ticket>/", arrival.join, name="join"),
    path("mturk/enter/<uuid:key>/", hits.enter, name="enter"),
    path("survey/<slug:token>/", items.next_page, name="next"),
    path("survey/<slug:token>/<int:position>/words/", items.engage, name="engage"),
    path("survey/<slug:token>/<int:position>/rating/", items.rate, name="rate"),
    path("survey/<slug:token>/instructions/", introduction.instructions, name="instructions"),
    path("survey/<slug:token>/practice/", introduction.practice_words, name="practice"),
    path(
        "survey/<slug:token>/practice/rating/", introduction.practice_rating, name="practice_rating"
    ),
    path(
        "survey/<slug:token>/practice/answer/", introduction.practice_answer, name="practice_answer"
    ),
    path("survey/<slug:token>/check/", introduction.check, name="check"),
    path("survey/<slug:token>/thanks/", ending.thanks, name="thanks"),
    path("survey/<slug:token>/withdraw/", ending.withdraw, name="withdraw"),
    path("survey/<slug:token>/kept/", ending.kept, name="kept"),
    path("survey/<slug:token>/ended/", ending.ended, name="ended"),
]
