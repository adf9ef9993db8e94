"""axe finds nothing to mend on any page of an annotator."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.end_to_end.browsing import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.site import ROOT, Site
from tests.factories import stimuli_file, stimuli_row

ARABIC = stimuli_row(
    word1="كبير",
    word2="واسع",
    context1="البيت <strong>كبير</strong> جدا. الطريق <strong>واسع</strong>. نمشي كل يوم.",
    context2="صدره <strong>واسع</strong> دائما. أخي <strong>كبير</strong> العائلة. نحبه كثيرا.",
    word1_context1="كبير",
    word2_context1="واسع",
    word1_context2="كبير",
    word2_context2="واسع",
)


def violations(watched: WatchedPage) -> list[str]:
    """What axe complains of on the page, with the rule and the place."""
    found = Axe().run(watched.page).response["violations"]
    return [f"{rule['id']}: {node['html']}" for rule in found for node in rule["nodes"]]


def one_row(language: str) -> bytes:
    """A stimuli file of one pair in the language."""
    if language == "ar":
        return stimuli_file(ARABIC)
    lines = (ROOT / f"demo/data_{language}.tsv").read_bytes().splitlines(keepends=True)
    return b"".join(lines[:2])


def look_at_every_page(watched: WatchedPage, site: Site, study: str) -> dict[str, list[str]]:
    """What axe finds on each page, from the first look to a study without a place left."""
    link, other, late = site.invite(study, 3)
    found = {}

    def look(name: str) -> None:
        found[name] = violations(watched)

    watched.page.goto(site.url)
    look("index")
    watched.page.goto(f"{site.url}/invitation/nobody/")
    look("not found")
    watched.page.goto(link)
    look("welcome")
    watched.submit()
    look("page 1")
    watched.submit()
    look("page 1 with faults")
    watched.write_words("one", "two")
    look("page 2")
    watched.submit()
    look("page 2 with a fault")
    watched.rate(3)
    look("thanks")
    watched.page.goto(other)
    watched.submit()
    watched.page.goto(late)
    look("no place left")
    return found


@pytest.mark.parametrize("language", ["en", "hr", "sl", "fi", "ar"])
def test_axe_finds_nothing(chromium, site: Site, tmp_path, language):
    stimuli = tmp_path / "data.tsv"
    stimuli.write_bytes(one_row(language))
    for study, size, colours in (("bright", DESKTOP, "light"), ("dim", PHONE, "dark")):
        site.manage(
            "import_stimuli", stimuli, "--study", study, "--language", language,
            "--ratings-per-context", "1",
        )  # fmt: skip
        watched = WatchedPage(chromium, size, colours=colours)

        found = look_at_every_page(watched, site, study)

        assert {name: rules for name, rules in found.items() if rules} == {}
        assert watched.page.get_by_role("button").count() == 0  # no place: nothing to start


def test_violations_are_seen(chromium):
    watched = WatchedPage(chromium, PHONE)
    watched.page.set_content("<html><body><input><p style='color: #ccc'>pale</p></body></html>")

    rules = {violation.split(":")[0] for violation in violations(watched)}
    assert {"label", "color-contrast", "html-has-lang"} <= rules
