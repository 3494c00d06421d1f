# SPDX-License-Identifier: Apache-2.0
"""Functions of torch as lines (cli/python/gradproof/candidate/traced/recognise.py): what each becomes, and what has no stage."""
import os
import pathlib
import sys

import pytest
import torch

sys.path.insert(0, str(pathlib.Path(os.environ["GRADPROOF_SOURCE_DIR"]) / "cli/python"))
from gradproof.candidate import loading  # noqa: E402
from gradproof.candidate.traced import recognise  # noqa: E402
from trial_support import check, counts  # noqa: E402

X = torch.rand(4, 8) + 1
ARGUMENTS = [{"name": "x", "tensor": True}]

LINES = {
    "y = log(x[rows,cols]); outputs y": [torch.log, lambda x: x.log(), lambda x: x.log_()],
    "y = log1p(x[rows,cols]); outputs y": [torch.log1p, lambda x: x.log1p()],
    "y = sqrt(x[rows,cols]); outputs y": [torch.sqrt, lambda x: x.sqrt()],
    "y = erf(x[rows,cols]); outputs y": [torch.erf, lambda x: x.erf()],
    "y = var(x[rows,cols], cols, correction=1); outputs y": [lambda x: x.var(-1), lambda x: torch.var(x, 1, keepdim=True),
                                                             lambda x: torch.var(x, dim=(1,), correction=1), lambda x: x.var(1, True)],
    "y = var(x[rows,cols], cols, correction=0); outputs y": [lambda x: x.var(-1, False), lambda x: x.var(1, unbiased=False),
                                                             lambda x: torch.var(x, [1], correction=0, keepdim=True)],
    "y = var(x[rows,cols], rows, cols, correction=1); outputs y": [torch.var, lambda x: x.var()],
    "y = var(x[rows,cols], rows, cols, correction=0); outputs y": [lambda x: x.var(False), lambda x: torch.var(x, unbiased=False)],
    "v1 = var(x[rows,cols], cols, correction=0); y = divide(x, v1); outputs y": [lambda x: x / x.var(1, False, True),
                                                                                 lambda x: x / x.var(1, False).unsqueeze(1)],
}


def said(function):
    class Model(torch.nn.Module):
        def forward(self, x):
            return function(x)
    return recognise.line_of(Model(), {"x": X.clone()}, ARGUMENTS, ["y"])


@pytest.mark.parametrize("line, function", [(line, function) for line, functions in LINES.items() for function in functions])
def test_a_function_is_a_line(line, function):
    assert said(function).get("line") == line, said(function)


@pytest.mark.parametrize("function, why", [
    (torch.atan, "atan has no stage"), (lambda x: x.sinh(), "sinh has no stage"),
    (lambda x: torch.var(x, 1, correction=x.sum()), "where a number is wanted"),
])
def test_a_function_that_has_none(function, why):
    assert why in said(function).get("why", ""), said(function)


class Normed(torch.nn.Module):
    def __init__(self, frozen):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(8)
        self.norm.train(not frozen)

    def forward(self, x):
        return self.norm(x)


@pytest.mark.parametrize("frozen, stage", [(True, "batch_norm_eval("), (False, "batch_norm(")])
def test_a_part_in_eval_is_what_the_file_made_it(frozen, stage):
    model = Normed(frozen)
    with loading.in_eval(model):
        assert not model.training and not model.norm.training
    assert model.training and model.norm.training != frozen
    assert f"= {stage}" in recognise.line_of(model, {"x": X.clone()}, ARGUMENTS, ["y"]).get("line", "")


REFERENCE = """import torch
class Model(torch.nn.Module):
    def forward(self, x):
        v = torch.log1p(torch.sqrt(torch.square(x) + 1)) + torch.erf(x)
        return torch.log(v.var(-1, keepdim=True) + 1) + v
def get_inputs():
    return [torch.randn(12, 16)]
def get_init_inputs():
    return []
"""


@pytest.mark.parametrize("correction, wanted", [(1, 0), (0, 1)])
def test_a_candidate_is_judged_by_the_line(tmp_path, correction, wanted):
    both = REFERENCE + REFERENCE.split("def get_inputs")[0].replace("Model(", "ModelNew(").replace("var(-1,", f"var(-1, correction={correction},")
    text, code = check(tmp_path, both, reference=None)
    assert "recognised: --pipeline 'v1 = square(x[rows,cols])" in text and "var(v6, cols, correction=1)" in text, text
    assert code == wanted and (counts(text)["failed"] == 0) == (wanted == 0), text
