from django.urls import path

from surveys.annotate import views

app_name = "annotate"
urlpatterns = [
    path("", views.index, name="index"),
    path("invitation/<slug:token>/", views.welcome, name="welcome"),
    path("survey/<slug:token>/", views.next_page, name="next"),
    path("survey/<slug:token>/<int:position>/words/", views.engage, name="engage"),
    path("survey/<slug:token>/<int:position>/rating/", views.rate, name="rate"),
    path("survey/<slug:token>/thanks/", views.thanks, name="thanks"),
]
