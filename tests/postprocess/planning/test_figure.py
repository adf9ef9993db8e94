import hashlib
import io
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from postprocess.planning.figure import draw_plan
from postprocess.planning.plan import plan_study
from postprocess.planning.question import Costs, Question
from postprocess.planning.rating_models import RatingModels


@pytest.fixture(scope="module")
def figures():
    return draw_plan(a_plan())


def a_plan():
    models = RatingModels(np.array([[0.1, 0.1, 0.2, 0.2, 0.2, 0.1, 0.1]]), width=10 / 6)
    question = Question(changes=(2.0, 3.0), most=20, simulations=200)
    return plan_study(models, question, Costs(pairs=10), rng=np.random.default_rng(1))


def test_draw_plan_gives_the_same_bytes_again(figures):
    assert draw_plan(a_plan()) == figures


def test_draw_plan_gives_the_same_bytes_in_another_process(figures):
    code = (
        "import hashlib; from tests.postprocess.planning.test_figure import a_plan, draw_plan; "
        "print({k: hashlib.sha256(v).hexdigest() for k, v in draw_plan(a_plan()).items()})"
    )
    root = Path(__file__).parents[3]

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": "1", "PATH": "", "MPLBACKEND": "svg", "HOME": "/nonexistent"},
    )

    here = {kind: hashlib.sha256(content).hexdigest() for kind, content in figures.items()}
    assert done.stdout == f"{here}\n"


def test_draw_plan_contains_neither_date_nor_program(figures):
    assert b"<dc:date>" not in figures["svg"]
    assert b"Matplotlib v" not in figures["svg"]
    assert b"Software" not in figures["png"]


def test_draw_plan_uses_no_colour(figures):
    picture = matplotlib.image.imread(io.BytesIO(figures["png"]))

    assert (picture[..., 0] == picture[..., 1]).all()
    assert (picture[..., 1] == picture[..., 2]).all()
    assert picture[..., 0].min() < 0.1
