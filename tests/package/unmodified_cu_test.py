#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/unmodified_cu from an installed prefix: a .cu that knows nothing of gradproof is judged on the executor, and convicted
without one of its barriers; what it cannot be is said by file and line.

Usage: unmodified_cu_test.py BUILD_DIR SCRATCH_DIR
"""
import sys

import pages
from scratch import Scratch, require

BARRIER = "  atomicAdd(&total, sum);\n  __syncthreads();\n"
FAULTS = {"a barrier that is missing": (BARRIER, BARRIER.split("\n", 1)[0] + "\n", 1, "FAILED  softmax y")}


def main():
    scratch = Scratch(*sys.argv[1:])
    project = scratch.built("unmodified_cu")
    scratch.passes_ctest(project)
    written = [(project / name).read_text() for name in ("adapter.cpp", "CMakeLists.txt", "softmax.cases")]
    require(pages.says_lines("`examples/unmodified_cu`", *written), f"the page has other lines: {[pages.lines(text) for text in written]}")
    source = project / "softmax.cu"
    scratch.convicts(source, FAULTS, project / "build" / "softmax_test", "check", "--cases", project / "softmax.cases")
    text = source.read_text()
    line = 1 + text[:text.index("__syncthreads();")].count("\n")
    with scratch.planted(source, "__syncthreads();", 'asm("bar.sync 0;");') as (code, said):
        require(code != 0 and f"softmax.cu:{line}: 'asm' is not supported" in said, said)


main()
