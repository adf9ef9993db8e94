from django.urls import path

from surveys.web.annotate import arrival, completion, introduction, items, mturk

app_name = "annotate"
urlpatterns = [
    path("", arrival.index, name="index"),
    path("invitation/<slug:token>/", arrival.welcome, name="welcome"),
    path("join/<slug:token>/", arrival.arrive, name="arrive"),
    path("join/<slug:token>/<slug:ticket>/", arrival.join, name="join"),
    path("mturk/enter/<uuid:key>/", mturk.enter, name="enter"),
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
    path("survey/<slug:token>/thanks/", completion.thanks, name="thanks"),
    path("survey/<slug:token>/withdraw/", completion.withdraw, name="withdraw"),
    path("survey/<slug:token>/kept/", completion.kept, name="kept"),
    path("survey/<slug:token>/ended/", completion.ended, name="ended"),
]
