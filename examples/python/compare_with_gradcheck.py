#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch.autograd.gradcheck and gradproof's audit beside each other, on one chain.

    python examples/python/compare_with_gradcheck.py --gradproof build/cpu/bin/gradproof \\
        --planted build/cpu/tests/audit_planted_test --csv docs/data

The chain is batchnorm_bias_divide_swish in training mode, float64, plain PyTorch. gradcheck has its defaults: eps 1e-6,
atol 1e-5, rtol 1e-3. Digits are -log10 of the largest difference of what it compared, over the largest of those
numbers. Two tables are printed, time and digits by size, and which planted mistakes gradcheck lets pass; --csv also
writes them as gradcheck.csv and gradcheck_planted.csv. Everything runs on one core. What gradproof says of the planted
mistakes is asked of its own test, which plants the same ones at 50 digits.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import torch
from torch.autograd import gradcheck

import gradcheck_planted as planted

SIZES = [(8, 8), (32, 64), (64, 128), (1024, 64)]
DIVIDE = 1.5
# What dense Jacobians of y by x may take, numerical and analytical and their difference.
MEMORY_GIB = 8
COLUMNS = ["tool", "mode", "rows", "cols", "entries", "seconds", "digits", "note"]
# gradcheck draws its projections from a generator of its own, the same ones each time: the inputs are varied instead.
FAST_INPUTS = 10


class Compared:
    """What gradcheck compares while this is open: it calls one function with the two sides."""

    def __enter__(self):
        self.module = sys.modules["torch.autograd.gradcheck"]
        self.original = self.module._allclose_with_type_promotion
        self.worst = 0.0
        self.module._allclose_with_type_promotion = self.compare
        return self

    def __exit__(self, *_):
        self.module._allclose_with_type_promotion = self.original

    def compare(self, analytical, numerical, rtol, atol):
        largest = max(analytical.abs().max().item(), numerical.abs().max().item())
        if largest > 0:
            self.worst = max(self.worst, (analytical - numerical).abs().max().item() / largest)
        return self.original(analytical, numerical, rtol, atol)

    def digits(self):
        return -math.log10(self.worst) if self.worst > 0 else math.inf


def entries_of(inputs):
    return sum(each.numel() for each in inputs)


def timed(function, inputs, **options):
    """Seconds and digits of one gradcheck; throws what it throws."""
    start = time.process_time()
    with Compared() as compared:
        gradcheck(function, inputs, **options)
    return time.process_time() - start, compared.digits()


def row(tool, mode, size, entries, seconds, digits, note=""):
    return dict(zip(COLUMNS, [tool, mode, *size, entries, f"{seconds:.3g}", digits and f"{digits:.1f}", note]))


def gradcheck_rows(size, limit, per_square):
    """Slow by y, slow by the sum of dy y, fast. `per_square`: seconds an entry and element of the size before."""
    inputs, dy = planted.inputs_of(*size)
    entries = entries_of(inputs)
    chain = planted.plain_chain(DIVIDE)
    elements = size[0] * size[1]
    square = entries * elements
    gib = 3 * 8 * square / 2**30
    if gib > MEMORY_GIB or per_square * square > limit:
        why = f"extrapolated from entries x elements; its Jacobians would take {gib:.0f} GiB"
        yield row("gradcheck", "slow", size, entries, per_square * square, "", why)
    else:
        seconds, digits = timed(chain, inputs)
        per_square = seconds / square
        yield row("gradcheck", "slow", size, entries, seconds, digits)

    def loss(*each):
        return (dy * chain(*each)).sum()

    seconds, digits = timed(loss, inputs)
    yield row("gradcheck", "slow, of sum dy*y", size, entries, seconds, digits)
    seconds, digits = timed(chain, inputs, fast_mode=True)
    yield row("gradcheck", "fast", size, entries, seconds, digits, "one random projection for each tensor")
    return per_square


