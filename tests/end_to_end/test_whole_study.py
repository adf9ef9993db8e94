"""A study from an uploaded file to a downloaded release in the console.

Axe checks pages here in states that test_every_page, with a finished study, does not have.
"""

import re
import zipfile
from pathlib import Path

from surveys.models import TextKind
from surveys.study.exercises import read_check
from surveys.study.texts import default_body
from tests.end_to_end.annotators import begin, get, post, read_hidden
from tests.end_to_end.browser import DESKTOP
from tests.end_to_end.colours import see
from tests.end_to_end.researcher import Researcher
from tests.end_to_end.site import Site
from tests.factories.studies import stimuli_file, stimuli_row
from tests.machine import ROOT


def test_a_study_is_set_up_and_opened_without_scripts(chromium, shared_site: Site, tmp_path):
    researcher = Researcher(chromium, shared_site, "eva", scripts=False)

    with researcher.step("Stimuli"):
        make_study(researcher, tmp_path, "unscripted")
    with researcher.step("Design"):
        decide_design(researcher)
    open_study(researcher)

    assert researcher.find_faults() == {}


def test_a_study_from_an_uploaded_file_to_a_downloaded_release(
    chromium, shared_site: Site, tmp_path
):
    researcher = Researcher(chromium, shared_site)

    with researcher.step("Stimuli"):
        make_study(researcher, tmp_path, "words")
        revise_stimuli(researcher)
    with researcher.step("Design"):
        decide_design(researcher)
        look_at_texts(researcher)
    with researcher.step("Preview"):
        walk_through(researcher)
    (link,) = shared_site.invite("words")
    assert "ni odprta" in get(link).text
    open_study(researcher)
    assert "Dobrodošli" in get(link).text
    with researcher.step("Recruitment"):
        link = recruit(researcher)
    answer_by_link(shared_site, link)
    shared_site.manage("rehearse_study", "words", "--base-url", shared_site.url)
    with researcher.step("Collection"):
        watch(researcher)
    with researcher.step("Review"):
        review(researcher)
    with researcher.step("Results"):
        compute(researcher)
    with researcher.step("Release"):
        archive = release(researcher, tmp_path)

    with zipfile.ZipFile(archive) as files:
        assert files.testzip() is None
        names = {name.partition("/")[2] for name in files.namelist()}
        assert {"words_sl_REHEARSAL.csv", "README.md", "croissant.json", "report.html"} <= names
        (ratings,) = (
            files.read(n) for n in files.namelist() if n.endswith("ratings_sl_REHEARSAL.tsv")
        )
    rows = ratings.decode().splitlines()[1:]
    assert len(rows) == 30  # 5 pairs, 2 contexts, 3 ratings
    assert sum("rejected" in row for row in rows) == 1
    assert researcher.find_faults() == {}


def make_study(researcher: Researcher, folder: Path, name: str) -> None:
    """Create a study: first from a file with errors, then from one with warnings."""
    faulty, odd = folder / "faulty.tsv", folder / "odd.tsv"
    faulty.write_bytes(stimuli_file(stimuli_row(word1="")))
    text = (ROOT / "demo/data_sl.tsv").read_text(encoding="utf-8")
    short = "Samo <strong>{}</strong> in <strong>{}</strong>."
    header, row, *rows = text.splitlines()
    fields = row.split("\t")
    fields[2] = short.format(fields[4], fields[5])
    odd.write_text("\n".join([header, "\t".join(fields), *rows, ""]), encoding="utf-8")
    researcher.follow("New study")
    researcher.page.get_by_label("Title").press_sequentially(name.title())
    if not researcher.scripts:
        researcher.fill("Short name", name)
    researcher.fill("Language of the texts", "sl")
    for file in (faulty, odd):
        researcher.choose_file("File with the stimuli", file)
        researcher.press("Create study")
        researcher.look(f"{file.stem} file")
    researcher.press("Continue with 6 rows")
    assert researcher.watched.is_at(f"/console/studies/{name}/stimuli/")


