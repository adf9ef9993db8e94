"""What a researcher does next in a study."""

from django.contrib.auth.models import User
from django.core.cache import cache

from surveys.monitoring.checklist import find_next_step, outline_study, recall_steps
from surveys.recruitment.links import invite_annotators
from surveys.study.design import Study
from tests.factories.reviews import submit
from tests.factories.studies import (
    draft_study,
    make_study,
    numbered_stimuli,
    open_draft,
)


def next_page(study):
    following = find_next_step(outline_study(study))
    return following and following.page


def test_a_draft_is_to_be_opened_and_then_people_invited(db):
    design = Study(slug="study", language="en", ratings_per_context=2)
    study = draft_study(numbered_stimuli(2), design, User.objects.create_user("ana"))
    assert next_page(study) == "opening"

    assert next_page(open_draft(study)) == "recruitment"


def test_answers_are_reviewed_before_the_collection_ends(db):
    study = make_study(2)
    assert next_page(study) == "recruitment"

    submit(study)

    following = find_next_step(outline_study(study))
    assert following is not None
    assert following.page == "review"
    collection = next(step for step in outline_study(study) if step.name == "collection")
    assert collection.progress == "1 of 4"


def test_nothing_is_next_once_all_is_done(db):
    steps = [step._replace(is_done=True) for step in outline_study(make_study(2))]

    assert find_next_step(steps) is None


def test_steps_are_recalled_for_some_seconds(db, django_assert_num_queries):
    study = make_study(2)
    steps = recall_steps(study)
    invite_annotators(study, 9)
    with django_assert_num_queries(0):
        assert recall_steps(study) == steps

    cache.clear()

    done = {step.name for step in recall_steps(study) if step.is_done}
    assert done == {"stimuli", "design", "recruitment"}
