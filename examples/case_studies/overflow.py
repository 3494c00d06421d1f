# SPDX-License-Identifier: Apache-2.0
"""A wrong kernel passes: normal numbers never overflow a variance (github.com/pytorch/pytorch/pull/178123).

torch's norms square differences in float32: from 1e19 on the variance is infinite, and zeros or NaN come of numbers whose
norm is an ordinary one. What was proposed accumulates in double.
"""
import torch
from verdicts import judged, says, show

LINE = "y = layer_norm(x, weight, beta, eps=1e-5)"
generator = torch.Generator().manual_seed(0)
x, weight, beta = (torch.randn(shape, generator=generator) for shape in ((8, 64), (64,), (64,)))


def layer_norm(x, weight, beta):
    return torch.nn.functional.layer_norm(x, (64,), weight, beta, 1e-5)


def in_double(x, weight, beta):
    return layer_norm(x.double(), weight.double(), beta.double()).float()


for name, kernel in (("right: in double", in_double), ("wrong: in float32", layer_norm)):
    for scale, contract in ((1, "accumulation=f32"), (1e30, "accumulation=f32"), (1e30, "accumulation=f64")):
        found = {"x": x * scale, "weight": weight, "beta": beta}
        passes = torch.allclose(kernel(**found), in_double(**found), atol=1e-5, rtol=1.3e-6)
        show(f"{name}; x times {scale:g}; {contract}", f"assert_close(atol=1e-5, rtol=1.3e-6): {says(passes)}",
             judged(kernel, LINE, contract=contract, backward=False, **found))
