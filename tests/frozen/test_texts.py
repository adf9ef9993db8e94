import pytest

from tests.frozen import texts
from tests.frozen.texts import check_frozen


@pytest.fixture(autouse=True)
def frozen(monkeypatch, tmp_path):
    monkeypatch.setattr(texts, "FOLDER", tmp_path)
    monkeypatch.setenv("FREEZE", "1")
    check_frozen("pages", {"first": "one\ntwo\n", "second": "three", "image": b"\x89PNG"})
    monkeypatch.delenv("FREEZE")


def test_check_frozen_accepts_equal_outputs_in_any_order():
    check_frozen("pages", {"image": b"\x89PNG", "second": "three", "first": "one\ntwo\n"})


def test_check_frozen_prints_the_difference_and_the_command(request):
    with pytest.raises(pytest.fail.Exception) as failure:
        check_frozen("pages", {"first": "one\nTWO\n", "third": "three", "image": b"\x89PNG"})

    lines = str(failure.value).splitlines()
    assert lines[:6] == [
        "Not as frozen in pages.txt:", "--- frozen first", "+++ now first", "@@ -1,3 +1,3 @@",
        " one", "-two",
    ]  # fmt: skip
    assert lines[8:] == [
        "--- frozen second", "+++ now second", "@@ -1 +0,0 @@", "-three",
        "--- frozen third", "+++ now third", "@@ -0,0 +1 @@", "+three", "",
        f"If this is meant: FREEZE=1 .venv/bin/python -m pytest {request.node.nodeid}",
    ]  # fmt: skip


def test_check_frozen_prints_the_beginning_of_a_long_difference(monkeypatch):
    monkeypatch.setattr(texts, "MOST_LINES", 3)

    with pytest.raises(pytest.fail.Exception, match="… and 11 more lines"):
        check_frozen("pages", {})
