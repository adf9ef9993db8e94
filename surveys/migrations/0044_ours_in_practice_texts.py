import re

from django.db import migrations

OLD, NEW = "readers", "ours"
COMMENTS = {
    OLD: "# between which percentages of the scale most readers rate",
    NEW: "# between which percentages of the scale we would rate",
}


def rename(before, after):
    """Rename a key of practice items, and the comment that forms write before it."""
    key = re.compile(rf"(?<![\w-]){before}([\"']?\s*=\s*\[)")

    def rename_in_texts(apps, schema_editor):
        texts = apps.get_model("surveys", "StudyText").objects
        found = texts.filter(kind="practice", body__contains=before)
        for pk, body in found.values_list("pk", "body"):
            renamed = key.sub(rf"{after}\1", body).replace(COMMENTS[before], COMMENTS[after])
            texts.filter(pk=pk).update(body=renamed)

    return rename_in_texts


class Migration(migrations.Migration):
    dependencies = [("surveys", "0043_origins_of_candidates")]

    operations = [migrations.RunPython(rename(OLD, NEW), rename(NEW, OLD))]
