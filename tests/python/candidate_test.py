# SPDX-License-Identifier: Apache-2.0
"""`gradproof check --python` (cli/python/gradproof/candidate): right candidates pass, each planted cheat is convicted."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

from trial_support import HERE, PROGRAM, check, counts
from cheats import CHEATS, HEAD  # behind trial_support, which knows the folder

# The file's own inputs, once with its own state, hard_inputs.usual() of them, and cotangents that lie otherwise, of which there are three.
SETS = 10
# Where no hard input is asked about: each set costs its share of the processes that draw, run and judge it.
GIVEN = ("--inputs", "given")
RIGHT = "class ModelNew(Right):\n    pass\n"
COMPILED = """
class ModelNew(Right):
    def forward(self, x):
        return compiled(self, x)
@torch.compile
def compiled(model, x):
    return Model.forward(model, x)
"""


def candidate(text, reference="reference"):
    return HEAD.format(reference=reference) + text


@pytest.mark.parametrize("reference, witness", [("reference", "recognised: --pipeline 'v1 = linear"),
                                                ("no_line", "weaker witness: .* atan has no stage")])
@pytest.mark.parametrize("text", [RIGHT, COMPILED])
def test_a_right_candidate_passes(tmp_path, text, reference, witness):
    more = GIVEN if (text, reference) == (COMPILED, "no_line") else ()
    said, code = check(tmp_path, candidate(text, reference), *more, reference=reference)
    assert re.search(witness, said), said
    assert counts(said)["failed"] == 0 and counts(said)["passed"] > 4 * SETS * (reference == "reference"), said
    assert code == (0 if reference == "reference" else 4), said  # the gradient of a bias before a BatchNorm is 0
    assert not list(tmp_path.glob("gradproof-*")), "files stay only where a replay line names them"


# The bound of the weaker witness is tried on three cheats: a result, an accuracy and a gradient that are wrong. Findings that are not
# about numbers do not depend on the witness.
BY_THE_WITNESS = ["constant", "product_in_bfloat16", "gradient_in_part"]
# These are judged on all sets: those that are wrong on hard numbers alone, and one of each way of being convicted. The others are
# convicted by the file's own numbers, and a set more would ask the same again.
ON_ALL_SETS = ["raises_on_large_numbers", "exits", "exits_at_once", "segfaults",
               "result_by_address", "input_modified", "inputs_on_disk_replaced", "gradient_in_part", "gradient_cut", "static_workspace",
               "another_result_in_a_second_call"]


@pytest.mark.parametrize("name, reference", [(name, "reference") for name in CHEATS] +
                         [(name, "no_line") for name in BY_THE_WITNESS])
def test_a_cheat_is_convicted(tmp_path, name, reference):
    text, says = CHEATS[name]
    # In the sandbox it cannot even try (sandbox_test.py).
    more = ["--sandbox", "none"] if name == "inputs_on_disk_replaced" else []
    if name not in ON_ALL_SETS:
        more = [*more, *GIVEN]
    said, code = check(tmp_path, candidate(text, reference), *more, reference=reference)
    assert code == 1, said
    assert re.search(says, said), said
    if name in COSTING_THEIR_SETS:
        the_other_sets_are_judged(said)


COSTING_THEIR_SETS = ["raises_on_large_numbers", "exits_at_once", "segfaults"]


def the_other_sets_are_judged(said):
    assert counts(said)["failed"] == 4, said  # mixed, mixed:columns, common:-1e4 and columns:1e3
    assert counts(said)["passed"] + counts(said)["mistrusted"] == 6 * (SETS - 4), said


def test_a_candidate_that_hangs_costs_its_set(tmp_path):
    text = candidate("class ModelNew(Right):\n    def forward(self, x):\n        time.sleep(1000 * bool(x.abs().max() < 0.1))\n"
                     "        return self.right(x)\n")
    said, code = check(tmp_path, text, deadline="15")
    assert code == 1 and counts(said)["failed"] == 1 and "silent for 15 s" in said, said  # ends alone


def test_a_candidate_that_always_hangs_is_asked_twice(tmp_path):
    text = candidate("class ModelNew(Right):\n    def forward(self, x):\n        time.sleep(1000)\n")
    said, code = check(tmp_path, text, deadline="15")
    assert code == 1 and counts(said)["failed"] == 2 and counts(said)["skipped"] == SETS - 2, said


def test_a_candidate_may_print_and_fork(tmp_path):
    text = candidate("class ModelNew(Right):\n    def forward(self, x):\n        print('x' * 300000)\n"
                     "        os.fork()\n        return self.right(x)\n")
    said, code = check(tmp_path, text, *GIVEN)
    assert code == 0 and "xxx" not in said, said


def test_nothing_of_a_candidate_outlives_it(tmp_path):
    text = candidate("class ModelNew(Right):\n    def forward(self, x):\n        if os.fork() == 0:\n            os.setsid()\n"
                     f"            open({str(tmp_path)!r} + f'/{{os.getpid()}}.pid', 'w').close()\n            time.sleep(1000)\n"
                     "        return self.right(x)\n")
    check(tmp_path, text, "--sandbox", "none", *GIVEN)  # within, all processes end with the first one's namespace
    left = [int(path.stem) for path in tmp_path.glob("*.pid")]
    assert left and not any(pathlib.Path(f"/proc/{pid}").exists() for pid in left), left


def test_a_file_beside_the_candidate_is_no_module_of_pythons_own(tmp_path):
    (tmp_path / "hashlib.py").write_text("raise SystemExit(7)\n")
    path = tmp_path / "candidate.py"
    path.write_text(candidate(RIGHT))
    done = subprocess.run(
        [PROGRAM, "check", "--python", path, "--reference", HERE / "reference.py", "--python-program", sys.executable, "--deadline", "100",
         *GIVEN],
        capture_output=True, text=True, check=False, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(HERE)})
    assert "no answer about" not in done.stderr and "RESULT" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("text, says", [
    ("class Other: pass", "has no ModelNew"),
    ("import no_such_module", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
    ("import sys; sys.exit(3)", "cannot be imported: SystemExit: 3"),
    ("import os; os._exit(3)", "the candidate ended as it was imported: exit code 3"),
    ("def f(:", "cannot be imported: SyntaxError"),
    (HEAD.format(reference="reference") + "class ModelNew(Right):\n    def __init__(self, *a):\n        super().__init__(*a)\n"
     "        self.more = nn.Parameter(torch.ones(3))\n", r"ModelNew has another state .* more\[3\]"),
    (HEAD.format(reference="reference") + "class ModelNew(Right):\n    def __init__(self):\n        super().__init__(16, 24)\n",
     r"ModelNew\(...\) of .* raised TypeError"),
])
def test_what_cannot_be_asked_is_one_line(tmp_path, text, says):
    said, code = check(tmp_path, text)
    assert code == 2 and re.search(says, said) and len(said.splitlines()) == 1, said


@pytest.mark.parametrize("arguments, says", [
    ("--python none.py", "--python: there is no file 'none.py'"),
    ("--python {0} --reference none.py", "--reference: there is no file 'none.py'"),
    ("--python {0} --function f", "--function needs --pipeline, or --reference"),
    ("--python {0} --python-program none", "--python-program: cannot start 'none'"),
    ("--python {0} --function get_inputs --pipeline y=tanhh(x)", "unknown stage 'tanhh'"),
    ("--python {0} swish_bias", "CASE excludes --python"),
    ("swish_bias --reference {0}", "--reference requires --python"),
])
def test_arguments_that_cannot_be_are_one_line(arguments, says):
    words = arguments.format(HERE / "reference.py").split()
    if "--python" in words and "--python-program" not in words:
        words += ["--python-program", sys.executable]
    done = subprocess.run([PROGRAM, "check", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and says in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.parametrize("words", [("check", "--python", HERE / "reference.py"), ("describe", HERE / "reference.py")])
def test_a_python_without_torch_is_no_fault_of_the_candidate(tmp_path, words):
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    program.chmod(0o755)
    done = subprocess.run([PROGRAM, *words, "--python-program", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr == f"gradproof: '{program}' has no torch; --python-program names a Python that has\n", done.stderr


FUNCTION = """
import torch
def fused(x, weight):
    return torch.tanh({}) * weight
