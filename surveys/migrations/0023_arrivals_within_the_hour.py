import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0022_leases_of_runs"),
    ]

    operations = [
        migrations.CreateModel(
            name="Arrival",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("address_digest", models.CharField(max_length=64)),
                ("arrived_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "entrance",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="arrivals",
                        to="surveys.entrance",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["entrance", "arrived_at"], name="recent_arrivals")
                ],
            },
        ),
    ]
