import django.core.validators
from django.db import migrations, models

import surveys.models.study


class Migration(migrations.Migration):
    dependencies = [("surveys", "0001_version_0_1")]

    operations = [
        migrations.RemoveConstraint(model_name="response", name="engaged_has_two_words"),
        *(
            operation
            for number in (1, 2)
            for operation in (
                migrations.RenameField("response", f"inspired_word{number}", f"written{number}"),
                migrations.AlterField(
                    "response", f"written{number}", models.CharField(blank=True, max_length=200)
                ),
            )
        ),
        migrations.RemoveConstraint(
            model_name="context",
            name="targets_apart",
        ),
        migrations.RemoveConstraint(
            model_name="response",
            name="rated_after_engaged",
        ),
        migrations.RemoveConstraint(
            model_name="study",
            name="study_asks_for_work",
        ),
        migrations.AddField(
            model_name="block",
            name="n_more",
            field=models.PositiveSmallIntegerField(
                default=0, help_text="answers to each item, beyond the study's number"
            ),
        ),
        migrations.AddField(
            model_name="context",
            name="more_spans",
            field=models.JSONField(help_text="further pieces of each target, or null", null=True),
        ),
        migrations.AddField(
            model_name="context",
            name="text2",
            field=models.TextField(
                blank=True, default="", help_text="of word 2, if it has its own"
            ),
        ),
        migrations.AddField(
            model_name="pair",
            name="details",
            field=models.JSONField(default=dict, help_text="what else its file said, by column"),
        ),
        migrations.AddField(
            model_name="response",
            name="writes",
            field=models.CharField(
                choices=[
                    ("associations", "words that the text inspires, before its rating"),
                    ("nothing", "Nothing"),
                    ("translations", "Translations"),
                    ("substitutes", "other words for each target"),
                ],
                default="associations",
                help_text="as the study says",
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="adjudicates",
            field=models.BooleanField(
                default=False, verbose_name="Items without a majority are decided"
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="centre",
            field=models.CharField(
                choices=[("mean", "Mean"), ("median", "Median"), ("majority", "Majority")],
                default="mean",
                max_length=20,
                verbose_name="Centre of the ratings",
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="design",
            field=models.CharField(
                blank=True,
                default="",
                help_text="The published design that it started from.",
                max_length=60,
                verbose_name="Design",
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="item_kind",
            field=models.CharField(
                choices=[
                    ("text", "two words in one text"),
                    ("words", "two words"),
                    ("texts", "two words, each in its own text"),
                ],
                default="text",
                max_length=20,
                verbose_name="Kind of item",
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="language2",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Empty: as the first.",
                max_length=35,
                validators=[surveys.models.study.validate_language],
                verbose_name="Language of the second word",
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="layout",
            field=models.CharField(
                default="cosimlex", max_length=20, verbose_name="Layout of published files"
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="n_doubled",
            field=models.PositiveSmallIntegerField(
                default=0,
                help_text="With one more answer than the others.",
                validators=[
                    django.core.validators.MinValueValidator(0),
                    django.core.validators.MaxValueValidator(10000),
                ],
                verbose_name="Doubled items",
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="question",
            field=models.CharField(
                choices=[
                    ("similarity_in_text", "how similar the words are in the text"),
                    ("similarity", "how similar they are"),
                    ("relatedness", "how related they are"),
                    ("same_meaning", "whether they mean the same"),
                    ("translation", "how they are said in the other language"),
                ],
                default="similarity_in_text",
                max_length=20,
                verbose_name="Question",
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="same_word",
            field=models.BooleanField(default=False, verbose_name="One lemma twice"),
        ),
        migrations.AddField(
            model_name="study",
            name="second_look_above",
            field=models.DecimalField(
                blank=True,
                decimal_places=2,
                help_text="Distance from the others’ mean. Empty: no second look.",
                max_digits=5,
                null=True,
                verbose_name="Second look above",
            ),
        ),
        migrations.AddField(
            model_name="study",
            name="writes",
            field=models.CharField(
                choices=[
                    ("associations", "words that the text inspires, before its rating"),
                    ("nothing", "Nothing"),
                    ("translations", "Translations"),
                    ("substitutes", "other words for each target"),
                ],
                default="associations",
                max_length=20,
                verbose_name="Written by annotators",
            ),
        ),
        migrations.AlterField(
            model_name="context",
            name="text",
            field=models.TextField(blank=True),
        ),
        migrations.AlterField(
            model_name="context",
            name="word1_end",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name="context",
            name="word1_start",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name="context",
            name="word2_end",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name="context",
            name="word2_start",
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AlterField(
            model_name="study",
            name="block_size",
            field=models.PositiveSmallIntegerField(
                blank=True,
                default=20,
                help_text="Rated in one assignment.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(10000),
                ],
                verbose_name="Pairs in a block, at most",
            ),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.CheckConstraint(
                condition=models.Q(("n_more__in", (0, 1))), name="one_answer_more"
            ),
        ),
        migrations.AddConstraint(
            model_name="context",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("word1_end__isnull", False),
                        ("word1_start__isnull", False),
                        ("word1_start__lt", models.F("word1_end")),
                        ("word2_end__isnull", False),
                        ("word2_start__isnull", False),
                        ("word2_start__lt", models.F("word2_end")),
                        models.Q(("text", ""), _negated=True),
                        ("more_spans__isnull", True),
                        ("text2", ""),
                        models.Q(
                            ("word1_end__lte", models.F("word2_start")),
                            ("word2_end__lte", models.F("word1_start")),
                            _connector="OR",
                        ),
                    ),
                    models.Q(
                        ("word1_end__isnull", False),
                        ("word1_start__isnull", False),
                        ("word1_start__lt", models.F("word1_end")),
                        ("word2_end__isnull", False),
                        ("word2_start__isnull", False),
                        ("word2_start__lt", models.F("word2_end")),
                        models.Q(("text", ""), _negated=True),
                        models.Q(("text2", ""), _negated=True),
                        ("number", 1),
                    ),
                    models.Q(
                        ("more_spans__isnull", True),
                        ("number", 1),
                        ("text", ""),
                        ("text2", ""),
                        ("word1_end__isnull", True),
                        ("word1_start__isnull", True),
                        ("word2_end__isnull", True),
                        ("word2_start__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="targets_as_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="response",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("engaged_at__isnull", True), ("written1", ""), ("written2", "")),
                    models.Q(
                        ("engaged_at__isnull", False),
                        ("writes", "nothing"),
                        ("written1", ""),
                        ("written2", ""),
                    ),
                    models.Q(
                        ("engaged_at__isnull", False),
                        models.Q(("writes", "nothing"), _negated=True),
                        models.Q(("written1", ""), _negated=True),
                        models.Q(("written2", ""), _negated=True),
                    ),
                    models.Q(
                        ("engaged_at__isnull", False),
                        ("is_unjudgeable", True),
                        ("writes__in", ("substitutes", "translations")),
                        ("written1", ""),
                        ("written2", ""),
                    ),
                    _connector="OR",
                ),
                name="engaged_has_what_is_written",
            ),
        ),
        migrations.AddConstraint(
            model_name="response",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("writes", "associations"),
                    models.Q(("engaged_at__isnull", True), ("rated_at__isnull", True)),
                    models.Q(
                        ("engaged_at__isnull", False),
                        ("engaged_at", models.F("rated_at")),
                        ("rated_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="one_page_at_one_instant",
            ),
        ),
        migrations.AddConstraint(
            model_name="response",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("is_unjudgeable", False),
                        ("rated_at__isnull", True),
                        ("rating__isnull", True),
                    ),
                    models.Q(
                        ("engaged_at__isnull", False),
                        ("rated_at__isnull", False),
                        models.Q(("writes", "translations"), _negated=True),
                        models.Q(
                            ("rating__isnull", False), ("is_unjudgeable", True), _connector="XOR"
                        ),
                    ),
                    models.Q(
                        ("engaged_at__isnull", False),
                        ("rated_at__isnull", False),
                        ("rating__isnull", True),
                        ("writes", "translations"),
                    ),
                    _connector="OR",
                ),
                name="rated_after_engaged",
            ),
        ),
        migrations.AddConstraint(
            model_name="study",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("lease_hours__gte", 1),
                    ("ratings_per_context__gte", 1),
                    models.Q(("block_size__isnull", True), ("block_size__gte", 1), _connector="OR"),
                ),
                name="study_asks_for_work",
            ),
        ),
        migrations.AddConstraint(
            model_name="study",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("item_kind", "text"),
                        ("language2", ""),
                        ("question", "similarity_in_text"),
                        ("same_word", False),
                        ("writes", "associations"),
                    ),
                    models.Q(
                        ("item_kind", "words"),
                        ("question__in", ("similarity", "relatedness", "translation")),
                        ("same_word", False),
                        ("writes__in", ("nothing", "translations")),
                    ),
                    models.Q(
                        ("item_kind", "texts"),
                        ("question__in", ("similarity", "relatedness", "same_meaning")),
                        ("writes__in", ("nothing", "substitutes")),
                    ),
                    _connector="OR",
                ),
                name="question_fits_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="study",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("question", "same_meaning"), _negated=True),
                    models.Q(
                        ("centre", "majority"),
                        ("same_word", True),
                        ("scale_maximum", 1),
                        ("scale_minimum", 0),
                        ("scale_step", 1),
                        models.Q(("sends_choice", True), ("writes", "substitutes"), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="same_meaning_is_yes_or_no",
            ),
        ),
        migrations.AddConstraint(
            model_name="study",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        models.Q(("question", "translation"), _negated=True),
                        models.Q(("writes", "translations"), _negated=True),
                    ),
                    models.Q(
                        ("centre", "majority"),
                        ("publishes_words", True),
                        ("question", "translation"),
                        ("writes", "translations"),
                        models.Q(("language2", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="translations_go_together",
            ),
        ),
        migrations.AddConstraint(
            model_name="study",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("language2", ""),
                    models.Q(("language2", models.F("language")), _negated=True),
                    _connector="OR",
                ),
                name="languages_differ",
            ),
        ),
        migrations.AddConstraint(
            model_name="study",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("second_look_above__isnull", True),
                    models.Q(
                        ("centre", "mean"),
                        ("item_kind__in", ("words", "texts")),
                        ("second_look_above__gt", 0),
                        ("second_look_above__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="second_look_is_of_means",
            ),
        ),
        migrations.AddConstraint(
            model_name="study",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("n_doubled", 0), ("block_size__isnull", False), _connector="OR"
                ),
                name="doubled_have_blocks",
            ),
        ),
        migrations.AddConstraint(
            model_name="study",
            constraint=models.CheckConstraint(
                condition=models.Q(("adjudicates", False), ("centre", "majority"), _connector="OR"),
                name="majority_is_decided",
            ),
        ),
    ]
