from django.contrib import admin
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import include, path

from surveys.features import list_areas
from surveys.web.sign_in import limit_sign_ins

admin.site.site_header = admin.site.site_title = "Cosima"
admin.site.index_title = "Studies and answers"


def favicon(request: HttpRequest) -> HttpResponse:
    """Redirect to the icon, for pages without an icon link, such as the admin's."""
    return redirect(staticfiles_storage.url("images/icon.svg"))


handler400 = "surveys.web.rendering.error_pages.answer_unreadable"
handler403 = "surveys.web.rendering.error_pages.answer_forbidden"
handler404 = "surveys.web.rendering.error_pages.answer_not_found"
handler500 = "surveys.web.rendering.error_pages.answer_failed"
urlpatterns = [
    path("", include("surveys.web.annotate.urls")),
    path("docs/", include("surveys.web.public.documents_urls")),
    path("published/", include("surveys.web.public.urls")),
    path("api/v1/", include("surveys.web.api.urls")),
    *(path(area.prefix, include(area.urls)) for area in list_areas()),
    # before the admin's own
    path("admin/login/", limit_sign_ins(admin.site.login), name="admin_sign_in"),
    path("admin/", admin.site.urls),
    path("favicon.ico", favicon),
]