def get_inputs():
    return [torch.rand(8, 32), torch.rand(32)]
"""


@pytest.mark.parametrize("more", [["--pipeline", "y = multiply(tanh(x), weight[cols])"], []])
def test_a_function_by_name(tmp_path, more):
    (tmp_path / "other.py").write_text(FUNCTION.format("x"))
    of = {"reference": tmp_path / "other"}
    said, code = check(tmp_path, FUNCTION.format("x"), "--function", "fused", *more, **of)
    assert code == 0 and ("recognised: " in said) == ("--pipeline" not in more), said
    said, code = check(tmp_path, FUNCTION.format("x * 1.0001"), "--function", "fused", *more, *GIVEN, **of)
    assert code == 1 and re.search(r"FAILED +d_x ", said), said


def test_a_line_of_the_users_own_and_one_that_does_not_fit(tmp_path):
    line = ("y = tanh(layer_norm(linear(x[rows,cols], linear.weight[out,cols], linear.bias), norm.weight, norm.bias))")
    said, code = check(tmp_path, candidate(RIGHT), "--pipeline", line, *GIVEN)
    assert code == 0, said
    said, code = check(tmp_path, candidate(RIGHT), "--pipeline", "y = tanh(z)")
    assert code == 2 and "the line has the tensor 'z'; of inputs and state there are: x linear.weight" in said, said


def test_forward_alone(tmp_path):
    said, code = check(tmp_path, candidate(CHEATS["gradient_cut"][0]), "--no-backward")
    # Cotangents alone are otherwise in three.
    assert code == 0 and counts(said)["passed"] + counts(said)["mistrusted"] == SETS - 3, said


def test_a_file_of_both_whose_import_replaces_a_function_of_torch(tmp_path):
    text = (HERE / "reference.py").read_text() + "class ModelNew(Model):\n    pass\ntorch.tanh = lambda x: x\n"
    said, code = check(tmp_path, text, reference=None)
    assert code == 1 and "importing the file replaced torch.tanh" in said, said


# BatchNorm over images. The mean is taken off behind the squares or before them.
VARIANCES = {"one_pass": "(x * x).mean((0, 2, 3), keepdim=True) - mean * mean",
             "two_pass": "((x - mean) ** 2).mean((0, 2, 3), keepdim=True)"}
NORM = """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(6, track_running_stats=False)
    def forward(self, x):
        return self.norm(x)
class ModelNew(Model):
    def forward(self, x):
        mean = x.mean((0, 2, 3), keepdim=True)
        scale = self.norm.weight.view(1, 6, 1, 1) * torch.rsqrt({variance} + self.norm.eps)
        return (x - mean) * scale + self.norm.bias.view(1, 6, 1, 1)
def get_inputs():
    return [torch.rand(8, 6, 5, 4)]
def get_init_inputs():
    return []
"""


@pytest.mark.parametrize("variance", VARIANCES)
def test_an_offset_is_one_within_what_a_norm_standardises(tmp_path, variance):
    said, code = check(tmp_path, NORM.format(variance=VARIANCES[variance]), "--no-backward", "--contract",
                       "stored=all functions=libtorch variance=two_pass", reference=None)
    assert code == (1 if variance == "one_pass" else 0), said
    if variance == "one_pass":
        assert re.search(r"columns_1e3|common_1e4", said), said
