# SPDX-License-Identifier: Apache-2.0
"""A wrong kernel passes: no test is left (github.com/meta-pytorch/BackendBench/pull/106).

A suite kept its samples as a generator, which was at its end after the first pass over it: 11 tests listed, none run. Here
pytest gets such a generator. `all` of nothing is true, as github.com/mlcommons/endpoints/issues/443 found of another judge.

Usage: zero_tests.py      runs itself under pytest: with a list and with the generator, a right kernel and a wrong one
"""
import os
import subprocess
import sys
import tempfile

import gradproof
import pytest
import torch

SAMPLES = (rows for rows in (1, 3, 8, 64))
LISTED = list(SAMPLES)  # the first pass


@pytest.mark.parametrize("rows", LISTED if os.environ.get("SUITE") == "list" else SAMPLES)
def test_rms_norm(rows):
    def kernel(x, weight):
        return torch.nn.functional.rms_norm(x, (32,), weight, 1e-6) if os.environ["KERNEL"] == "right" else x * weight
    gradproof.check(kernel, "y = rms_norm(x, weight, eps=1e-6)", rows=rows, cols=32)


def run(kernel, suite, *options):
    """Exit code and last line."""
    done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, __file__],
                          env=os.environ | {"KERNEL": kernel, "SUITE": suite}, capture_output=True, text=True, check=False)
    said = [line for line in done.stdout.splitlines() if line.startswith("gradproof: ") and "report" not in line]
    return f"exit code {done.returncode}" + "".join(f", {line.split(' elements')[0]}" for line in said)


if __name__ == "__main__":
    for kernel, suite in (("right", "list"), ("wrong", "list"), ("wrong", "generator")):
        with tempfile.TemporaryDirectory() as records:
            judged = run(kernel, suite, "-p", "gradproof.pytest_plugin", "--gradproof-records", records)
        print(f"{kernel}: {suite}\n  pytest: {run(kernel, suite)}\n  pytest --gradproof-records: {judged}")
