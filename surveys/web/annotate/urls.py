from django.urls import path

from surveys.features import load_objects
from surveys.web.annotate import arrival, completion, introduction, items, second_look

app_name = "annotate"
SURVEY = "survey/<slug:token>"
urlpatterns = [
    path("", arrival.index, name="index"),
    path("invitation/<slug:token>/", arrival.welcome, name="welcome"),
    path("invitation/<slug:token>/no-mail/", arrival.no_mail, name="no_mail"),
    path("join/<slug:token>/", arrival.arrive, name="arrive"),
    path("join/<slug:token>/<slug:ticket>/", arrival.join, name="join"),
    *(address for paths in load_objects("annotator_urls") for address in paths),
    path(f"{SURVEY}/", items.next_page, name="next"),
    path(f"{SURVEY}/<int:position>/words/", items.engage, name="engage"),
    path(f"{SURVEY}/<int:position>/rating/", items.rate, name="rate"),
    path(f"{SURVEY}/<int:position>/change/", items.change, name="change"),
    path(f"{SURVEY}/again/", second_look.again, name="again"),
    path(f"{SURVEY}/again/<int:number>/", second_look.look, name="look"),
    path(f"{SURVEY}/again/<int:number>/change/", second_look.change_look, name="change_look"),
    path(f"{SURVEY}/instructions/", introduction.instructions, name="instructions"),
    path(f"{SURVEY}/practice/", introduction.practice_words, name="practice"),
    path(f"{SURVEY}/practice/rating/", introduction.practice_rating, name="practice_rating"),
    path(f"{SURVEY}/practice/answer/", introduction.practice_answer, name="practice_answer"),
    path(f"{SURVEY}/check/", introduction.check, name="check"),
    path(f"{SURVEY}/thanks/", completion.thanks, name="thanks"),
    path(f"{SURVEY}/withdraw/", completion.withdraw, name="withdraw"),
    path(f"{SURVEY}/kept/", completion.kept, name="kept"),
    path(f"{SURVEY}/ended/", completion.ended, name="ended"),
]
