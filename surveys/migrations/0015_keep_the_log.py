from django.core.management import CommandError
from django.db import migrations


def refuse_to_lose_the_log(apps, schema_editor):
    """Before 0008 there is no log: going back would drop it."""
    if count := apps.get_model("surveys", "AuditEntry").objects.count():
        raise CommandError(
            "The database cannot go back to before the log of who decided what: its entries "
            f"({count}) would be lost. Nothing was changed. Restore a backup from before, or, if "
            "the log may go, empty the table surveys_auditentry yourself and try again."
        )


class Migration(migrations.Migration):
    dependencies = [("surveys", "0014_errands")]
    operations = [migrations.RunPython(migrations.RunPython.noop, refuse_to_lose_the_log)]
