#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files of KernelBench's level 2 as they are, at small sizes, through `gradproof check --python`.

Usage: GRADPROOF_KERNELBENCH=DIR kernelbench.py BIN [--problems 1,2,...] [--candidates eager,compiled,wrong]
DIR: a checkout of ScalingIntelligence/KernelBench, of which nothing is kept here. BIN: the folder of the programs,
build/cpu/bin. Python: one with torch, as scripts/setup --python makes it.

Of each problem the sizes at the end of the file are made small; ModelNew is the Model itself, the Model through
torch.compile, or wrong by a factor of 1 + 2^-13, which a tolerance of 1e-3 lets pass. A row says whether the model was
recognised by the trace, has a line in level2.cases that a person can give, or stays with the weaker witness, and what was said.
Exit code 1: a right candidate was convicted, or a wrong one was not. Without the variable: skipped, and it says so.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).parents[2]
SIZES = {"batch_size": 4, "in_features": 32, "out_features": 64, "input_size": 32, "hidden_size": 64, "output_size": 64,
         "in_channels": 8, "out_channels": 16, "depth": 8, "height": 8, "width": 8, "D": 8, "H": 8, "W": 8}
MOST = {"num_groups": 8, "groups": 4, "pool_kernel_size": 2}
WRONG_FACTOR = "(1 + 2 ** -13)"
CANDIDATES = {
    "eager": "class ModelNew(Model):\n    pass\n",
    "compiled": "class ModelNew(Model):\n    def forward(self, *x):\n        return compiled(self, *x)\n\n\n"
                "@torch.compile\ndef compiled(model, *x):\n    return Model.forward(model, *x)\n",
    "wrong": f"class ModelNew(Model):\n    def forward(self, *x):\n        return super().forward(*x) * {WRONG_FACTOR}\n",
}
# Problems whose exact value is 0 whatever the input is (docs/graphs.md, Suites), so that a wrong factor does not show.
ZERO = (80, 83)
# Problems whose Model is convicted beside itself: torch 2.11's gradient of instance_norm of (N, 1, 1, L) is wrong on a CPU where the
# cotangent is not contiguous (docs/bring-your-own.md).
WRONG_IN_TORCH = (28,)


def small(text):
    """The file with its sizes made small; names in a row ("height, width = 32, 32") too."""
    def line(match):
        names = [name.strip() for name in match[1].replace("=", ",").split(",")]
        values = match[2].split("#")[0].strip()
        if all(name in SIZES for name in names):
            chained = "=" in match[1]
            sizes = [str(SIZES[name]) for name in names]
            return f"{match[1]} = {sizes[0] if chained else ', '.join(sizes)}"
        if names[0] in MOST and re.fullmatch(r"\d+", values):
            return f"{match[1]} = {min(int(values), MOST[names[0]])}"
        return match[0]
    text = re.sub(r"^(\w[^#\n]*);[ \t]*(?=\w)", r"\1\n", text, flags=re.M)
    return re.sub(r"^(\w+(?:\s*[,=]\s*\w+)*)\s*= *(.+)$", line, text, flags=re.M)


def has_line(number):
    """Whether the case file says the problem whole, from its first input on: those of a matrix product."""
    text = (SOURCE / "fixtures/cases/level2.cases").read_text()
    found = re.search(rf"^(.*) name=level2\.{number}$", text, re.M)
    return bool(found) and "linear(" in found[1]


def judged(options, folder, problem, how):
    """What the program says, and its exit code."""
    reference = folder / f"{problem.stem}.py"
    reference.write_text(small(problem.read_text()))
    candidate = folder / f"{how}_{problem.stem}.py"
    name = f"p{problem.stem}"
    candidate.write_text("import importlib.util\nimport sys\nimport torch\n"
                         f"found = importlib.util.spec_from_file_location('{name}', r'{reference}')\n"
                         f"sys.modules['{name}'] = module = importlib.util.module_from_spec(found)\n"
                         "found.loader.exec_module(module)\n"
                         f"Model = module.Model\n\n\n{CANDIDATES[how]}")
    done = subprocess.run(
        [pathlib.Path(options.programs).resolve() / "gradproof", "check", "--python", candidate, "--reference", reference,
         "--python-program", sys.executable], capture_output=True, text=True, check=False,
        env={**os.environ, "TMPDIR": str(folder)})
    return done.stdout + done.stderr, done.returncode


def row(number, how, said, code):
    """Which witness, what was said, and whether that is as it must be."""
    result = re.search(r"^RESULT (passed=\d+ failed=\d+ mistrusted=\d+)", said, re.M)
    if "recognised:" in said:
        witness = "recognised"
    elif result:
        witness = "needs a line" if has_line(number) else "weaker witness"
        witness += ": " + re.search(r"because (.*)", said)[1]
    else:
        return "refused: " + said.strip().splitlines()[-1], "", False
    right = how == "wrong"
    convicted = code == 1
    expected = right or (how == "eager" and number in WRONG_IN_TORCH)
    return witness, result[1], (convicted == expected) or (right and number in ZERO)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--problems", type=lambda text: {int(word) for word in text.split(",")})
    parser.add_argument("--candidates", default="eager,compiled,wrong", type=lambda text: text.split(","))
    options = parser.parse_args()
    checkout = os.environ.get("GRADPROOF_KERNELBENCH")
    if not checkout:
        print("skipped: GRADPROOF_KERNELBENCH names no checkout of KernelBench")
        return 0
    files = {int(path.name.split("_")[0]): path for path in (pathlib.Path(checkout) / "KernelBench/level2").glob("*.py")}
    unknown = sorted((options.problems or set()) - files.keys())
    if not files or unknown:
        parser.error(f"'{checkout}/KernelBench/level2' has no problem {unknown[0] if files else 'at all'}")
    sums, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for number in sorted(options.problems or files):
            for how in options.candidates:
                said, code = judged(options, pathlib.Path(folder), files[number], how)
                witness, result, right = row(number, how, said, code)
                wrong += not right
                sums[f"{how}: {witness.split(':')[0]}"] += 1
                print(f"{number:3}  {how:8}  {'' if right else 'UNEXPECTED  '}{result}  {witness}", flush=True)
                if not right:
                    print(*re.findall(r"^(?:FAILED|CRASHED|TIMEDOUT|WRONG) .*", said, re.M)[:2], sep="\n")
    for text, count in sorted(sums.items()):
        print(f"{count:3}  {text}")
    print(f"{sum(sums.values()) - wrong} passed, {wrong} failed")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
