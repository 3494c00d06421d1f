#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Swaps the epilogue of a model for a fused kernel and trains it beside the original.

    python examples/python/train_p97.py build/cpu/lib/libgradproof_ops.so

The library may be named by GRADPROOF_OPS_LIBRARY instead. P97 is Linear, BatchNorm1d, + bias, / divide_value, Swish.
Both models start from one state and learn the labels of one batch; after every SGD step the largest difference of any of their
parameters and buffers is printed. Both are right: two orders of the same float32 sums drift apart.
"""
import argparse
import os

import torch
from torch import nn


class P97(nn.Module):
    """The original, of PyTorch's own modules."""

    def __init__(self, in_features, out_features, divide_value):
        super().__init__()
        self.matmul = nn.Linear(in_features, out_features)
        self.bn = nn.BatchNorm1d(out_features)
        self.bias = nn.Parameter(torch.randn(1))
        self.divide_value = divide_value

    def forward(self, x):
        return self.epilogue(self.matmul(x))

    def epilogue(self, z):
        z = (self.bn(z) + self.bias) / self.divide_value
        return z * torch.sigmoid(z)


class FusedP97(P97):
    """The same modules, so the same state_dict; only the epilogue is one operator."""

    def epilogue(self, z):
        bn = self.bn
        y, _, _ = torch.ops.gradproof.batchnorm_bias_divide_swish(
            z, bn.weight, bn.bias, self.bias, bn.running_mean, bn.running_var, bn.num_batches_tracked,
            bn.training, bn.momentum, bn.eps, self.divide_value)
        return y


def drift(model, fused):
    """The largest difference in any parameter or buffer, and its name."""
    theirs = fused.state_dict()
    differences = {name: (value - theirs[name]).abs().max().item() for name, value in model.state_dict().items()}
    name = max(differences, key=differences.get)
    return differences[name], name


def step(model, optimizer, x, target):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), target)
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="?", default=os.environ.get("GRADPROOF_OPS_LIBRARY"))
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--size", type=int, nargs=3, default=(128, 1024, 512), metavar=("ROWS", "IN", "OUT"))
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    if options.library is None:
        parser.error("name the library: libgradproof_ops.so as an argument or in GRADPROOF_OPS_LIBRARY")
    torch.ops.load_library(options.library)

    torch.manual_seed(1)
    rows, in_features, out_features = options.size
    model = P97(in_features, out_features, divide_value=1.5).to(options.device)
    fused = FusedP97(in_features, out_features, divide_value=1.5).to(options.device)
    fused.load_state_dict(model.state_dict())
    x = torch.randn(rows, in_features, device=options.device)
    target = torch.randint(out_features, (rows,), device=options.device)
    optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (model, fused)]
    print(f"{rows} rows, {in_features} -> {out_features}, {options.device}, SGD lr 0.1")
    print("step       loss  fused loss   largest drift in")
    for number in range(1, options.steps + 1):
        losses = [step(each, optimizer, x, target) for each, optimizer in zip((model, fused), optimizers)]
        largest, name = drift(model, fused)
        print(f"{number:4d}  {losses[0]:9.6f}   {losses[1]:9.6f}      {largest:8.1e}  {name}")
    model.eval()
    fused.eval()
    with torch.no_grad():
        difference = (model(x) - fused(x)).abs().max().item()
    print(f"eval: outputs differ by {difference:.1e} at most")


if __name__ == "__main__":
    main()
