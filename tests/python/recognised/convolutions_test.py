# SPDX-License-Identifier: Apache-2.0
"""Convolutions, and functions that several stages say, as lines (cli/python/gradproof/candidate/traced)."""
import os
import pathlib
import sys

import pytest
import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, str(pathlib.Path(os.environ["GRADPROOF_SOURCE_DIR"]) / "cli/python"))
from gradproof.candidate.traced import recognise  # noqa: E402
from trial_support import check, counts  # noqa: E402

IMAGE = torch.rand(2, 4, 9, 9)


class Of(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)


def said(inner, x=IMAGE):
    return recognise.line_of(Of(inner), {"x": x.clone()}, [{"name": "x", "tensor": True}], ["y"])


MODULES = {
    "y = conv(x[n,c,h,w], inner.weight[out,c,kh,kw], inner.bias[out]); outputs y": lambda: nn.Conv2d(4, 6, 3),
    "y = conv(x[n,c,h,w], inner.weight[out,in,kh,kw], stride=1x2, padding=1x0, dilation=2x1, groups=2); outputs y":
        lambda: nn.Conv2d(4, 6, (3, 2), stride=(1, 2), padding=(1, 0), dilation=(2, 1), groups=2, bias=False),
    "y = conv(x[n,c,h,w], inner.weight[out,c,kh,kw], padding=2, dilation=2); outputs y":
        lambda: nn.Conv2d(4, 6, 3, padding="same", dilation=2, bias=False),
    "y = conv_transpose(x[n,c,h,w], inner.weight[c,out,kh,kw], inner.bias[out], stride=2, padding=1, output_padding=1); outputs y":
        lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1),
    "y = conv_transpose(x[n,c,h,w], inner.weight[c,out,kh,kw], groups=2); outputs y":
        lambda: nn.ConvTranspose2d(4, 6, 3, groups=2, bias=False),
    "y = max_pool(x[n,c,h,w], h, w, window=2x3, stride=2x3, padding=0, dilation=2); outputs y":
        lambda: nn.MaxPool2d((2, 3), dilation=2),
    "v1 = conv(x[n,c,h,w], inner.0.weight[out,c,kh,kw], inner.0.bias[out]); v2 = max_pool(v1, h.v1, w.v1, window=2, stride=2, padding=0); "
    "y = conv(v2, inner.2.weight[out2,out,kh2,kw2], inner.2.bias[out2]); outputs y":
        lambda: nn.Sequential(nn.Conv2d(4, 6, 3), nn.MaxPool2d(2), nn.Conv2d(6, 5, 2)),
}


@pytest.mark.parametrize("line, make", MODULES.items())
def test_a_module_is_a_line(line, make):
    assert said(make()).get("line") == line, said(make())


@pytest.mark.parametrize("make, why", [
    (lambda: nn.Conv2d(4, 6, 2, padding="same"), "not the same on both sides"),
    (lambda: nn.Conv2d(4, 6, 3, padding=1, padding_mode="circular"), "padding_mode=circular"),
    (lambda: nn.ConvTranspose2d(4, 6, 3, groups=2), "a transposed convolution of groups with a bias"),
    (lambda: nn.AvgPool2d(2, count_include_pad=False, padding=1), "an average without its padding"),
    (lambda: nn.Softmax2d(), "Softmax2d has no stage"),
])
def test_a_module_that_has_none(make, why):
    assert why in said(make()).get("why", ""), said(make())


@pytest.mark.parametrize("function, line", [
    (F.elu, "y = elu(x[rows,cols]); outputs y"),
    (F.celu, "y = elu(x[rows,cols]); outputs y"),
    (F.hardsigmoid, "v1 = add(x[rows,cols], 3); v2 = hardtanh(v1, min=0, max=6); y = divide(v2, 6); outputs y"),
    (F.softsign, "v1 = abs(x[rows,cols]); v2 = add(v1, 1); y = divide(x, v2); outputs y"),
    (lambda x: x / torch.linalg.vector_norm(x, dim=-1, keepdim=True),
     "v1 = square(x[rows,cols]); v2 = sum(v1, cols); v3 = sqrt(v2); y = divide(x, v3); outputs y"),
    (lambda x: x ** 3, "v1 = square(x[rows,cols]); y = multiply(v1, x); outputs y"),
])
def test_a_function_is_several_stages(function, line):
    assert said(function, torch.rand(4, 8)).get("line") == line, said(function, torch.rand(4, 8))


REFERENCE = """import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.pool = torch.nn.MaxPool2d(2)
    def forward(self, x):
        return torch.nn.functional.selu(self.pool(self.conv(x)))
def get_inputs():
    return [torch.randn(4, 3, 6, 6)]
def get_init_inputs():
    return []
"""


@pytest.mark.parametrize("padding, wanted", [("1", 0), ("1, dilation=1, padding_mode='circular'", 1)])
def test_a_candidate_is_judged_by_the_line(tmp_path, padding, wanted):
    both = REFERENCE + REFERENCE.split("def get_inputs")[0].replace("Model(", "ModelNew(").replace("padding=1", f"padding={padding}")
    text, code = check(tmp_path, both, reference=None)
    assert "recognised: --pipeline 'v1 = conv(x[n,c,h,w], conv.weight[out,c,kh,kw]" in text, text
    assert code == wanted and (counts(text)["failed"] == 0) == (wanted == 0), text
