# SPDX-License-Identifier: Apache-2.0
"""Cases that stand in the pages, what their records hold, and what an audit says of the mutants (docs_test.py)."""
import json
import math
import pathlib
import re
import tempfile

import sessions


def cases_of(pages, kernels):
    """The Cases that stand outside of sessions: {Case: page}."""
    words = "|".join(sorted(kernels, key=len, reverse=True))
    found = {}
    for page, text in pages.items():
        for one in sessions.find(text):
            text = text.replace(one.text, "")
        for case in re.findall(rf"(?<![\w/])(?:{words})(?: [a-z_]+=[^\s'\"`|]+)+", text):
            found[case] = page
    return found


def refused(error, cases):
    """The line of the case file that an error names, and what it says."""
    said = re.search(r"cases:(\d+): (.*)", error)
    return (list(cases)[int(said[1]) - 1], said[2]) if said else (None, error.strip())


def check_cases(pages, programs):
    cases = cases_of(pages, programs.kernels)
    records, folder = [], tempfile.TemporaryDirectory()
    while cases:
        path = pathlib.Path(folder.name, "docs.cases")
        path.write_text("".join(case + "\n" for case in cases))
        done = programs.run("check", "--no-shrink", "--cases", path, "--records", folder.name)
        if done.returncode not in (2, 3):
            file, = pathlib.Path(folder.name).glob("*Z-*.jsonl")
            lines = [json.loads(line) for line in file.read_text().splitlines()]
            records = [line for line in lines if "verdict" in line]
            yield from check_keys(pages, [lines[0], lines[-1]])
            break
        case, what = refused(done.stderr, cases)
        yield f"{cases.pop(case, 'docs')}: {what}"
        if case is None:
            return
    for record in records:
        wrong = record["verdict"] not in ("Passed", "Mistrusted") and "mutant=" not in record["case"]
        if wrong:
            yield f"{record['case']}: {record['tensor']} {record['verdict']} {record['reason']}"
    yield from check_keys(pages, records)


def keys_of(value):
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


def check_keys(pages, records):
    known = set(re.findall(r"`(\w+)`", pages["docs/records.md"]))
    for key in sorted(set().union(*map(keys_of, records)) - known):
        yield f"docs/records.md: nothing of the key {key}"


def check_diagnosis(pages, programs):
    table = re.findall(r"^\| `(\w+)` \| `([^`]+)` \| (\w+), (\d+) of (\d+) \| (.*) \|$", pages["docs/diagnosis.md"], re.M)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "docs.cases")
        path.write_text("".join(f"{case} mutant={mutant}\n" for mutant, case, *_ in table))
        done = programs.run("audit", "--json", "--entries", "sample:1", "--cases", path)
    if done.returncode in (2, 3):
        yield f"docs/diagnosis.md: {done.stderr.strip()}"
    rows = [json.loads(line) for line in done.stdout.splitlines() if '"tensor"' in line]
    said = {}
    for row in rows:
        mutant = re.search(r"mutant=(\w+)", row["case"])[1]
        for kernel in [witness for witness in row["differences"]["witnesses"] if witness["name"] == "kernel"]:
            said[mutant, row["tensor"]] = f"{kernel['wrong']} of {math.prod(row['shape'])}", kernel["text"]
    for mutant, case, tensor, wrong, entries, words in table:
        count, text = said.get((mutant, tensor), ("", "nothing"))
        if rows and (count != f"{wrong} of {entries}" or words not in text):
            yield f"docs/diagnosis.md: {case} mutant={mutant}: {tensor}, {count}: {text}"
    yield from check_keys(pages, rows)
    if not table:
        yield "docs/diagnosis.md: no table of mutants"
