#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/own_stage from an installed prefix: a kernel of an activation that no stage has is judged by the definition in its line,
audited, explained and asked for its laws, and convicted of each fault that is planted in it or in the line.

Usage: own_stage_test.py SOURCE_DIR BUILD_DIR SCRATCH_DIR
"""
import pathlib
import sys

from scratch import Scratch, run

# fault: (what is replaced, by what, exit code, what is printed of it)
FAULTS = {
    "no fault: plain CUDA, which the source had not when CMake ran": (
        "const float z = x[i] * weight[i % cols];",
        "__shared__ __align__(16) float row[128];\n  row[threadIdx.x] = x[i];\n  const float z = row[threadIdx.x] * weight[i % cols];",
        0, "passed  scaled_serf y "),
    "erf's argument is not the softplus": ("y[i] = z * erff(softplus(z))", "y[i] = z * erff(z)", 1, "FAILED  scaled_serf y "),
    "the derivative lacks the softplus' own": ("expf(-s * s)) * sigmoid", "expf(-s * s))", 1, "FAILED  scaled_serf d_x "),
    "2/sqrt(pi) in half precision": ("1.12837917f", "1.1279297f", 1, "FAILED  scaled_serf d_weight "),
    "a definition that takes itself": ("erf(softplus(t))", "serf(softplus(t))", 3, "'serf' is defined by itself"),
    "a stage that there is not": ("erf(softplus(t))", "erf(softpus(t))", 3, "did you mean 'softplus'?"),
}


def require(holds, text):
    if not holds:
        sys.exit(text)


def asks(scratch, worker, *words, code=0, said=()):
    got, text = run(scratch.program, words[0], "--worker", worker, *words[1:])
    require(got == code and all(part in text for part in said), f"{words}: {got}\n{text}")
    return text


def judges_right(scratch, project):
    code, text = scratch.ctest(project)
    require(code == 0 and "100% tests passed" in text and "out of 1" in text, text)
    worker = project / "build" / "scaled_serf_test"
    text = asks(scratch, worker, "check", "--cases", project / "scaled_serf.cases", said=["failed=0 mistrusted=0 skipped=0"])
    print(text.splitlines()[-1])
    asks(scratch, worker, "audit", "scaled_serf rows=5 cols=7", said=["certified=2", "wrong=0"])
    asks(scratch, worker, "explain", "scaled_serf rows=5 cols=7", "d_x[1,3]",
         said=["y.v1 = softplus", "y.v2 = erf", "serf(t) := multiply(t, erf(softplus(t)))"])
    asks(scratch, worker, "check", "scaled_serf rows=5 cols=7 law=all", said=["passed=4 failed=0"])


def convicts(scratch, project, name):
    old, new, expected, said = FAULTS[name]
    source = project / "scaled_serf.cu"
    right = source.read_text()
    require(old in right, f"{name}: '{old}' is not in {source}")
    source.write_text(right.replace(old, new, 1))
    code, text = scratch.build(project)
    require(code == 0, text)
    text = asks(scratch, project / "build" / "scaled_serf_test", "check", "scaled_serf rows=33 cols=127", code=expected, said=[said])
    print(f"{name}: {next(line.strip() for line in text.splitlines() if said in line)[:140]}")
    source.write_text(right)


def main():
    source, build, folder = map(pathlib.Path, sys.argv[1:])
    scratch = Scratch(build, folder)
    project = scratch.project(source / "examples" / "own_stage")
    for code, text in (scratch.configure(project), scratch.build(project)):
        require(code == 0, text)
    judges_right(scratch, project)
    for name in FAULTS:
        convicts(scratch, project, name)


main()
