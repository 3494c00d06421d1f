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


CASE = "softmax rows=33 cols=127"


def is_counted(scratch, source, worker):
    """Its sums' chains are measured; of a source that a number that counts does not compile in, one line says why not."""
    require(" at most, measured" in scratch.asks(worker, "check", "--verbose", CASE), "the chains are not measured")
    short = "FAILED: its source adds longer than it declares"
    require(short not in scratch.asks(worker, "list", "chains", CASE, said=["softmax  cols=127 rows=33  y "]), "nothing is declared")
    scratch.asks(worker, "list", "chains", CASE + " contract=sums=lanes:128", code=1, said=[short])
    with scratch.planted(source, "row[j] / total;", "row[j] / __int_as_float(__float_as_int(total));") as (code, said):
        require(code == 0 and "the sums of these sources are not counted" in said, said)
        text = scratch.asks(worker, "check", "--verbose", CASE, said=["passed=2 failed=0"])
        require("sums are not counted: they do not compile with a number that counts (softmax.cu" in text, text)
        require(" at most, measured" not in text, text)
        scratch.asks(worker, "list", "chains", code=4, said=["not counted: softmax: they do not compile with a number that counts"])
    with scratch.planted(source, "void softmax_forward(const", 'extern "C" void softmax_forward_too();\nvoid softmax_forward(const') as (code, said):
        require(code == 0, said)
        require("sums are not counted: softmax.cu has functions with C linkage" in scratch.asks(worker, "check", "--verbose", CASE), said)


def main():
    scratch = Scratch(*sys.argv[1:])
    project = scratch.built("unmodified_cu")
    scratch.passes_ctest(project)
    written = [(project / name).read_text() for name in ("adapter.cpp", "CMakeLists.txt", "softmax.cases")]
    require(pages.says_lines("`examples/unmodified_cu`", *written), f"the page has other lines: {[pages.lines(text) for text in written]}")
    source = project / "softmax.cu"
    is_counted(scratch, source, project / "build" / "softmax_test")
    scratch.convicts(source, FAULTS, project / "build" / "softmax_test", "check", "--verbose", "--cases", project / "softmax.cases")
    text = source.read_text()
    line = 1 + text[:text.index("__syncthreads();")].count("\n")
    with scratch.planted(source, "__syncthreads();", 'asm("bar.sync 0;");') as (code, said):
        require(code != 0 and f"softmax.cu:{line}: 'asm' is not supported" in said, said)


main()
