from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("surveys", "0026_replace_what_is_set_aside"),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="pay",
            field=models.CharField(
                blank=True,
                default="",
                help_text="what annotators are paid, such as £2.50; shown to them; "
                "empty: not mentioned",
                max_length=100,
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="pay_for_more",
            field=models.CharField(
                blank=True,
                default="",
                help_text="what they are paid for a further block; empty: nothing",
                max_length=100,
            ),
        ),
    ]
