# SPDX-License-Identifier: Apache-2.0
"""mutate.py --auto count             how many automatic mutations there are, by kind
mutate.py --auto show NAME            the lines that FILE:LINE:COLUMN:KIND.NUMBER changes, as equivalent.txt has them
mutate.py --auto measure DIR          tries a sample against the suites push and pairs; a line of JSON each in DIR, go on after a break
mutate.py --auto elsewhere DIR        compiles those that survived for the kernel's other types, whose Cases may convict them
mutate.py --auto again DIR            tries those that survived in their own types again, by the suite as it is now
mutate.py --auto table DIR            what was measured, and each mutant that is left with its lines
mutate.py --auto check                whether kernels/mutants/equivalent.txt fits today's kernels; exit code 1 where not
"""
import argparse
import collections

from mutation import ledger, measure, table
from mutation.draw import mutations_of, named
from mutation.kernel import ROOT, kernels, sources_of


def count(_):
    files = sorted({file for kernel in kernels() for file in sources_of(f"{kernel}.cu")})
    kinds = collections.Counter(mutation.kind for file in files for mutation in mutations_of(file))
    for kind, number in [*kinds.most_common(), ("all", sum(kinds.values()))]:
        print(f"{kind:12}{number:6}")


def show(options):
    print(ledger.paragraph_of(named(options.name)))


def check(_):
    entries, stale = ledger.read()
    print("\n".join([*stale, f"{sum(map(len, entries.values())) + len(stale)} equivalent mutations, {len(stale)} stale"]))
    return 1 if stale else 0


def parser():
    result = argparse.ArgumentParser(prog="mutate.py --auto", formatter_class=argparse.RawTextHelpFormatter, usage=__doc__)
    verbs = result.add_subparsers(required=True)
    verbs.add_parser("count").set_defaults(run=count)
    verbs.add_parser("check").set_defaults(run=check)
    shown = verbs.add_parser("show")
    shown.add_argument("name")
    shown.set_defaults(run=show)
    for name, run in (("measure", measure.measure), ("elsewhere", measure.elsewhere), ("again", measure.again)):
        verb = verbs.add_parser(name)
        verb.add_argument("dir")
        verb.add_argument("--build", default=ROOT / "build" / "cpu", help="a folder with gradproof and gradproof-worker built")
        verb.add_argument("--shard", default="0/1", help="I/N: one of several that run at once")
        verb.set_defaults(run=run)
        if name == "measure":
            verb.add_argument("--each", type=int, default=12, help="compiled mutants for each kernel and types (default 12)")
            verb.add_argument("--seed", type=int, default=1)
    printed = verbs.add_parser("table")
    printed.add_argument("dir")
    printed.set_defaults(run=lambda options: print(table.text_of(measure.rows_in(options.dir))))
    return result


def main(arguments):
    options = parser().parse_args(arguments)
    return options.run(options) or 0
