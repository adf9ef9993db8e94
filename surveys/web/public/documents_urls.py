from django.urls import path

from surveys.web.public import documents

app_name = "docs"
urlpatterns = [
    path("", documents.start, name="start"),
    path("<path:name>", documents.document, name="document"),
]
