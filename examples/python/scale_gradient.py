#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scale_gradient.py LIBRARY: the gradient of a scale in front of a BatchNorm in training, by the operator
torch.ops.gradproof.scale_batchnorm, by LibTorch in float32, and by LibTorch in float64 on centered x: the truth to 11
digits.

Through x * scale nearly all of it cancels: eps / (variance + eps) of the products' size is left, 1e-5 for N(0, 1).
The operator sums what is left alone (docs/kernels.md). Errors are relative to the root mean square of the columns.
"""
import argparse

import torch
import torch.nn.functional as F

EPS = 1e-5


def gradient(norm, tensors, dtype):
    x, scale, weight, beta, dy = (tensor.to(dtype) for tensor in tensors)
    scale.requires_grad_()
    norm(x, scale, weight, beta).backward(dy)
    return scale.grad.double()


def in_torch(x, scale, weight, beta):
    return F.batch_norm(x * scale, None, None, weight, beta, True, 0.1, EPS)


def in_gradproof(x, scale, weight, beta):
    y, _, _ = torch.ops.gradproof.scale_batchnorm(x, scale, weight, beta, None, None, None, True, 0.1, EPS)
    return y


def compare(rows, cols, offset):
    torch.manual_seed(7)
    tensors = [
        offset + torch.randn(rows, cols),
        1 + 0.3 * torch.randn(cols),
        1 + 0.3 * torch.randn(cols),
        torch.randn(cols),
        torch.randn(rows, cols),
    ]
    exact = [tensor.double() for tensor in tensors]
    centered = [exact[0] - exact[0].mean(0), *exact[1:]]  # what BatchNorm would take off: the same gradient
    truth = gradient(in_torch, centered, torch.float64)
    ours = gradient(in_gradproof, tensors, torch.float32)
    theirs = gradient(in_torch, tensors, torch.float32)
    size = truth.square().mean().sqrt()

    def error(got):
        return f"{((got - truth).square().mean().sqrt() / size).item():.1e}"

    print(f"{rows} x {cols}, x = {offset:g} + N(0, 1)")
    print(f"  {'column 0':<24}{ours[0].item():>14.7g}{theirs[0].item():>14.7g}{truth[0].item():>14.7g}")
    print(f"  {'relative error, all':<24}{error(ours):>14}{error(theirs):>14}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", help="libgradproof_ops.so")
    torch.ops.load_library(parser.parse_args().library)
    print(f"  {'d_scale':<24}{'gradproof':>14}{'torch':>14}{'float64':>14}")
    for offset in (0, 10, 1e4):
        for rows, cols in ((64, 128), (1024, 64), (16384, 32)):
            compare(rows, cols, offset)


if __name__ == "__main__":
    main()
