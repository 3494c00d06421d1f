# SPDX-License-Identifier: Apache-2.0
"""pytest -p gradproof.tolerances: what a suite's comparisons would pass besides, and that the suite does not notice."""
import json
import math
import os
import pathlib
import subprocess
import sys

import numpy
import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "cli/python"
sys.path.insert(0, str(PACKAGE))

from gradproof import compared, weighing  # noqa: E402

SUITE = '''
import numpy, pytest, torch
from numpy.testing import assert_allclose
from torch.testing import assert_close

small = torch.linspace(1, 2, 24).reshape(4, 6) * 1e-3

@pytest.mark.parametrize("scale", [1, -1])
def test_zeros_would_pass(scale):
    assert_close(scale * small, scale * small + 1e-6, rtol=1e-2, atol=1e-2)

def test_the_defaults_are_torchs():
    assert_close(1000 * small, 1000 * small + 1e-6)

def test_a_row_may_be_left_out():
    x = torch.ones(3, 4)
    x[1] = 1e-6
    assert torch.allclose(x, x, atol=1e-5)

def test_one_number_for_all():
    assert_allclose(numpy.array([1.0, 1.01]), numpy.array([1.0, 1.01]), rtol=1e-2)

def test_flaky():
    assert torch.ones(3).allclose(torch.ones(3), rtol=1e-8, atol=0)

def test_exact():
    assert_allclose(numpy.ones(3), numpy.ones(3), rtol=0)

def test_nested():
    assert_close({"a": [torch.ones(2)], "b": torch.tensor([3])}, {"a": [torch.ones(2)], "b": torch.tensor([3])})

def test_what_is_no_number():
    assert_close(torch.ones(2, dtype=torch.complex64), torch.ones(2, dtype=torch.complex64))
    assert torch.allclose(torch.tensor([float("nan")]), torch.tensor([float("nan")]), equal_nan=True)

def test_gradcheck():
    assert torch.autograd.gradcheck(torch.sin, torch.ones(2, dtype=torch.float64, requires_grad=True))

def test_one_that_fails():
    assert_close(torch.ones(2), torch.zeros(2))

def test_one_that_says_no():
    assert not numpy.allclose(a=numpy.ones(2), b=numpy.zeros(2))
'''


def run(folder, *more):
    (folder / "suite_test.py").write_text(SUITE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), str(folder)])}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", *more, "suite_test.py"], capture_output=True, text=True, env=environment,
                          cwd=folder, check=False)
    return done.stdout + done.stderr, done.returncode


def test_a_suite_says_the_same_and_then_what_it_would_pass(tmp_path):
    said, code = run(tmp_path)
    weighed, same_code = run(tmp_path, "-p", "gradproof.tolerances", "--tolerances-json", "table.json")
    assert code == same_code == 1 and "1 failed, 11 passed" in said and "1 failed, 11 passed" in weighed, weighed
    assert "11 comparisons passed, at 10 places. At 3 a wrong result would pass too," in weighed, weighed
    assert all(len(line) <= 80 for line in weighed.partition("= tolerances =")[2].partition("short test summary")[0].splitlines()[1:-1]), weighed
    rows = {row["tests"][0].partition("::")[2]: row for row in map(json.loads, (tmp_path / "table.json").read_text().splitlines())}
    zeros = rows["test_zeros_would_pass[1]"]
    assert zeros["calls"] == 2 and zeros["place"].startswith("suite_test.py:") and len(zeros["tests"]) == 2
    assert zeros["passes"] == {"zeros": 2, "sign": 2, "constant": 2, "row": 2, "half": 2}
    defaults = rows["test_the_defaults_are_torchs"]
    assert not any(defaults["passes"].values())
    assert defaults["factor"] == pytest.approx(1 + 1.3e-6 + 1e-5 / 2)
    assert rows["test_a_row_may_be_left_out"]["passes"]["row"] == 1 and rows["test_a_row_may_be_left_out"]["passes"]["zeros"] == 0
    assert rows["test_one_number_for_all"]["passes"]["constant"] == 1
    assert rows["test_flaky"]["flaky"] == 1 and rows["test_exact"]["flaky"] == 0
    assert rows["test_gradcheck"]["place"].startswith("suite_test.py:")
    assert rows["test_nested"]["not_weighed"] == {"int64 is no floating type": 1}
    assert "test_one_that_fails" not in rows and "test_one_that_says_no" not in rows


