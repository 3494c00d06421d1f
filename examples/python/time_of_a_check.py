# SPDX-License-Identifier: Apache-2.0
"""Milliseconds of gradproof.check beside assert_close, and beside a process for each call, as a shell starts it.

    PYTHONPATH=build/cpu/share/gradproof/python GRADPROOF=build/cpu/bin/gradproof PYTHON examples/python/time_of_a_check.py [ROWS COLS]

An RMSNorm of 64 x 768 numbers in float32, or as many as are said, forward and backward. Each call has other numbers, as the tests of a
suite have: of the same ones the judge would know the truths. The first row of a pair is the median of calls in one run, the second the
least: on a busy machine their ratios say more than they do.
"""
import statistics
import subprocess
import sys
import time

import torch

import gradproof
from gradproof import calls, judgement, program, resident
from gradproof.hard import work

LINE = "y = rms_norm(x, weight, eps=1e-6)"
CALLS = 20
OPTIONS = {"backward": True, "device": None, "seed": 1, "deterministic": True}


def norm(x, weight):
    return torch.nn.functional.rms_norm(x, x.shape[-1:], weight, 1e-6)


def milliseconds(call, *arguments):
    start = time.perf_counter()
    made = call(*arguments)
    return 1e3 * (time.perf_counter() - start), made


def say(what, values):
    print(f"{what:58} {statistics.median(values):9.2f} {min(values):9.2f} ms", flush=True)


def times(what, call, draw, count=CALLS):
    """Says how long the call takes, each time of what draw() gives."""
    say(what, [milliseconds(call, draw())[0] for _ in range(count)])


def words_of(files):
    words = ["judge", "--pipeline", LINE]
    for name, path in files.names.items():
        words += ["--inputs", files.inputs[name], "--outputs", path / "outputs.safetensors"]
    return words


def alone(files):
    return subprocess.run([program.path(), *words_of(files), "--records", files.folder / "records"], capture_output=True, check=True)


def by_assert_close(given):
    x, weight = (tensor.clone().requires_grad_() for tensor in given.values())
    dy = torch.randn(x.shape)
    for _ in range(2):
        y = norm(x, weight)
        found = [y, *torch.autograd.grad(y, (x, weight), dy)]
    torch.testing.assert_close(found, [tensor.clone() for tensor in found])


def in_parts(line, given):
    """Milliseconds of the calls of the function, of writing tensors, and of the request with its answer; the files."""
    fills = work.fills_of(line, given, "hard")
    called, sets = milliseconds(calls.Calls(norm, line, given, OPTIONS).run, fills)
    written, files = milliseconds(judgement.written, line, sets)
    asked, _ = milliseconds(resident.run, *words_of(files))
    return called, written, asked, files


def main(rows, cols):
    def draw():
        return {"x": torch.randn(rows, cols), "weight": torch.randn(cols)}

    print("first check, with the start of the judge", f"{milliseconds(lambda: gradproof.check(norm, LINE, **draw()))[0]:.2f} ms")
    times("check", lambda given: gradproof.check(norm, LINE, **given), draw)
    times('check, inputs="given"', lambda given: gradproof.check(norm, LINE, inputs="given", **given), draw)
    times("assert_close, of two steps forward and backward", by_assert_close, draw)
    line = resident.line_of(LINE)
    parts = list(zip(*(in_parts(line, draw()) for _ in range(CALLS))))
    print(f"of a check, for the sets {' '.join(parts[3][0].names)}:")
    for what, values in zip(("calls of the function", "writing tensors", "the request and its answer, with judging"), parts):
        say(f"  {what}", values)
    request = ("python", "{" + LINE + "} rows=2 cols=3")
    times("  a request that is not judged (python LINE)", lambda _: resident.run(*request), draw)
    times("a process for each request, of the same files", lambda _: alone(parts[3][0]), draw, 3)


if __name__ == "__main__":
    main(*(map(int, sys.argv[1:]) if len(sys.argv) == 3 else (64, 768)))