def revise_stimuli(researcher: Researcher) -> None:
    page = researcher.page
    researcher.follow("Change or delete row 1")
    researcher.fill("Word 1, dictionary form", "")
    researcher.fill("Reason", "a slip")
    researcher.press("Save")
    researcher.look("row with a fault")
    researcher.fill("Word 1, dictionary form", "beseda")
    researcher.press("Save")
    assert "beseda – " in page.content()
    researcher.follow("Change or delete row 2")
    page.get_by_label("Reason").last.fill("too easy")
    researcher.press("Delete row")
    assert "5 pairs" in page.content()


def decide_design(researcher: Researcher) -> None:
    page = researcher.page
    researcher.follow("Design")
    researcher.fill("Pay per hour", "12")
    researcher.fill("Ratings per context", "3")
    if not researcher.scripts:
        researcher.press("Calculate")
    page.get_by_text("Total cost").wait_for()
    researcher.fill("Tries for the comprehension check", "2")
    researcher.fill("Organisation that runs the study", "University of Examples")
    researcher.fill("Contact for annotators", "lab@example.org")
    researcher.fill("Highest point", "-1")
    researcher.press("Save")
    researcher.look("design with a fault")
    researcher.fill("Highest point", "4")
    researcher.press("Save")
    assert "The design is saved" in page.content()


def look_at_texts(researcher: Researcher) -> None:
    """Preview a text in Markdown and one of rows."""
    for kind in ("Consent", "Check"):
        researcher.steps[-1].clicks += 1
        researcher.watched.follow(researcher.page.locator(".texts").get_by_role("link", name=kind))
        researcher.press("Preview")
        researcher.look(kind)
        researcher.follow("Design")


def walk_through(researcher: Researcher) -> None:
    """Go through the preview to its last page; the pages are those of annotators, with a menu."""
    researcher.press("Save and preview")
    researcher.send()
    researcher.send()
    while researcher.watched.is_at("/practice/"):
        researcher.answer_words()
        researcher.rate(3)
        researcher.send()
    researcher.follow("Text 1, page 1")
    researcher.answer_words()
    researcher.rate(3)
    researcher.look("preview of page 1")
    researcher.answer_words()
    researcher.rate(3)
    assert researcher.page.locator("aside.preview [aria-current]").inner_text() == "Thanks"
    researcher.follow("Leave the preview")


def open_study(researcher: Researcher) -> None:
    """Open the study, from a page with its menu."""
    with researcher.step("Opening"):
        researcher.follow("Design")
        researcher.press("Save and open…")
        researcher.look("opening")
        researcher.page.get_by_label("I have read this consent text").check()
        researcher.press("Open the study")
    assert "0 to 4, in steps of 1" in researcher.page.content()
    researcher.follow("Stimuli")
    assert "Change or drop" not in researcher.page.content()


def recruit(researcher: Researcher) -> str:
    """Create links for a list, revoke one, and open the other entry links; return a valid link."""
    page = researcher.page
    researcher.follow("Recruitment")
    researcher.follow("personal links")
    researcher.look("invite")
    researcher.fill("One label or e-mail address per line", "ana@example.org\nclass 2b")
    researcher.press("Create links for the list")
    page.get_by_text("Links created: 2").first.wait_for()
    link = page.locator("tr", has_text="class 2b").locator("input").input_value()
    researcher.follow("ana@example.org")
    researcher.look("a link")
    researcher.fill("Reason", "asked us to")
    researcher.press("Revoke the link")
    page.get_by_text("The link is revoked").first.wait_for()
    for way, label in (("Open link", "Completion code"), ("Prolific", "Completion code")):
        researcher.follow("Recruitment")
        researcher.follow(way)
        researcher.fill(label, f"DONE{way[:4].upper()}")
        researcher.press("Open")
    return link


