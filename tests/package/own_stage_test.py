#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/own_stage from an installed prefix: a kernel of an activation that no stage has is judged by the definition in its line,
audited, explained and asked for its laws, and convicted of each fault that is planted in it or in the line.

Usage: own_stage_test.py BUILD_DIR SCRATCH_DIR
"""
import sys

import pages
from scratch import Scratch, require

# fault: (what is replaced, by what, exit code, what is printed of it)
FAULTS = {
    "no fault: plain CUDA, which the source had not when CMake ran": (
        "const float z = x[i] * weight[i % cols];",
        "__shared__ __align__(16) float row[128];\n  row[threadIdx.x] = x[i];\n  const float z = row[threadIdx.x] * weight[i % cols];",
        0, "passed  scaled_serf y "),
    "erf's argument is not the softplus": ("y[i] = z * erff(softplus(z))", "y[i] = z * erff(z)", 1, "FAILED  scaled_serf y "),
    "the derivative lacks the softplus' own": ("expf(-s * s)) * sigmoid", "expf(-s * s))", 1, "FAILED  scaled_serf d_x "),
    "2/sqrt(pi) in half precision": ("1.12837917f", "1.1279297f", 1, "FAILED  scaled_serf d_weight "),
    "a definition that takes itself": ("erf(softplus(t))", "serf(softplus(t))", 2,
                                       "the kernel 'scaled_serf': pipeline: 'serf' is defined by itself"),
    "a stage that there is not": ("erf(softplus(t))", "erf(softpus(t))", 2, "did you mean 'softplus'?"),
}


def judges_right(scratch, worker, cases):
    print(scratch.asks(worker, "check", "--cases", cases, said=["failed=0 mistrusted=0 skipped=0"]).splitlines()[-1])
    scratch.asks(worker, "audit", "scaled_serf rows=5 cols=7", said=["certified=2", "wrong=0"])
    scratch.asks(worker, "explain", "scaled_serf rows=5 cols=7", "d_x[1,3]",
                 said=["y.v1[1,3]   log(1 + exp(v1))", "y.v2[1,3]   erf(y.v1)", "serf(t) := multiply(t, erf(softplus(t)))"])
    scratch.asks(worker, "check", "scaled_serf rows=5 cols=7 law=all", said=["passed=20 failed=0"])


def main():
    scratch = Scratch(*sys.argv[1:])
    project = scratch.built("own_stage")
    scratch.passes_ctest(project)
    snippet = pages.fenced("cpp")[1]
    require(pages.is_part_of(snippet, (project / "scaled_serf.cu").read_text()), snippet)
    worker = project / "build" / "scaled_serf_test"
    judges_right(scratch, worker, project / "scaled_serf.cases")
    scratch.convicts(project / "scaled_serf.cu", FAULTS, worker, "check", "--verbose", "scaled_serf rows=33 cols=127")


main()
