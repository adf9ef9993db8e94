import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0043_origins_of_candidates")]

    operations = [
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(fields=["phase", "sent_at"], name="submissions_in_order"),
        ),
        migrations.AlterField(
            model_name="submission",
            name="phase",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="submissions",
                to="surveys.phase",
            ),
        ),
    ]
