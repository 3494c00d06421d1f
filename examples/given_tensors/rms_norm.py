#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RMSNorm in plain Python on the tensors of a safetensors file, forward and backward: something that gradproof did not run.

Usage: rms_norm.py IN OUT [--wrong]     IN has x, weight and dy, OUT gets y, d_x and d_weight
--wrong leaves out the term of d_x that comes from the mean.
"""
import array
import json
import math
import pathlib
import struct
import sys

EPS = 1e-6


def read(path):
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header, body = json.loads(data[8:8 + length]), data[8 + length:]
    return {name: (array.array("f", body[slice(*entry["data_offsets"])]), entry["shape"]) for name, entry in header.items()}


def write(path, tensors):
    header, body = {}, b""
    for name, (numbers, shape) in tensors.items():
        part = array.array("f", numbers).tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(body), len(body) + len(part)]}
        body += part
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + body)


def main(source, target, wrong):
    tensors = read(source)
    (x, shape), (weight, _), (dy, _) = (tensors[name] for name in ("x", "weight", "dy"))
    rows, cols = shape
    y, d_x, d_weight = [], [], [0.0] * cols
    for row in range(rows):
        own = range(row * cols, (row + 1) * cols)
        rstd = 1 / math.sqrt(sum(x[i] * x[i] for i in own) / cols + EPS)
        g = [weight[i % cols] * dy[i] for i in own]
        mean = 0 if wrong else sum(gk * x[i] * rstd for gk, i in zip(g, own)) / cols
        for gk, i in zip(g, own):
            y.append(weight[i % cols] * x[i] * rstd)
            d_x.append(rstd * (gk - x[i] * rstd * mean))
            d_weight[i % cols] += dy[i] * x[i] * rstd
    write(target, {"y": (y, shape), "d_x": (d_x, shape), "d_weight": (d_weight, [cols])})


main(*sys.argv[1:3], "--wrong" in sys.argv)
