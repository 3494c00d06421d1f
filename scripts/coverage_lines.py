# SPDX-License-Identifier: Apache-2.0
"""Lines and branches of the kernels that a run reached, from what gcov counted (docs/coverage.md).

Usage: coverage_lines.py OBJECTS LEDGER OUTPUT

OBJECTS is the folder of KERNEL-TYPES.cpp.gcda; OUTPUT takes, for `gradproof coverage`, {"KERNEL TYPES": {"lines":
[reached, all], "branches": [reached, all]}}. Counted are the .cu and .cuh of kernels/, each template instance by itself: a
line of a function that is instantiated twice is two lines. Functions of other headers are one for all units: the linker
keeps the first. A branch that only an exception takes is left out. What was not reached
and is not in LEDGER is printed, once for all instances that did not reach it; the exit code is then 1.

LEDGER has a line for each text that need not be reached: FILE | KIND | SOURCE TEXT | REASON, KIND being line or branch.
A line of it that excuses nothing is named too: what is reached needs no excuse.
"""
import collections
import gzip
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def gcov(data: pathlib.Path) -> dict:
    done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", data], capture_output=True, check=True)
    text = done.stdout
    return json.loads(gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text)


def in_kernels(name: str) -> str:
    """The path in the tree of a file that is counted, else nothing. Relative names begin at whatever folder was built in."""
    relative = name.removeprefix(f"{ROOT}/")
    while relative.startswith("../"):
        relative = relative.removeprefix("../")
    return relative if relative.startswith("kernels/") and relative.endswith((".cu", ".cuh")) else ""


def counted(report: dict):
    """Yields (file, line, kind, whether it was reached) for each line and branch of each template instance."""
    for file in report["files"]:
        name = in_kernels(file["file"])
        for line in file["lines"] if name else []:
            yield name, line["line_number"], "line", line["count"] > 0
            for branch in line["branches"]:
                # A branch of a line that was not reached is one more that was not.
                if not branch["throw"]:
                    yield name, line["line_number"], "branch", branch["count"] > 0


def read_ledger(path: pathlib.Path) -> dict:
    ledger = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in re.split(r" \| ", line)]
        if len(parts) != 4 or parts[1] not in ("line", "branch"):
            sys.exit(f"{path}:{number}: write FILE | line or branch | SOURCE TEXT | REASON")
        ledger[tuple(parts[:3])] = 0
    return ledger


def main(objects: str, ledger_path: str, output: str) -> int:
    ledger = read_ledger(pathlib.Path(ledger_path))
    missing = collections.defaultdict(list)
    table = {}
    for data in sorted(pathlib.Path(objects).glob("*.gcda")):
        word, types = data.name.removesuffix(".cpp.gcda").rsplit("-", 1)
        row = f"{word} {types.replace('_', '/')}"
        sums = {"line": [0, 0], "branch": [0, 0]}
        for file, line, kind, reached in counted(gcov(data)):
            text = (ROOT / file).read_text().splitlines()[line - 1].strip()
            if not reached and (file, kind, text) in ledger:
                ledger[file, kind, text] += 1
                continue
            sums[kind][1] += 1
            sums[kind][0] += reached
            if not reached:
                missing[file, line, kind, text].append(row)
        table[row] = {"lines": sums["line"], "branches": sums["branch"]}
    if not table:
        sys.exit(f"no counts in {objects}: did the counted worker run and end?")
    pathlib.Path(output).write_text(json.dumps(table, indent=1) + "\n")
    for (file, line, kind, text), rows in sorted(missing.items()):
        names = sorted(set(rows))
        print(f"{file}:{line}: {kind} not reached by {len(names)} of {len(table)}, such as {names[0]}: {text}")
    idle = [key for key, used in ledger.items() if used == 0]
    for file, kind, text in idle:
        print(f"{ledger_path}: excuses nothing: {file} | {kind} | {text}")
    excused = sum(ledger.values())
    print(f"excused by {ledger_path}: {excused}")
    return 1 if missing or idle else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.splitlines()[2])
    sys.exit(main(*sys.argv[1:]))
