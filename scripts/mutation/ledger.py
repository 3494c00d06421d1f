# SPDX-License-Identifier: Apache-2.0
"""kernels/mutants/equivalent.txt: automatic mutations that change nothing which anybody could see, each with its reason.

    file: device/columns/column_tree.cuh
    - the line as it is
    + the line as it becomes
    occurrence: 2                         of several with these lines, from the top; may be left out
    only: groupnorm/f64 swish_bias bf16   where it holds for these kernels and types alone; may be left out
    because: one or more lines, up to an empty one
"""
import collections
import dataclasses
import re

from mutation.draw import mutations_of
from mutation.kernel import KERNELS

LEDGER = KERNELS / "mutants" / "equivalent.txt"


@dataclasses.dataclass(frozen=True)
class Entry:
    name: str  # the mutation's
    only: tuple
    because: str

    def holds_for(self, kernel, dtype):
        return not self.only or not {kernel, dtype, f"{kernel}/{dtype}"}.isdisjoint(self.only)


def by_lines(file):
    """(lines before, lines after): the mutations of a file that change them so, from the top."""
    source = (KERNELS / file).read_text()
    found = collections.defaultdict(list)
    for mutation in sorted(mutations_of(file), key=lambda mutation: mutation.start):
        before, after = mutation.diff(source)
        found[tuple(before), tuple(after)].append(mutation.name)
    return found


def paragraph_of(mutation):
    """An entry but for its reason."""
    before, after = mutation.diff((KERNELS / mutation.file).read_text())
    names = by_lines(mutation.file)[tuple(before), tuple(after)]
    lines = [f"file: {mutation.file}", *(f"- {line}" for line in before), *(f"+ {line}" for line in after)]
    return "\n".join(lines + [f"occurrence: {names.index(mutation.name) + 1}"] * (names[0] != mutation.name))


def entry_of(paragraph):
    """Throws ValueError where the lines fit no mutation."""
    fields = dict(re.findall(r"^(file|occurrence|only):[ \t]*(.+)$", paragraph, re.M))
    because = re.search(r"^because:\s*(.+)\Z", paragraph, re.M | re.S)
    if "file" not in fields or not because:
        raise ValueError(f"needs file: and because: in\n{paragraph}")
    before = tuple(re.findall(r"^- (.*)$", paragraph, re.M))
    after = tuple(re.findall(r"^\+ (.*)$", paragraph, re.M))
    names = by_lines(fields["file"]).get((before, after), [])
    occurrence = int(fields.get("occurrence", 1))
    if occurrence > len(names):
        raise ValueError(f"no mutation number {occurrence} makes these lines of each other in\n{paragraph}")
    return Entry(names[occurrence - 1], tuple(fields.get("only", "").split()), " ".join(because[1].split()))


def read(text=None):
    """({name: [Entry...]}, what does not fit any more)."""
    entries, stale = collections.defaultdict(list), []
    text = LEDGER.read_text() if text is None else text
    for paragraph in re.split(r"\n\s*\n", "\n".join(line for line in text.splitlines() if not line.startswith("#"))):
        if paragraph.strip():
            try:
                entry = entry_of(paragraph.strip())
                entries[entry.name].append(entry)
            except (ValueError, OSError) as error:
                stale.append(str(error))
    return entries, stale


def reason_of(entries, row):
    """Why the mutant of a measured row is equivalent; empty where it is not known to be."""
    for entry in entries.get(row["name"], []):
        if entry.holds_for(row["kernel"], row["dtype"]):
            return entry.because
    return ""
