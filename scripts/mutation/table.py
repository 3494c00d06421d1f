# SPDX-License-Identifier: Apache-2.0
"""What was measured: counts by kernel, by types, by kind and by file, and each mutant that is left."""
import collections

from mutation import ledger
from mutation.measure import latest

COLUMNS = ("tried", "not compiled", "same code", "compiled", "convicted", "elsewhere", "equivalent", "left")


def column_of(row, entries):
    if row["outcome"] == "survived" and ledger.reason_of(entries, row):
        return "equivalent"
    return {"survived": "left", "odd": "left"}.get(row["outcome"], row["outcome"])


def table(rows, of, entries):
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        for key in (row[of], "all"):
            counts[key]["tried"] += 1
            column = column_of(row, entries)
            counts[key][column] += 1
            counts[key]["compiled"] += column not in ("not compiled", "same code")
    yield f"| {of} | " + " | ".join(COLUMNS) + " |"
    yield "|---|" + "---:|" * len(COLUMNS)
    for key in sorted(counts, key=lambda key: (key == "all", key)):
        yield f"| {key} | " + " | ".join(str(counts[key][column]) for column in COLUMNS) + " |"


def text_of(rows):
    """All of it, as Markdown."""
    entries, _ = ledger.read()
    rows = list(latest(rows).values())
    lines = []
    for of in ("kernel", "dtype", "kind", "file"):
        lines += [*table(rows, of, entries), ""]
    how = collections.Counter(" ".join(row["how"].split()[:1]) for row in rows if row["outcome"] == "convicted")
    lines += ["convicted as: " + ", ".join(f"{word} {count}" for word, count in how.most_common()), ""]
    for row in rows:
        if column_of(row, entries) == "left":
            lines += diff_of(row)
    return "\n".join(lines)


def diff_of(row):
    return [f"{row['kernel']}/{row['dtype']} {row['name']}  {row['outcome']}: {row['how']}",
            *(f"  - {line}" for line in row["before"]), *(f"  + {line}" for line in row["after"])]
