"""A researcher makes a study of a file, looks at all of it and opens it; axe looks along."""

import re

import pytest

from tests.end_to_end.browsing import DESKTOP, PHONE, WatchedPage
from tests.end_to_end.site import ROOT, Site
from tests.end_to_end.test_accessibility import violations
from tests.factories import stimuli_file, stimuli_row


class Researcher:
    """Somebody signed in, and what is found wrong with the pages that they come to."""

    def __init__(self, chromium, site: Site, *, scripts: bool = True) -> None:
        self.site, self.scripts = site, scripts
        self.watched = WatchedPage(chromium, DESKTOP, scripts=scripts)
        self.page = self.watched.page
        self.found: dict[str, list[str]] = {}
        told = site.manage("add_researcher", "ana")
        self.page.goto(f"{site.url}/console/")
        self.page.get_by_label("Username").fill("ana")
        self.page.get_by_label("Password").fill(re.search(r"password: (\S+)", told)[1])
        self.press("Sign in")

    def press(self, label: str) -> None:
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=label).first.click()

    def follow(self, label: str) -> None:
        with self.page.expect_navigation():
            self.page.get_by_role("link", name=label).first.click()

    def look(self, name: str) -> None:
        """See the page on desktop and phone."""
        if not self.scripts:
            return
        for size in (PHONE, DESKTOP):
            self.page.set_viewport_size({"width": size[0], "height": size[1]})
            self.found[f"{name} {size[0]}"] = violations(self.watched)
            assert self.watched.sideways_scroll == 0, name

    def answer_words(self) -> None:
        for number, word in enumerate(("one", "two")):
            self.page.get_by_role("textbox").nth(number).fill(word)
        self.watched.submit()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_study_is_set_up_and_opened(chromium, site: Site, tmp_path, scripts):
    researcher = Researcher(chromium, site, scripts=scripts)
    researcher.look("studies")

    make_study(researcher, tmp_path)
    revise_stimuli(researcher)
    decide_design(researcher)
    walk_through(researcher)
    (link,) = site.invite("words")
    researcher.page.goto(link)
    assert "ni odprta" in researcher.page.content()
    open_study(researcher)

    researcher.page.goto(link)
    assert "Dobrodošli" in researcher.page.content()
    for name in REST:
        researcher.page.goto(f"{site.url}/console/{name}", wait_until="networkidle")
        researcher.look(name)
    assert {name: faults for name, faults in researcher.found.items() if faults} == {}
    unexpected = [c for c in researcher.watched.complaints if "422" not in c and "409" not in c]
    assert unexpected == []
    assert researcher.watched.hosts == {site.url.removeprefix("http://")}


# What this walk does not come by.
OF_STUDY = (
    "stimuli/checkpoints/", "results/", "release/", "people/", "log/", "review/",
    "review/questionnaires/", "review/disputes/", "review/agreement/", "review/settings/",
)  # fmt: skip
REST = ["tokens/", *(f"studies/words/{page}" for page in OF_STUDY)]


def make_study(researcher: Researcher, folder) -> None:
    """First of a faulty file, then of one that is only odd."""
    page = researcher.page
    faulty, odd = folder / "faulty.tsv", folder / "odd.tsv"
    faulty.write_bytes(stimuli_file(stimuli_row(word1="")))
    text = (ROOT / "demo/data_sl.tsv").read_text(encoding="utf-8")
    short = "Samo <strong>{}</strong> in <strong>{}</strong>."
    header, row, *rows = text.splitlines()
    fields = row.split("\t")
    fields[2] = short.format(fields[4], fields[5])
    odd.write_text("\n".join([header, "\t".join(fields), *rows, ""]), encoding="utf-8")
    researcher.follow("New study")
    researcher.look("new study")
    page.get_by_label("Title").press_sequentially("Words")
    if not researcher.scripts:
        page.get_by_label("Short name").fill("words")
    page.get_by_label("Language of the texts").fill("sl")
    for file, name in ((faulty, "faulty file"), (odd, "odd file")):
        page.get_by_label("File with the stimuli").set_input_files(file)
        researcher.press("Make the study")
        researcher.look(name)
    researcher.press("Go on with 6 rows")
    assert researcher.watched.is_at("/console/studies/words/stimuli/")
    researcher.look("stimuli")


def revise_stimuli(researcher: Researcher) -> None:
    page = researcher.page
    researcher.follow("Change or drop row 1")
    researcher.look("row")
    page.get_by_label("Word 1, dictionary form").fill("")
    page.get_by_label("Why").first.fill("a slip")
    researcher.press("Store the row")
    researcher.look("row with a fault")
    page.get_by_label("Word 1, dictionary form").fill("beseda")
    researcher.press("Store the row")
    assert "beseda – " in page.content()
    researcher.follow("Change or drop row 2")
    page.get_by_label("Why").last.fill("too easy")
    researcher.press("Drop the row")
    assert "5 pairs" in page.content()


def decide_design(researcher: Researcher) -> None:
    page = researcher.page
    researcher.follow("Design")
    researcher.look("design")
    page.get_by_label("Pay for an hour").fill("12")
    page.get_by_label("Ratings of each context").fill("3")
    if not researcher.scripts:
        researcher.press("Reckon")
    page.get_by_text("Money in all").wait_for()
    page.get_by_label("Tries for the comprehension check").fill("2")
    page.get_by_label("Highest point").fill("-1")
    researcher.press("Store the design")
    researcher.look("design with a fault")
    page.get_by_label("Highest point").fill("4")
    researcher.press("Store the design")
    assert "The design is stored" in page.content()
    for kind in ("Consent", "Practice", "Check"):
        researcher.follow(kind)
        researcher.press("Preview")
        researcher.look(kind)
        researcher.follow("Back to the design")


def walk_through(researcher: Researcher) -> None:
    """The preview, to its end."""
    watched, page = researcher.watched, researcher.page
    researcher.follow("Preview the survey")
    for name in ("welcome", "instructions"):
        researcher.look(f"preview of {name}")
        watched.submit()
    researcher.answer_words()
    watched.rate(3)
    researcher.look("preview of practice")
    watched.submit()
    researcher.look("preview of check")
    researcher.follow("Text 1, page 1")
    for _ in range(2):
        researcher.look("preview of page 1")
        researcher.answer_words()
        researcher.look("preview of page 2")
        watched.rate(3)
    researcher.look("preview of thanks")
    assert page.locator("aside.preview [aria-current]").inner_text() == "Thanks"
    researcher.follow("Leave the preview")


def open_study(researcher: Researcher) -> None:
    researcher.page.goto(f"{researcher.site.url}/console/studies/words/")
    researcher.look("overview")
    researcher.follow("Design")
    researcher.follow("Open the study…")
    researcher.look("opening")
    researcher.press("Open the study")
    researcher.look("open design")
    assert "0 to 4, in steps of 1" in researcher.page.content()
    researcher.follow("Stimuli")
    assert "Change or drop" not in researcher.page.content()
