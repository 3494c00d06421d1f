# SPDX-License-Identifier: Apache-2.0
"""Tables, links and paths of the pages, held to the programs and the tree (docs_test.py)."""
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MUTANTS = re.compile(r"^`\w+`:\n\n\| mutant .*\n\|---.*\n(?:(?:\|.*|`\w+`:)?\n)*(?=The same mechanism)", re.M)


def first_column(text, header):
    """The words in backticks that start the rows of the table with this header."""
    rows = re.search(rf"^\| {re.escape(header)} \|.*\n\|[-:| ]+\n((?:\|.*\n)+)", text, re.M)
    return [word for row in rows[1].splitlines() for word in re.findall(r"`(\w+)", row.split("|")[1])] if rows else []


def each_column(text, header):
    """The same of every table with this header."""
    starts = [found.start() for found in re.finditer(rf"^\| {re.escape(header)} \|", text, re.M)]
    return [word for start in starts for word in first_column(text[start:], header)]


def differing(page, what, said, true):
    for word in sorted(set(true) - set(said)):
        yield f"{page}: the table of {what} lacks {word}"
    for word in sorted(set(said) - set(true)):
        yield f"{page}: the table of {what} has {word}, which there is not"


def mutant_tables(kernels):
    """The tables of docs/mutants.md, from the files' own words."""
    rows = {kernel: [] for kernel in kernels}
    for path in sorted((ROOT / "kernels/mutants").glob("*/*.mutant"), key=lambda path: path.stem):
        said = dict(re.findall(r"^(kernel|says|dtype): *(.*)$", path.read_text().split("\nfind:")[0], re.M))
        dtype = f", {said['dtype']}" if "dtype" in said else ""
        rows[said["kernel"].removesuffix(".cu")].append(f"| `{path.stem}`{dtype} | {said['says']} |\n")
    return "".join(f"`{kernel}`:\n\n| mutant | fault |\n|---|---|\n{''.join(lines)}\n"
                   for kernel, lines in rows.items() if lines)


def cases_of(suite):
    """How many Cases the file and the folder of the suite have."""
    folder = ROOT / "fixtures/cases"
    return sum(len(re.findall(r"^[^#\n]", path.read_text(), re.M))
               for path in [*folder.glob(f"{suite}.cases"), *folder.glob(f"{suite}/*.cases")])


def with_counts(page, text):
    """The page with the numbers of mutants and of Cases of the suites push and pairs that there are."""
    mutants = len(list((ROOT / "kernels/mutants").glob("*/*.mutant")))
    push, pairs = cases_of("push"), cases_of("pairs")
    for where, before, number, behind in [
            ("README.md", r"\*\*mutants\*\*, ", mutants, " of them"), ("docs/diagnosis.md", "Of the ", mutants, " mutants"),
            ("README.md", "tensor of all ", push, " Cases of the suite"),
            ("docs/coverage.md", "`push` has ", push, " Cases"), ("docs/coverage.md", "`pairs` ", pairs, " more")]:
        if page == where:
            text, found = re.subn(f"({before})\\d+({behind})", rf"\g<1>{number}\2", text)
            if not found:
                raise LookupError(f"{page}: no number between '{before}' and '{behind}'")
    return text


def check_counts(pages, _programs):
    for page, text in pages.items():
        for said, true in zip(text.splitlines(), with_counts(page, text).splitlines()):
            if said != true:
                yield f"{page}: there are as many as this: {true}"


def check_tables(pages, programs):
    suites = {path.stem for path in (ROOT / "fixtures/cases").iterdir() if path.is_dir() or path.suffix == ".cases"}
    yield from differing("docs/cli.md", "suites", first_column(pages["docs/cli.md"], "suite"), suites)
    offered = re.search(r"--suite .*?:\s*((?:[a-z0-9_]+\s+)+)--", programs.run("check", "--help").stdout)
    yield from differing("check --help", "suites", offered[1].split() if offered else [], suites)
    laws = [law for law in programs.choices(programs.kernels[0], "law") if law not in ("none", "all")]
    yield from differing("docs/laws.md", "laws", each_column(pages["docs/laws.md"], "law"), laws)
    kernels = [kernel for kernel in programs.kernels if not kernel.startswith("linear_")]
    yield from differing("docs/kernels.md", "kernels", first_column(pages["docs/kernels.md"], "kernel"), kernels)
    verbs = programs.run("no-verb").stderr.split("known: ")[-1].split()
    yield from differing("docs/cli.md", "verbs", first_column(pages["docs/cli.md"], "verb"), verbs)
    table = MUTANTS.search(pages["docs/mutants.md"])
    said = set((table[0] if table else "").splitlines())
    for line in mutant_tables(kernels).splitlines():
        if line not in said:
            yield f"docs/mutants.md: no row {line}"
    if table and table[0] != mutant_tables(kernels):
        yield "docs/mutants.md: other rows, or another order, than kernels/mutants has; --update writes them"


def anchors(text):
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(pages, _programs):
    rooms = "|".join(path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith((".", "build")))
    for page, text in pages.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            path, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if "://" in target:
                continue
            if not (ROOT / file).exists():
                yield f"{page}: link to {target}, which there is not"
            elif anchor and anchor not in anchors(pages.get(file, "")):
                yield f"{page}: link to {target}: no such heading"
        for path in re.findall(rf"(?<![\w/.<>-])((?:{rooms})/[\w/.]+\.(?:h|cpp|cuh?|py|md|cases|csv|txt|svg|cmake))\b", text):
            if not (ROOT / path).exists() and not re.search(r"/[A-Z]+\.", path):  # NAME stands for a name
                yield f"{page}: {path}, which there is not"
