#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What README.md, CONTRIBUTING.md and docs/ print, name and link to is what the programs print and the tree has.

Usage: docs_test.py BIN [--update]     BIN: the folder of the programs, build/cpu/bin

- Sessions. In a fenced block a line `$ COMMAND` is run, and what it prints, errors too, must be the lines beneath it, to
  the next `$` or the end of the block, none longer than 100 columns. `...` stands for any text of a line, as a line of its own for any lines. Seconds and
  peak memory are not compared. The block runs in a fresh folder. A command that takes minutes, or needs a GPU, has no `$`.
  What runs an example is left to tests/package/pages_test.py.
- Every Case outside of sessions is run: `check` must judge it, and without a mutant no tensor fails.
- docs/diagnosis.md: what `audit` says of each mutant in the table.
- Tables: suites, laws, kernels, verbs, mutants; how many mutants and Cases there are. Keys of records. Links, their anchors, and paths of files.
- CONTRIBUTING.md: every folder of a room; the lines of the stage that it shows, and that these are all there are.

--update writes sessions, mutants and their number anew; what it cannot place is still reported. Controls run first: pages with one
mistake each, which must be reported.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import sessions
from cases import check_cases, check_diagnosis
from contributing import check_folders, check_stage_diff
from tables import MUTANTS, ROOT, check_counts, check_links, check_tables, mutant_tables, with_counts


def pages_of(root):
    paths = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
    return {str(path.relative_to(root)): path.read_text() for path in paths}


class Programs:
    """The built programs, and what they say of themselves."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        table = self.run("list").stdout.split("\n\n")[0].splitlines()[1:]
        self.kernels = [line.split()[0] for line in table if not line.startswith(" ")]

    def run(self, *arguments):
        wide = {**os.environ, "COLUMNS": "100000"}  # what is said of a thing stands in one line
        return subprocess.run([self.folder / "gradproof", *map(str, arguments)], capture_output=True, text=True, env=wide)

    def choices(self, kernel, key):
        """The words that a key of the kernel's Case may have."""
        line = re.search(rf"^  {key} +\S+ +(.*?)(?:   #.*)?$", self.run("list", kernel).stdout, re.M)
        return line[1].split() if line else []


def check_sessions(pages, programs):
    found = [(page, session) for page, text in pages.items() for session in sessions.find(text) if not session.has_an_example()]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for said in pool.map(lambda f: list(sessions.complaints(*f, programs.folder)), found):
            yield from said
    if not found:
        yield "no sessions"


CHECKS = (check_tables, check_counts, check_sessions, check_cases, check_diagnosis, check_links, check_folders, check_stage_diff)

# A mistake in a page, and what must be said of it.
CONTROLS = [
    (check_tables, "docs/cli.md", "| `push` |", "| `pull` |", "suites lacks push"),
    (check_tables, "docs/laws.md", "| `dx_sum` |", "| `dx_product` |", "laws has dx_product"),
    (check_tables, "docs/kernels.md", "| `swish_bias` |", "| `swish` |", "kernels lacks swish_bias"),
    (check_tables, "docs/cli.md", "| `doctor [--json]` |", "| `nurse` |", "verbs lacks doctor"),
    (check_tables, "docs/mutants.md", "added after the division", "added", "no row | `bias_after_divide`"),
    (check_counts, "README.md", " of them, that prove", "0 of them, that prove", "**mutants**"),
    (check_counts, "docs/coverage.md", "Cases, `pairs` ", "Cases, `pairs` 1", "`push` has "),
    (check_links, "README.md", "[install](docs/install.md)", "[install](docs/instal.md)", "link to docs/instal.md"),
    (check_links, "README.md", "install.md#torch-from-python", "install.md#torch", "no such heading"),
    (check_links, "docs/verdicts.md", "cli/", "cli/no_such_file.h cli/", "cli/no_such_file.h"),
    (check_folders, "CONTRIBUTING.md", "`linear/`", "`lines/`", "does not name linear/"),
    (check_stage_diff, "CONTRIBUTING.md", '"mish") return at::mish(x)', '"mish") return at::mist(x)', "has no line"),
    (check_stage_diff, "CONTRIBUTING.md", "oracles/graph/elementwise.cpp: ", "oracles/graph/plan/plan.cpp: ", "lacks oracles/graph/elementwise.cpp"),
    (check_stage_diff, "CONTRIBUTING.md", " lines in 9 files", " lines in 8 files", "the new stage is 42 lines in 9 files"),
    (check_sessions, "README.md", "  passed   y  ", "  passed   z  ", "-  passed   z "),
    (check_sessions, "docs/cli.md", "got 1.32380474", "got 1.42380474", "+  worst    d_x[19,9]: got 1.32380474"),
    (check_sessions, "README.md", "gradproof check 'batchnorm", "gradproof check --verbose 'batchnorm", "a line of 1"),
    (check_cases, "docs/models.md", " in=19 ", " inn=19 ", "unknown key 'inn'"),
    (check_cases, "docs/records.md", "`digest`", "`digset`", "key digest"),
    (check_diagnosis, "docs/diagnosis.md", "| cut off to bf16", "| cut off to f16", "mutant=bfloat_truncated"),
    (check_diagnosis, "docs/diagnosis.md", " of 5400 |", " of 5401 |", "mutant=bfloat_truncated"),
]


def of_a_few_lines(pages, page, mistake):
    """The page with no more sessions, Cases and rows than those around the mistake; the others without any."""
    blocks = re.findall(r"^```\w*\n.*?^```\n", pages[page], re.M | re.S) + pages[page].splitlines(keepends=True)
    return {name: "" for name in pages} | {page: next(block for block in blocks if mistake in block),
                                           "docs/records.md": pages["docs/records.md"]}


def failed_controls(pages, programs):
    for check, page, right, mistake, wanted in CONTROLS:
        wrong = pages | {page: pages[page].replace(right, mistake, 1)}
        if check in (check_sessions, check_diagnosis):
            wrong = of_a_few_lines(wrong, page, mistake)
        if not any(wanted in said for said in check(wrong, programs)):
            yield f"control: nothing is said of '{mistake}' in {page}"


def update(pages, programs):
    for page, text in pages.items():
        new = with_counts(page, sessions.updated(text, programs.folder))
        if page == "docs/mutants.md":
            new = MUTANTS.sub(lambda _: mutant_tables(programs.kernels), new)
        if new != text:
            print(f"updated {page}")
            (ROOT / page).write_text(new)


def main():
    programs = Programs(sys.argv[1])
    if sys.argv[2:] == ["--update"]:
        update(pages_of(ROOT), programs)
    pages = pages_of(ROOT)
    failed = list(failed_controls(pages, programs))
    for check in CHECKS:
        failed += check(pages, programs)
    print("\n".join(failed))
    print(f"{len(CONTROLS)} controls, {len(pages)} pages, {len(failed)} complaints")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