def audit_rows(program, size, arguments):
    """gradproof's audit of the same size; its processor time, children included."""
    case = f"batchnorm_bias_divide_swish rows={size[0]} cols={size[1]} bias=one divide={DIVIDE}"
    before = os.times()
    done = subprocess.run([program, "audit", case, "--json", *arguments], capture_output=True, text=True, check=False)
    after = os.times()
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    rows = [line for line in lines if "verdict" in line]
    if not rows:
        raise SystemExit(f"gradproof said nothing: {done.stderr.strip()}")
    words = sorted({each["verdict"] for each in rows})
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    note = f"{', '.join(words)}; {sum(each['seconds'] for each in rows):.2g} s of it differences"
    mode = "audit" + "".join(" " + each for each in arguments)
    yield row("gradproof", mode, size, sum(each["differences"]["entries"] for each in rows), seconds,
              min(float(each["differences"]["digits"]) for each in rows), note)


def passes(function, inputs, **options):
    return gradcheck(function, inputs, raise_exception=False, **options)


def audited(program):
    """What the audit said of each planted mistake, in the order of planted.MISTAKES."""
    if not program:
        return [""] * len(planted.MISTAKES)
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        subprocess.run([program, f"--gtest_output=json:{report}"], capture_output=True, check=False)
        suites = json.loads(report.read_text(encoding="utf-8"))["testsuites"]
    tests = [test for suite in suites for test in suite["testsuite"] if "mistake" in test]
    if [test["mistake"] for test in tests] != [mistake.name for mistake in planted.MISTAKES]:
        raise SystemExit("the program plants other mistakes than gradcheck_planted.py")
    return [f"{test['verdict']} in {test['wrong']}" for test in tests]


def planted_rows(program):
    """Each planted mistake: how large it is, and who lets it pass."""
    for mistake, said in zip(planted.MISTAKES, audited(program)):
        inputs, dy = planted.inputs_of(planted.ROWS, planted.COLS)
        function = planted.wrong_chain(mistake)
        error = planted.relative_error(mistake, inputs, dy)
        slow = passes(function, inputs)
        missed = 0
        for seed in range(FAST_INPUTS):
            missed += passes(function, planted.inputs_of(planted.ROWS, planted.COLS, seed)[0], fast_mode=True)
        yield {"mistake": mistake.name, "in": mistake.tensor, "error": f"{error:.1e}", "slow": "missed" if slow else "seen",
               "fast": f"missed {missed} of {FAST_INPUTS}", "gradproof": said}


def table(rows):
    """Printed as they come."""
    reported = []
    for each in rows:
        if not reported:
            print("| " + " | ".join(each) + " |")
            print("|" + "---|" * len(each))
        print("| " + " | ".join(str(value) for value in each.values()) + " |", flush=True)
        reported.append(each)
    print()
    return reported


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def all_timed(options):
    per_square = 0.0
    gradcheck(planted.plain_chain(DIVIDE), planted.inputs_of(2, 2)[0])  # the first call takes longer
    for size in SIZES:
        rows = gradcheck_rows(size, options.limit, per_square)
        while True:
            try:
                yield next(rows)
            except StopIteration as end:
                per_square = end.value
                break
        if options.gradproof:
            yield from audit_rows(options.gradproof, size, [])
            if size[0] * size[1] <= 32 * 64:
                yield from audit_rows(options.gradproof, size, ["--digits", "33"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gradproof", help="the program; without it gradcheck alone")
    parser.add_argument("--planted", help="the program audit_planted_test")
    parser.add_argument("--csv", type=pathlib.Path, help="directory for the two tables")
    parser.add_argument("--limit", type=float, default=600, help="seconds that a run may be expected to take")
    parser.add_argument("--only", choices=["time", "planted"])
    options = parser.parse_args()
    torch.set_num_threads(1)
    os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])
    print(f"PyTorch {torch.__version__}, float64, one core\n")
    for name, stem, rows in [("time", "gradcheck", all_timed(options)),
                             ("planted", "gradcheck_planted", planted_rows(options.planted))]:
        if options.only in (None, name):
            reported = table(rows)
            if options.csv:
                write(options.csv / f"{stem}.csv", reported)


if __name__ == "__main__":
    main()
