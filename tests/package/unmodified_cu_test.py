#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/unmodified_cu from an installed prefix: a .cu that knows nothing of gradproof is judged on the executor, and convicted
without one of its barriers; what it cannot be is said by file and line.

Usage: unmodified_cu_test.py SOURCE_DIR BUILD_DIR SCRATCH_DIR
"""
import pathlib
import sys

from scratch import Scratch, run

BARRIER = "  atomicAdd(&total, sum);\n  __syncthreads();\n"


def require(holds, text):
    if not holds:
        sys.exit(text)


def main():
    source, build, folder = map(pathlib.Path, sys.argv[1:])
    scratch = Scratch(build, folder)
    project = scratch.project(source / "examples" / "unmodified_cu")
    for code, text in (scratch.configure(project), scratch.build(project), scratch.ctest(project)):
        require(code == 0, text)
    require("100% tests passed" in text and "out of 1" in text, text)
    softmax = project / "softmax.cu"
    right = softmax.read_text()
    require(BARRIER in right, "the barrier is gone")
    softmax.write_text(right.replace(BARRIER, BARRIER.split("\n", 1)[0] + "\n"))
    code, text = scratch.build(project)
    require(code == 0, text)
    code, text = run(scratch.program, "check", "--worker", project / "build" / "softmax_test", "--cases", project / "softmax.cases")
    require(code == 1 and "FAILED  softmax y" in text, text)
    print(next(line for line in text.splitlines() if "FAILED  softmax y" in line))
    softmax.write_text(right.replace("__syncthreads();", 'asm("bar.sync 0;");', 1))
    code, text = scratch.build(project)
    line = 1 + right[:right.index("__syncthreads();")].count("\n")
    require(code != 0 and f"softmax.cu:{line}: 'asm' is not supported" in text, text)


main()
