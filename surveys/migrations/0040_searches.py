from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("surveys", "0039_shared_tasks")]

    operations = [
        migrations.AlterField(
            model_name="run",
            name="kind",
            field=models.CharField(
                choices=[
                    ("results", "results to look at"),
                    ("release", "a release to publish"),
                    ("links", "personal links"),
                    ("export", "a file of the answers"),
                    ("verify", "verification of a release"),
                    ("deposit", "draft of a release in a repository"),
                    ("rehearse", "a rehearsal by scripted annotators"),
                    ("compare", "comparison with another collection"),
                    ("search", "search for texts in corpora"),
                    ("publish", "publishing of a batch"),
                    ("fetch", "fetching of what was handed in"),
                    ("pay", "payment of a batch"),
                    ("stop", "end of a batch"),
                ],
                max_length=10,
            ),
        ),
    ]
