# SPDX-License-Identifier: Apache-2.0
"""What CONTRIBUTING.md says of folders and of a new stage, held to the tree (docs_test.py)."""
import re

from tables import ROOT

PAGE = "CONTRIBUTING.md"
CODE = ("*.h", "*.cpp", "*.cu", "*.cuh", "*.py")
# Where a stage's word stands beside the files that a new stage takes: uses of it.
USES = ("fixtures/cases/level", "tests/graph/", "tests/docs/", "tests/fuzz/")


def holds_code(folder):
    return any(found for pattern in CODE for found in folder.rglob(pattern))


def check_folders(pages, _programs):
    """Each folder of code right in a room is named in the room's row."""
    rows = dict(re.findall(r"^\| `(\w+)/` \| (.*) \|$", pages[PAGE], re.M))
    rooms = {line.split(":")[0].split("/")[0] for line in (ROOT / "scripts/rooms").read_text().splitlines()
             if line and not line.startswith("#")}
    for room in sorted(rooms):
        if room not in rows:
            yield f"{PAGE}: no row of {room}/"
            continue
        for folder in sorted((ROOT / room).iterdir()):
            if room == "examples" or not folder.is_dir() or not holds_code(folder):
                continue
            if f"`{folder.name}/`" not in rows[room]:
                yield f"{PAGE}: the row of {room}/ does not name {folder.name}/"


def stage_diff(text):
    """The lines that the diff of Add a stage adds, by file."""
    added = {}
    block = re.search(r"^```diff\n(.*?)^```$", text, re.M | re.S)
    for line in (block[1] if block else "").splitlines():
        if header := re.match(r"([\w/]+\.\w+): ", line):
            lines = added.setdefault(header[1], [])
        elif line.startswith("+"):
            lines.append(line[1:])
    return added


def check_stage_diff(pages, _programs):
    """The lines stand in the tree, are as many as the page says, and no other file has the stage's word."""
    text = pages[PAGE]
    added = stage_diff(text)
    if not added:
        yield f"{PAGE}: no diff of a new stage"
    for file, lines in added.items():
        there = (ROOT / file).read_text().splitlines() if (ROOT / file).exists() else []
        for line in lines:
            if line not in there:
                yield f"{PAGE}: {file} has no line '{line}'"
    true = f"{sum(map(len, added.values()))} lines in {len(added)} files"
    if true not in text:
        yield f"{PAGE}: the new stage is {true}"
    rooms = [path for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "." and path.name not in ("build", "docs")]
    for path in sorted(found for room in rooms for pattern in (*CODE, "*.cases") for found in room.rglob(pattern)):
        file = path.relative_to(ROOT).as_posix()
        if file not in added and not file.startswith(USES) and re.search(r"\bmish\b", path.read_text(errors="replace"), re.I):
            yield f"{PAGE}: the diff of a new stage lacks {file}"
