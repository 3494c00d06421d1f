# SPDX-License-Identifier: Apache-2.0
"""A softmax in numpy, forward and backward, its tensors saved as numpy saves them: something that gradproof did not run.

Usage: softmax_numpy.py IN.npz OUT.npz [--wrong]     writes x and dy, and the results y and d_x
--wrong does not subtract the largest number of a row before exp.
"""
import sys

import numpy


def main(inputs, outputs, wrong):
    generator = numpy.random.default_rng(7)
    x, dy = (generator.normal(size=(16, 64)).astype(numpy.float32) for _ in range(2))
    x += numpy.float32(100)
    with numpy.errstate(over="ignore", invalid="ignore"):
        t = numpy.exp(x - (0 if wrong else x.max(-1, keepdims=True)))
        y = t / t.sum(-1, keepdims=True)
    numpy.savez(inputs, x=x, dy=dy)
    numpy.savez_compressed(outputs, y=y, d_x=y * (dy - (dy * y).sum(-1, keepdims=True)))


main(*sys.argv[1:3], "--wrong" in sys.argv)
