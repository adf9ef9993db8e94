"""The clicks that a study takes at most; only fields are filled in besides."""

import zipfile
from pathlib import Path

import httpx

from tests.end_to_end.researcher import Researcher
from tests.end_to_end.site import Site
from tests.machine import ROOT

MOST_TO_A_LINK = 7  # from the sign-in to a link that can be shared
MOST_TO_A_RELEASE = 4  # from a finished collection to a downloaded release


def test_a_link_takes_seven_clicks_and_a_release_four(chromium, shared_site: Site, tmp_path):
    researcher = Researcher(chromium, shared_site, "mia")

    with researcher.step("Link"):
        link = reach_a_link(researcher)
    assert httpx.get(link, follow_redirects=True).status_code == 200
    shared_site.manage("rehearse_study", "few-clicks", "--base-url", shared_site.url)
    with researcher.step("Release"):
        archive = reach_a_release(researcher, tmp_path)

    clicks = {step.name: step.clicks for step in researcher.steps}
    assert clicks["Signing in"] + clicks["Link"] <= MOST_TO_A_LINK
    assert clicks["Release"] <= MOST_TO_A_RELEASE
    assert zipfile.ZipFile(archive).testzip() is None
    assert researcher.find_faults() == {}


def reach_a_link(researcher: Researcher) -> str:
    """Create a study, fill in what opening needs, and open it with an open link; return it."""
    researcher.follow("New study")
    researcher.fill("Title", "Few clicks")
    researcher.fill("Language of the texts", "sl")
    researcher.choose_file("File with the stimuli", ROOT / "demo/data_sl.tsv")
    researcher.press("Create study")
    researcher.follow("Design")
    researcher.fill("Organisation that runs the study", "University of Examples")
    researcher.fill("Contact for annotators", "lab@example.org")
    researcher.fill("Ratings per context", "2")
    researcher.press("Save and open…")
    researcher.steps[-1].clicks += 1
    researcher.page.get_by_label("I have read this consent text").check()
    researcher.press("Open it with an open link")
    return researcher.page.get_by_label("The open link").input_value()


def reach_a_release(researcher: Researcher, folder: Path) -> Path:
    """Create a release by the default recipe, and download it; begins on any page of the study."""
    researcher.follow("Release")
    researcher.press("Create release")
    researcher.page.get_by_role("link", name="Download").first.wait_for(timeout=120_000)
    return researcher.save("Download", folder)
