# SPDX-License-Identifier: Apache-2.0
"""Milliseconds of gradproof.check beside assert_close, and beside a process for each call, as a shell starts it.

    PYTHONPATH=build/cpu/share/gradproof/python GRADPROOF=build/cpu/bin/gradproof PYTHON examples/python/time_of_a_check.py [ROWS COLS]

An RMSNorm of 64 x 768 numbers in float32, or as many as are said, forward and backward. The last rows say what of a check is the way
to the judge and back. All rows but the first are the median of calls in one run: on a busy machine their ratios say more than they do.
"""
import statistics
import subprocess
import sys
import time

import torch

import gradproof
from gradproof import calls, judgement, program, resident, tensor_files

LINE = "y = rms_norm(x, weight, eps=1e-6)"
CALLS = 20


def norm(x, weight):
    return torch.nn.functional.rms_norm(x, x.shape[-1:], weight, 1e-6)


def milliseconds(call):
    start = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - start)


def median(call, count=CALLS):
    return statistics.median(milliseconds(call) for _ in range(count))


def say(what, value):
    print(f"{what:58} {value:9.2f} ms", flush=True)


def alone(words, folder):
    return subprocess.run([program.path(), *words, "--records", folder / "records"], capture_output=True, check=True)


def main(rows, cols):
    x, weight = torch.randn(rows, cols), torch.randn(cols)

    def check():
        return gradproof.check(norm, LINE, x=x, weight=weight, inputs="given")

    say("first check, with the start of the judge", milliseconds(check))
    say("check: six calls of the function, forward and backward", median(check))
    y = norm(x, weight)
    say("assert_close of y alone", median(lambda: torch.testing.assert_close(y, norm(x, weight))))

    line, given = resident.line_of(LINE), {"x": x, "weight": weight}
    options = {"backward": True, "device": None, "seed": 1, "deterministic": True}
    sets = calls.Calls(norm, line, given, options).run()
    files = judgement.Files(line, sets)
    words = ["judge", "--pipeline", LINE]
    for path in files.names.values():
        words += ["--inputs", path / "inputs.safetensors", "--outputs", path / "outputs.safetensors"]
    answer = resident.run(*words)
    judging = 1e3 * sum({record["case"]: record["seconds"] for record in answer.records}.values())
    print(f"of it, for the sets {' '.join(files.names)}:")
    say("  the six calls", median(lambda: calls.Calls(norm, line, given, options).run()))
    say("  writing tensors", median(lambda: [tensor_files.write(path / "again.safetensors", {**one.given, **one.got})
                                           for one, path in zip(sets, files.names.values())]))
    asked = median(lambda: resident.run(*words))
    say("  judging, in the worker, the last time", judging)
    say("  the request and its answer, with judging", asked)
    request = ("python", "{" + LINE + "} rows=2 cols=3")
    say("  a request that is not judged (python LINE)", median(lambda: resident.run(*request)))
    say("a process for each request, of the same files", median(lambda: alone(words, files.folder), 3))


if __name__ == "__main__":
    main(*(map(int, sys.argv[1:]) if len(sys.argv) == 3 else (64, 768)))