@pytest.mark.parametrize("want, rtol, atol, impostors", [
    ([[1.0, -2.0], [3.0, 4.0]], 1e-5, 0.0, ()),
    ([[1.0, -2.0], [3.0, 4.0]], 1.0, 0.0, ("zeros", "constant", "row", "half")),
    ([[1.0, 2.0], [3.0, 4.0]], 2.0, 0.0, ("zeros", "sign", "constant", "row", "half")),
    ([[1.0, 2.0], [3.0, 4.0]], 0.0, 1.5, ("constant", "half")),
    ([[1.1, 2.2], [1e-6, 2e-6]], 0.0, 1e-5, ("row",)),
    ([[1.1, 2.2], [3.3, 4.4]], 1e-3, 0.0, ("half",)),
    ([[0.0, 0.0], [0.0, 0.0]], 0.0, 1.0, ()),
    ([[math.inf, 1.0], [math.nan, 2.0]], 1e-6, 0.0, ()),
])
def test_what_would_pass(want, rtol, atol, impostors):
    # Numbers that float16 has are not rounded by it.
    found = weighing.weigh(numpy.array(want), rtol, atol, "float32").impostors
    assert [name for name in found if name != "half"] == [name for name in impostors if name != "half"]
    if not (numpy.array(want) == numpy.array(want).astype(numpy.float16)).all():
        assert ("half" in found) == ("half" in impostors)


def test_the_least_factor_and_the_last_place():
    weight = weighing.weigh(numpy.array([0.0, 1.0, 8.0]), 1e-3, 1e-3, "float32")
    assert weight.factor == pytest.approx(1 + 1e-3 + 1e-3 / 8)
    assert weight.ulps == pytest.approx((1e-3 + 8e-3) / (8 * 2.0 ** -23))
    assert not weight.is_flaky()
    assert weighing.weigh(numpy.array([1.0, 0.0]), 2.0 ** -25, 0.0, "float32").is_flaky()
    assert weighing.weigh(numpy.array([1.0]), 2.0 ** -9, 0.0, "bfloat16").ulps == pytest.approx(0.25)
    assert math.isnan(weighing.weigh(numpy.array([0.0]), 0.0, 1.0, "float64").factor)


@pytest.mark.parametrize("want, name, says", [
    (numpy.ones(2), "int64", "int64 is no floating type"),
    (numpy.array([math.nan]), "float32", "no finite number"),
    (numpy.broadcast_to(1.0, weighing.MOST_ELEMENTS + 1), "float32", "too large"),
])
def test_what_is_not_weighed(want, name, says):
    with pytest.raises(weighing.NotWeighed, match=says):
        weighing.weigh(want, 1e-3, 0.0, name)


def test_places_of_several_processes_are_one():
    ledger = compared.Ledger()
    one = compared.Place("a.py:1", calls=2, tests=["t"], factor=1.5, ulps=3.0, not_weighed={"complex": 1})
    other = compared.Place("a.py:1", calls=1, tests=["t", "u"], factor=1.25, ulps=2.0, flaky=1)
    other.passes["zeros"] = 1
    ledger.merge([vars(one), vars(other)])
    found = ledger.places["a.py:1"]
    assert (found.calls, found.tests, found.factor, found.ulps, found.flaky) == (3, ["t", "u"], 1.5, 2.0, 1)
    assert found.passes["zeros"] == 1 and found.not_weighed == {"complex": 1}
