from django.contrib import admin
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import include, path

from surveys.console.sign_in import limit_sign_ins

admin.site.site_header = admin.site.site_title = "Cosima"
admin.site.index_title = "Studies and answers"


def favicon(request: HttpRequest) -> HttpResponse:
    """Pages that do not name an icon, such as the admin's, make browsers ask here."""
    return redirect(staticfiles_storage.url("images/icon.svg"))


handler400 = "surveys.presenting.failures.answer_unreadable"
handler403 = "surveys.presenting.failures.answer_forbidden"
handler404 = "surveys.presenting.failures.answer_not_found"
handler500 = "surveys.presenting.failures.answer_failed"
urlpatterns = [
    path("", include("surveys.annotate.urls")),
    path("api/v1/", include("surveys.api.urls")),
    path("console/", include("surveys.console.urls")),
    # before the admin's own
    path("admin/login/", limit_sign_ins(admin.site.login), name="admin_sign_in"),
    path("admin/", admin.site.urls),
    path("favicon.ico", favicon),
]
