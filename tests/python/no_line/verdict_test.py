# SPDX-License-Identifier: Apache-2.0
"""gradproof.verdict (docs/verdict-json.md) and the evaluators of examples/evaluators."""
import json
import os
import shlex
import subprocess
import sys

import pytest
import torch

from function_support import PACKAGE, normal, program  # noqa: F401 (the fixture)

import gradproof  # isort: skip

LINE = "y = rms_norm(x, weight, eps=1e-6)"
TENSORS = {"x": normal(12, 32), "weight": normal(32, seed=4)}
EXAMPLES = PACKAGE.parents[1] / "examples"


def norm(x, weight, eps=1e-6):
    return torch.nn.functional.rms_norm(x, (32,), weight, eps)


def test_a_right_function_passes_on_trusted_sets():
    found = json.loads(json.dumps(gradproof.verdict(norm, LINE, **TENSORS)))
    assert (found["schema"], found["outcome"], found["reasons"]) == (1, "passed", [])
    assert list(found["tensors"]) == ["y", "d_x", "d_weight"] and found["sets"][0] == "given" and "mixed:rows" in found["sets"]
    for tensor in found["tensors"].values():
        assert tensor["trusted_sets"] >= 2 and 0 < tensor["resolves"] < 1e-4 and 0 < tensor["error_over_bound"] < 1


def test_a_wrong_one_has_commands_that_judge_the_same_again():
    found = gradproof.verdict(lambda x, weight: norm(x, weight, 1e-3), LINE, **TENSORS, inputs="given")
    tensor = found["tensors"]["y"]
    assert found["outcome"] == tensor["outcome"] == "failed" and any(reason.startswith("y: ") for reason in found["reasons"])
    assert tensor["diagnosis"].startswith("eps of rms_norm is 0.001, not 1e-06")
    assert tensor["wrong"] > 0 and tensor["elements"] == 12 * 32 and tensor["trusted_sets"] == 0 and json.dumps(found)
    for verb, code in (("replay", 1), ("explain", 0)):
        done = subprocess.run(shlex.split(tensor[verb]), capture_output=True, text=True, check=False)
        assert done.returncode == code and " y" in done.stdout, done


@pytest.mark.parametrize("ask, outcome, reason", [
    (lambda: gradproof.verdict(norm, "y = rmsnorm(x)", x=TENSORS["x"]), "refused", "did you mean 'rms_norm'"),
    (lambda: gradproof.verdict(norm, LINE, x=TENSORS["x"]), "refused", "missing: weight"),
    (lambda: gradproof.verdict(lambda x, weight: norm(x, weight).detach(), LINE, **TENSORS), "failed", "no gradient goes through"),
    (lambda: gradproof.verdict(lambda x, weight: norm(x, weight).T, LINE, **TENSORS), "failed", "has the shape"),
])
def test_what_was_not_judged_has_its_reason(ask, outcome, reason):
    found = ask()
    assert found["outcome"] == outcome and reason in found["reasons"][0] and found["tensors"] == {}


def test_what_the_function_raises_goes_through():
    with pytest.raises(ZeroDivisionError):
        gradproof.verdict(lambda x, weight: 1 / 0, LINE, **TENSORS)


@pytest.mark.parametrize("candidate, code, correctness", [("right.py", 0, True), ("wrong.py", 1, False)])
def test_the_evaluator_of_pairs_of_files(candidate, code, correctness, program):  # noqa: F811
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = subprocess.run([sys.executable, EXAMPLES / "evaluators/kernelbench.py", "layer_norm.py", candidate, "--inputs", "given"],
                          cwd=EXAMPLES / "python_candidate", env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["correctness"] is correctness and found["compiled"] and bool(found["metadata"]["wrong"]) is not correctness


def test_the_evaluator_of_operators():
    done = subprocess.run([sys.executable, EXAMPLES / "evaluators/backendbench.py"], env={**os.environ, "PYTHONPATH": str(PACKAGE)},
                          capture_output=True, text=True, check=False)
    right, wrong = done.stdout.splitlines()
    assert right.startswith("True passed") and wrong.startswith("False failed"), done
