"""What annotators are shown."""

from django.contrib import admin

from surveys.models import Checkpoint, Context, Pair
from surveys.web.admin.looking import ReadOnlyAdmin


@admin.register(Pair)
class PairAdmin(ReadOnlyAdmin):
    list_display = ("study", "position", "word1", "word2", "is_checkpoint")
    list_filter = ("study", "is_checkpoint")
    list_select_related = ("study",)


@admin.register(Context)
class ContextAdmin(ReadOnlyAdmin):
    list_display = ("pair", "number", "form1", "form2", "text")
    list_filter = ("pair__study", "pair__is_checkpoint")
    list_select_related = ("pair",)


@admin.register(Checkpoint)
class CheckpointAdmin(ReadOnlyAdmin):
    list_display = ("context", "lowest", "highest")
    list_filter = ("context__pair__study",)
    list_select_related = ("context__pair",)
