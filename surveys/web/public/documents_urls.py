from django.urls import path

from surveys.web.public import views

app_name = "docs"
urlpatterns = [
    path("", views.start, name="start"),
    path("<path:name>", views.document, name="document"),
]
