from django.urls import path

from surveys.web.public import views

app_name = "public"
urlpatterns = [path("<slug:slug>/<int:number>/", views.release, name="release")]
