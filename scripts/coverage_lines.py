# SPDX-License-Identifier: Apache-2.0
"""Lines and branches of the kernels that a run reached, from what gcov counted (docs/coverage.md).

Usage: coverage_lines.py OBJECTS LEDGER OUTPUT

OBJECTS is the folder of KERNEL-TYPES.cpp.gcda; OUTPUT takes, for `gradproof coverage`, {"KERNEL TYPES": {"lines":
[reached, all], "branches": [reached, all]}}. Counted are the .cu and .cuh of kernels/, each template instance by itself: a
line of a function that is instantiated twice is two lines. Functions of other headers are one for all units: the linker
keeps the first. A branch that only an exception takes is left out. What was not reached
and is not in LEDGER is printed, once for all instances that did not reach it; the exit code is then 1.

A line of LEDGER says what no Case can reach, and why:

  FILE | line | SOURCE TEXT | WHERE | REASON           the line, and with it its branches
  FILE | branches N | SOURCE TEXT | WHERE | REASON     N branches of a line that is reached
  FILE | function | SOURCE TEXT | WHERE | REASON       all of a function, of whose first line the text is

WHERE is a regular expression, searched in "KERNEL TYPES FUNCTION", FUNCTION being the instance's name with its template
arguments; it is empty where gcov does not say it (the body of a lambda with `auto` parameters). What the line says must hold
in every instance that WHERE matches: that one is reached there after all, or that there are more or fewer branches, is an
error, and so is a line that matches nothing.
"""
import collections
import dataclasses
import gzip
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass
class Instance:
    """A source line as one template instance has it."""
    file: str
    number: int
    text: str
    where: str  # "KERNEL TYPES FUNCTION"
    count: int
    branches: list[int]  # how often each was taken
    first: str  # the function's first line
    called: bool

    def open_branches(self) -> int:
        return sum(taken == 0 for taken in self.branches)


@dataclasses.dataclass
class Excuse:
    """A line of the ledger."""
    place: str
    file: str
    kind: str  # line, branches, function
    branches: int
    text: str
    where: re.Pattern
    used: int = 0

    def is_of(self, one: Instance) -> bool:
        text = one.first if self.kind == "function" else one.text
        return self.file == one.file and self.text == text and self.where.search(one.where) is not None

    def objection(self, one: Instance) -> str:
        """Why the instance is not what the line says; empty where it is."""
        if self.kind == "branches" and one.open_branches() != self.branches:
            return f"{one.open_branches()} branches are not reached"
        if self.kind == "function" and one.called:
            return "is called"
        return "is reached" if self.kind == "line" and one.count > 0 else ""


def gcov(data: pathlib.Path) -> dict:
    done = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", data], capture_output=True, check=True)
    text = done.stdout
    return json.loads(gzip.decompress(text) if text[:2] == b"\x1f\x8b" else text)


def in_kernels(name: str) -> str:
    """The path in the tree of a file that is counted, else nothing. In front of it stands whatever folder was built in, or what
    -ffile-prefix-map and ccache made of that."""
    rest = f"/{name}".rpartition("/kernels/")[2]
    counted = rest.endswith((".cu", ".cuh")) and (ROOT / "kernels" / rest).is_file()
    return f"kernels/{rest}" if counted else ""


def instances(report: dict, row: str):
    """Yields every line of every template instance."""
    for file in report["files"]:
        name = in_kernels(file["file"])
        if not name:
            continue
        text = [line.strip() for line in (ROOT / name).read_text().splitlines()]
        functions = {function["name"]: function for function in file["functions"]}
        for line in file["lines"]:
            function = functions.get(line.get("function_name"))
            yield Instance(
                file=name, number=line["line_number"], text=text[line["line_number"] - 1],
                where=f"{row} {re.sub(r'gradproof::(covered_[a-z0-9_]+::)?', '', function['demangled_name']) if function else ''}",
                count=line["count"], branches=[branch["count"] for branch in line["branches"] if not branch["throw"]],
                first=text[function["start_line"] - 1] if function else "",
                called=function is None or function["execution_count"] > 0)


def read_ledger(path: pathlib.Path) -> list[Excuse]:
    ledger = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in re.split(r" \| ", line)]
        kind = re.fullmatch(r"line|function|branches (\d+)", parts[1]) if len(parts) == 5 and all(parts) else None
        if not kind:
            sys.exit(f"{path}:{number}: write FILE | line, branches N or function | SOURCE TEXT | WHERE | REASON")
        ledger.append(Excuse(f"{path}:{number}", parts[0], parts[1].split()[0], int(kind.group(1) or 0), parts[2],
                             re.compile(parts[3])))
    return ledger


class Count:
    """What all units reached, what the ledger excuses of the rest, and what is wrong."""

    def __init__(self, ledger: list[Excuse]):
        self.ledger = ledger
        self.table = {}
        self.missing = collections.defaultdict(list)  # (file, line, kind, text): the instances
        self.wrong = collections.defaultdict(list)  # (place, objection): the instances

    def is_excused(self, one: Instance, kind: str) -> bool:
        """`kind` is what is not reached of the instance, if anything: line, branches."""
        excused = False
        for excuse in self.ledger:
            # Where the line is not reached at all, nothing is said of its branches.
            if not excuse.is_of(one) or (excuse.kind == "branches" and kind == "line"):
                continue
            excuse.used += 1
            if objection := excuse.objection(one):
                self.wrong[excuse.place, objection].append(one.where)
            else:
                excused = True
        return excused

    def add(self, row: str, lines) -> None:
        sums = self.table.setdefault(row, {"lines": [0, 0], "branches": [0, 0]})
        for one in lines:
            kind = "line" if one.count == 0 else "branches" if one.open_branches() else ""
            excused = self.is_excused(one, kind)
            reached = len(one.branches) - one.open_branches()
            sums["lines"][0] += one.count > 0
            sums["branches"][0] += reached
            sums["lines"][1] += not excused or one.count > 0
            sums["branches"][1] += reached if excused else len(one.branches)
            if kind and not excused:
                self.missing[one.file, one.number, kind, one.text].append(one.where)


def main(objects: str, ledger_path: str, output: str) -> int:
    count = Count(read_ledger(pathlib.Path(ledger_path)))
    for data in sorted(pathlib.Path(objects).glob("*.gcda")):
        word, types = data.name.removesuffix(".cpp.gcda").rsplit("-", 1)
        row = f"{word} {types.replace('_', '/')}"
        count.add(row, instances(gcov(data), row))
    if not count.table:
        sys.exit(f"no counts in {objects}: did the counted worker run and end?")
    pathlib.Path(output).write_text(json.dumps(count.table, indent=1) + "\n")
    for (file, line, kind, text), where in sorted(count.missing.items()):
        print(f"{file}:{line}: {kind} not reached by {len(where)} instances, such as {where[0][:160]}: {text}")
    for (place, objection), where in sorted(count.wrong.items()):
        print(f"{place}: {objection} in {len(where)} instances, such as {where[0]}")
    idle = [excuse.place for excuse in count.ledger if excuse.used == 0]
    for place in idle:
        print(f"{place}: matches nothing")
    print(f"excused by {ledger_path}: lines of {sum(excuse.used for excuse in count.ledger)} instances")
    return 1 if count.missing or count.wrong or idle else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__.splitlines()[2])
    sys.exit(main(*sys.argv[1:]))
