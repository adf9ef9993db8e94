from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0023_arrivals_within_the_hour"),
    ]

    operations = [
        migrations.CreateModel(
            name="SignInBudget",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        help_text="such as address 203.0.113.9", max_length=80, unique=True
                    ),
                ),
                (
                    "spent_until",
                    models.DateTimeField(
                        db_index=True, help_text="when all checks that were used are restored"
                    ),
                ),
            ],
        ),
    ]