def answer_by_link(site: Site, link: str) -> None:
    """Complete a questionnaire, with one word copied from the text."""
    survey = begin(site, link)
    check = read_check(default_body("sl", TextKind.CHECK))
    answers = {f"question{n}": str(text.right) for n, text in enumerate(check)}
    post(f"{survey}check/", {**read_hidden(f"{survey}check/"), **answers})
    for number in range(1, 6):
        page = get(f"{survey}{number}/words/").text
        (text,) = re.findall(r"<blockquote[^>]*>(.*?)</blockquote>", page, re.DOTALL)
        copied = max(re.findall(r"\w+", re.sub(r"<[^>]*>", " ", text)), key=len)
        word = copied if number == 1 else f"beseda{number}"
        post(f"{survey}{number}/words/", {"inspired_word1": word, "inspired_word2": "luna"})
        post(f"{survey}{number}/rating/", {"rating": str(number % 5)})
    assert get(survey).headers["location"].endswith("/thanks/")


def watch(researcher: Researcher) -> None:
    """Visit the pages of the collection: blocks, annotator, context, block and its repetition."""
    page = researcher.page
    researcher.page.reload()
    researcher.follow("Collection")
    page.locator(".blocks .interval").first.wait_for()  # the script submits the form
    researcher.follow("All annotators")
    researcher.watched.follow(page.locator("tbody a").first)
    researcher.follow("Collection")
    researcher.follow("Block 1")
    researcher.watched.follow(page.locator("tbody a[href*=contexts]").first)
    researcher.page.go_back()
    researcher.follow("Repeat this block")
    researcher.look("repeat a block")


def review(researcher: Researcher) -> None:
    """Reject the riskiest answer and accept all others."""
    page = researcher.page
    researcher.follow("Review")
    researcher.press("Look for new answers")
    page.get_by_role("button", name="Start reviewing").wait_for()  # until answers are filed
    researcher.press("Start reviewing")
    researcher.look("review")
    reason = page.locator("article:not([hidden]) [name=reason]").first
    reason.fill("copied from the text")
    researcher.steps[-1].fields += 1
    page.locator("article:not([hidden])").get_by_role("button", name="Reject").click()
    researcher.steps[-1].clicks += 1
    while True:
        page.locator("article:not([hidden]) .verdict:focus, main .lead").first.wait_for()
        if page.locator("main .lead").count():
            break
        page.keyboard.press("g")
        researcher.steps[-1].clicks += 1
    page.get_by_text("You have judged everything").wait_for()
    researcher.look("review done")


def compute(researcher: Researcher) -> None:
    page = researcher.page
    for recipe in ("raw", "cosimlex"):
        researcher.follow("Results")
        researcher.follow(recipe)
        page.get_by_text("Files and report").click()
        for field in ("Bootstrap samples for intervals", "Random splits for reliability"):
            researcher.fill(field, "20")
        page.get_by_label("Write the report as a PDF").uncheck()
        researcher.press("Show the effect")
        if recipe == "cosimlex":  # which leaves out more
            researcher.look("effect of a recipe")
        researcher.press("Run")
        page.get_by_text("State: done").wait_for(timeout=120_000)
    researcher.follow("Results")
    see_report(researcher)
    page.get_by_label("First run").select_option(index=1)
    page.get_by_label("Second run").select_option(index=2)
    researcher.steps[-1].fields += 2
    researcher.press("Compare")
    researcher.look("comparison")
    researcher.follow("Results")
    researcher.follow("Run 2")
    researcher.follow("Search the ledger")
    researcher.page.go_back()


def see_report(researcher: Researcher) -> None:
    """Check the figures in the report of the last run."""
    researcher.follow("Run 2")
    researcher.follow("Open the report")
    researcher.watched.appear(DESKTOP, "light")  # the last check used the dark scheme
    figures = [see(figure) for figure in researcher.page.locator("figure svg").all()]
    assert len(figures) == 10
    assert min(figure.bright for figure in figures) > 0.5
    assert min(figure.colourful for figure in figures) > 0.0001  # a few dots in a small study
    researcher.page.go_back()
    researcher.follow("Results")


def release(researcher: Researcher, folder: Path) -> Path:
    """Create a release with the recipe of the displayed run, and download it."""
    researcher.follow("Release with this recipe")
    researcher.press("Create release")
    download = researcher.page.get_by_role("link", name="Download")
    download.first.wait_for(timeout=120_000)
    return researcher.save("Download", folder)
