from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0027_pay_of_annotators"),
    ]

    operations = [
        migrations.AddField(
            model_name="release",
            name="page_opened_at",
            field=models.DateTimeField(
                blank=True, help_text="when its public page was opened; empty: closed", null=True
            ),
        ),
    ]
