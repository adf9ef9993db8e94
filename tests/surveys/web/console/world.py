"""A study with content on every page of the console."""

from types import SimpleNamespace
from unittest.mock import patch

from django.contrib.auth.models import User
from django.test import Client

from surveys.access.api_tokens import make_token
from surveys.access.roles import grant_role
from surveys.access.sign_in_links import invite_account
from surveys.contexts.candidates import begin_study
from surveys.contexts.choices import Chosen, record_choice
from surveys.contexts.models import SearchKind
from surveys.contexts.search.requests import request_search
from surveys.crowd.ledger import intend_reward, refuse_payment
from surveys.models import Context, Family, Invitation, Review, Role, Run, RunKind, Study, Visit
from surveys.recruitment.links import invite_listed, open_entrance
from surveys.results.comparisons.comparing import ComparisonRequest, request_comparison
from surveys.results.comparisons.families import request_family, save_family
from surveys.results.runs import request_results
from surveys.review.queue import file_answers
from surveys.review.verdicts import configure_review, give_verdict
from surveys.webhooks.messages import add_webhook
from tests.factories.adjudications import answer_apart
from tests.factories.batch_states import make_crowd, visit_of
from tests.factories.batches import hand_in, plan
from tests.factories.corpora import wish
from tests.factories.imported import import_model
from tests.factories.jobs import perform_run
from tests.factories.repositories import make_complete_release
from tests.factories.reviews import submit
from tests.factories.selections import make_draft
from tests.factories.studies import (
    QUICK,
    make_release_with_page,
    make_run,
    make_study,
    make_study_of,
)

BUNDLE = "postprocess.reporting.two_collections.comparison_files"


def build_world():
    """Make the world; CORPORA_DIR must have the corpora of `write_corpora`."""
    study = make_study(4, ratings_per_context=12, block_size=4)
    draft = make_study(2, slug="draft")
    shown = {"organisation": "University of Examples", "contact": "lab@example.org"}
    Study.objects.filter(pk=draft.pk).update(opened_at=None, **shown)
    ana, rea, rob, _ = (
        User.objects.create_user(name, password="right") for name in ("ana", "rea", "rob", "mate")
    )
    for user, role in ((ana, Role.OWNER), (rea, Role.REVIEWER), (rob, Role.REVIEWER)):
        grant_role(study, user, role)
        grant_role(draft, user, role)
    corpus = make_draft(ana, slug="corpus")
    record_choice(corpus.candidate_pairs.last(), ana, Chosen(1, 2))
    configure_review(study, sample_percent=100, double_percent=100)
    submit(study), submit(study)
    batch = make_crowd(study)
    file_answers(study)
    opened, disputed, mine, *_ = Review.objects.answers(study).order_by("pk")
    give_verdict(disputed, rea, "good", "")
    give_verdict(disputed, rob, "rejected", "copied")
    give_verdict(mine, ana, "good", "")
    tied = answer_apart(make_study_of("mclwic", 2, slug="tied"))
    grant_role(tied, ana, Role.OWNER)
    done = request_results(study, QUICK, ana)
    perform_run(done.pk)
    assert Run.objects.done().get().report
    searched, sought = (
        begin_study(None, Study(slug=slug, language="en", ratings_per_context=2), ana)
        for slug in ("searched", "sought")
    )
    perform_run(request_search(searched, wish(), ana).pk)
    record_choice(searched.candidate_pairs.last(), ana, Chosen(1, 2))
    make_release_with_page(study)
    make_complete_release(study)  # release 2
    imported = import_model(study, 4)
    compared = request_comparison(study, ComparisonRequest(f"collection-{imported.pk}"), ana)
    with patch(f"{BUNDLE}.draw_plots", return_value=[]):  # drawing takes longest
        perform_run(compared.pk)
    family = save_family(Family(), [study], slug="family", title="Family", text="")
    put_together = request_family(family, b"", ana)
    perform_run(put_together.pk)
    failed = make_run(study, RunKind.RESULTS, recipe=QUICK, state="failed")
    second = compared.request
    failed_comparison = make_run(study, RunKind.COMPARE, state="failed", request=second)
    invite_listed(study, ["ana@example.org"])
    open_entrance(study, "prolific", completion_code="C0")
    token, _ = make_token(ana, "old", ["runs:read"])
    client = Client()
    client.force_login(ana, backend="django.contrib.auth.backends.ModelBackend")
    refused = refuse_payment(intend_reward(visit_of(batch, "payable")), "no money left").visit
    return SimpleNamespace(
        study=study, draft=draft, tied=tied, corpus=corpus, searched=searched, sought=sought,
        search=request_search(sought, wish(), ana), session=client.session.session_key, mate=rob,
        done=done, failed=failed, imported=imported, compared=compared, family=family,
        put_together=put_together,
        failed_comparison=failed_comparison,
        failed_search=make_run(corpus, SearchKind.SEARCH, state="failed"),
        batch=batch, refused=refused, planned=plan(study),
        rejected=hand_in(Visit.objects.get(submission="3SUBMISSION1"), state="rejected"),
        held=visit_of(batch, "held"), unpaid=visit_of(batch, "unpaid"),
        payable=visit_of(batch, "payable"),
        invited=invite_account(study, "eva", Role.REVIEWER).split("/")[-2],
        webhook=add_webhook(study, "https://lab.example.org/", ["run.finished"]),
        token=token, opened=opened, disputed=disputed, mine=mine, pair=draft.pairs.get(position=1),
        entrance=open_entrance(study, "link", cap=5, completion_code="", no_place_code=""),
        invitation=Invitation.objects.get(note="ana@example.org"),
        n_links=Invitation.objects.personal(study).count(),
        context=Context.objects.stimuli(study).first(),
        annotator=study.annotators.first(),
    )  # fmt: skip
