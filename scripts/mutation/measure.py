# SPDX-License-Identifier: Apache-2.0
"""Tries automatic mutants against the suites push and pairs, and writes a line of JSON for each, as it is known."""
import functools
import json
import pathlib
import time

from mutation import judge, ledger
from mutation.build import Build, NotCompiled, code_of, lines_of
from mutation.draw import cells, dead, drawn, mutant, named
from mutation.kernel import KERNELS, ROOT, TYPES, sources_of

COUNTED = ("convicted", "survived", "odd", "elsewhere")  # of a mutant that is another program than the right kernel


class Cell:
    """One kernel in one combination of types: the right program, its Cases, and how a mutant is tried."""

    def __init__(self, build, kernel, dtype):
        self.build, self.kernel, self.dtype = build, kernel, dtype
        right = build.compiled(kernel, mutant(kernel, dtype))
        self.code = code_of(right)
        self.lines = lines_of(right)
        cases = list(judge.cases_of(judge.suite_text(ROOT), kernel, dtype))
        code, records, text = judge.check(build.front, build.worker(right), cases, build.work)
        if code not in (0, 4):
            raise SystemExit(f"{kernel} {dtype}: the right kernel does not pass: exit {code}: {text}")
        self.cases = judge.quickest_first(cases, records)

    def order(self, seed):
        """The mutations as they are drawn; those in functions that the kernel has no code of come last."""
        last = {name for file in sources_of(f"{self.kernel}.cu") for name in dead(file, self.lines)}
        return sorted(drawn(self.kernel, self.dtype, seed), key=lambda mutation: mutation.name in last)

    def outcome(self, mutation):
        """(outcome, how, case) of the mutation in this cell."""
        try:
            object_file = self.build.compiled(self.kernel, mutant(self.kernel, self.dtype, mutation))
        except NotCompiled as error:
            return "not compiled", str(error)[-160:], ""
        if code_of(object_file) == self.code:
            return "same code", "", ""
        worker = self.build.worker(object_file)
        return judge.verdict_of(*judge.check(self.build.front, worker, self.cases, self.build.work))


class Log:
    """Rows of a folder, and a file of them that this process adds to."""

    def __init__(self, folder, build_folder, name):
        folder = pathlib.Path(folder)
        self.build = Build(build_folder, folder / f"work-{name}")
        self.file = folder / f"{name}.jsonl"
        self.cell = functools.cache(functools.partial(Cell, self.build))

    def write(self, kernel, dtype, mutation, outcome, how, case, seconds):
        before, after = mutation.diff((KERNELS / mutation.file).read_text())
        row = {"kernel": kernel, "dtype": dtype, "name": mutation.name, "file": mutation.file, "kind": mutation.kind,
               "before": before, "after": after, "outcome": outcome, "how": how, "case": case, "seconds": round(seconds, 1)}
        with self.file.open("a") as out:
            out.write(json.dumps(row) + "\n")
        return row

    def tried(self, kernel, dtype, mutation):
        """The row of the mutant, which is written too."""
        begin = time.monotonic()
        said = self.cell(kernel, dtype).outcome(mutation)
        return self.write(kernel, dtype, mutation, *said, time.monotonic() - begin)


def rows_in(folder):
    """All rows, by what wrote them: `measure`, `elsewhere`, then `again`."""
    for verb in ("measured", "elsewhere", "again"):
        for path in sorted(pathlib.Path(folder).glob(f"{verb}-*.jsonl")):
            yield from map(json.loads, path.read_text().splitlines())


def latest(rows):
    """{(kernel, dtype, name): row} of what was tried last."""
    return {(row["kernel"], row["dtype"], row["name"]): row for row in rows}


def shard_of(options):
    index, of = map(int, options.shard.split("/"))
    return index, of


def measure(options):
    """`each` mutants that are other programs than the right kernel, for each kernel and types, one by turns. What stands in
    the folder already is not tried again."""
    index, of = shard_of(options)
    log = Log(options.dir, options.build, f"measured-{index}")
    known = latest(rows_in(options.dir))
    orders = {}
    for _ in range(options.each):
        for cell in cells()[index::of]:
            if cell not in orders:
                orders[cell] = iter(log.cell(*cell).order(options.seed))
            for mutation in orders[cell]:
                row = known.get((*cell, mutation.name)) or log.tried(*cell, mutation)
                if row["outcome"] in COUNTED:
                    break


def survivors(options, *outcomes):
    """The shard's mutants that a suite has let pass."""
    index, of = shard_of(options)
    found = sorted(key for key, row in latest(rows_in(options.dir)).items() if row["outcome"] in outcomes)
    return [(kernel, dtype, named(name)) for kernel, dtype, name in found[index::of]]


def again(options):
    """Those that survived in their own types, by the suite as it is now."""
    log = Log(options.dir, options.build, f"again-{shard_of(options)[0]}")
    for kernel, dtype, mutation in survivors(options, "survived", "odd", "elsewhere"):
        row = log.tried(kernel, dtype, mutation)
        print(f"{kernel}/{dtype} {mutation.name}: {row['outcome']} {row['how']}", flush=True)


def elsewhere(options):
    """Those that survived, compiled for the kernel's other types until these convict: an edit of a source is in all. Those
    that are known to be equivalent are left out."""
    entries, _ = ledger.read()
    log = Log(options.dir, options.build, f"elsewhere-{shard_of(options)[0]}")
    for kernel, dtype, mutation in survivors(options, "survived"):
        if ledger.reason_of(entries, {"kernel": kernel, "dtype": dtype, "name": mutation.name}):
            continue
        begin = time.monotonic()
        for other in TYPES:
            said = log.cell(kernel, other).outcome(mutation) if other != dtype else ("", "", "")
            if said[0] == "convicted":
                log.write(kernel, dtype, mutation, "elsewhere", f"{other}: {said[1]}", said[2], time.monotonic() - begin)
                break
