# SPDX-License-Identifier: Apache-2.0
"""What is usual in place of a bound: five random inputs, and the tolerance of KernelBench.

Usage: python trials.py right|wrong
"""
import importlib
import sys

import torch

import layer_norm

candidate = importlib.import_module(sys.argv[1])
torch.manual_seed(0)
model, new = layer_norm.Model(*layer_norm.get_init_inputs()), candidate.ModelNew(*layer_norm.get_init_inputs())
new.load_state_dict(model.state_dict())
for trial in range(5):
    (x,) = layer_norm.get_inputs()
    print(f"trial {trial}: allclose says {torch.allclose(model(x), new(x), rtol=1e-2, atol=1e-2)}")
