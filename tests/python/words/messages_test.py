# SPDX-License-Identifier: Apache-2.0
"""What a failing check looks like in pytest (cli/python/gradproof/messages.py)."""
import os
import re
import subprocess
import sys
import warnings

import pytest
import torch

from function_support import PACKAGE, program  # noqa: F401
import gradproof

TESTS = '''
import gradproof, torch
import torch.nn.functional as F
LINE = "h = add(x, residual); z = layer_norm(h, weight, beta); y = silu(z)"
def function(x, residual, weight, beta):
    return F.silu(F.layer_norm(x + residual, (x.shape[-1],), weight, beta, eps=EPS))
def test_it():
    gradproof.check(function, LINE, rows=16, cols=32)
'''


def shown(folder, eps):
    """Lines that pytest prints of a LayerNorm with that eps."""
    (folder / "some_test.py").write_text(TESTS.replace("EPS", eps))
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", folder / "some_test.py"], capture_output=True, text=True, cwd=folder,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), "COLUMNS": "100"}, check=False)
    return done.stdout.splitlines()


def test_the_first_line_says_what_is_wrong_and_the_lines_are_few_and_short(tmp_path):
    lines = shown(tmp_path, "1e-3")
    said = [line for line in lines if line.startswith("E ")]
    assert re.match(r"E +gradproof.errors.Convicted: y: \d+ of 512 elements over the bound", said[0]), lines
    assert "d_x, d_residual" in " ".join(said[:3])
    assert len(said) <= 15, said
    # A path is a word, and none is broken.
    assert all(len(line) <= 100 for line in said if "--cases" not in line and "check" not in line), said
    assert not [line for line in lines if "gradproof/judgement.py" in line or "gradproof/functions.py" in line], lines
    assert any(line.startswith(">") and "gradproof.check(function, LINE" in line for line in lines), lines


def test_the_control_prints_nothing_of_the_kind(tmp_path):
    lines = shown(tmp_path, "1e-5")
    assert not [line for line in lines if line.startswith("E ")] and "1 passed" in lines[-1], lines


def test_a_judgement_prints_as_a_table():
    found = gradproof.check(torch.tanh, "y = tanh(x)", rows=4, cols=8, fill="normal")
    head, *rows = str(found).splitlines()
    assert head.split() == ["verdict", "tensor", "of", "bound", "p99", "resolves", "median", "inputs"]
    assert [row.split()[:2] for row in rows] == [["Passed", "y"], ["Passed", "d_x"]]
    assert repr(found) == "<Judgement: y, d_x Passed>"
    with pytest.raises(gradproof.Convicted) as convicted:  # the control
        gradproof.check(lambda x: torch.tanh(x) * 1.01, "y = tanh(x)", rows=4, cols=8, fill="normal")
    assert "Failed   y" in str(convicted.value.judgement)


def test_a_reason_is_warned_of_once():
    x = torch.zeros(4, 8)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", gradproof.MistrustedWarning)
        gradproof.check(lambda x: x - x, "y = subtract(x, x)", x=x, inputs="given")
        found = [str(one.message) for one in caught if one.category is gradproof.MistrustedWarning]
    assert len(found) == 1 and found[0].startswith("y, d_x passed, and that proves little: "), found
