# SPDX-License-Identifier: Apache-2.0
"""What a check says in the output of a test: docs/python.md. The sentences on a cause are the program's (`gradproof serve`)."""
import re
import shlex
import textwrap

from gradproof import program

# Columns that a test runner leaves of 100, and lines of a conviction.
WIDTH = 92
MOST_LINES = 15
# What pytest writes before the first line.
RAISED = "gradproof.errors.Convicted: "
BESIDES = "  besides  "
HEAD = ("verdict", "tensor", "of bound", "p99", "resolves", "median", "inputs")


def _number(value):
    """Of a record, where an infinity and a NaN are words."""
    return value if isinstance(value, str) else f"{value:.2g}"


def _row(judgement, tensor):
    record = judgement.record(tensor)
    found, sets = record["discrepancy"], [one for one in judgement.records if one["tensor"] == tensor]
    numbers = [found["max_ratio"], found["p99_ratio"], found["resolution"]["whole"], found["resolution"]["median"]]
    shown = [_number(number) for number in numbers] if found["elements"] else ["-"] * len(numbers)
    return (record["verdict"], tensor, *shown, record["set"] if len(sets) == 1 else f"{record['set']}, one of {len(sets)}")


def table(judgement):
    """A row for each tensor: of the set of inputs in which it is wrong, if it is, else of the given one."""
    rows = [HEAD, *(_row(judgement, tensor) for tensor in dict.fromkeys(record["tensor"] for record in judgement.records))]
    widths = [max(len(row[k]) for row in rows) for k in range(len(HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([*lines, *_parts(judgement)])


def _parts(judgement):
    """A line for each part that stands for tensors of which not all is judged."""
    tensors = {}
    for record in judgement.records:
        if record.get("sample"):
            tensors.setdefault(record["sample"], {})[record["tensor"]] = None
    return [f"judged of {' '.join(names)}: {part} (elements=\"all\" judges all)" for part, names in tensors.items()]


def short(judgement):
    """In one line: "<Judgement: y, d_x Passed; d_weight Mistrusted>"."""
    verdicts = {}
    for tensor in dict.fromkeys(record["tensor"] for record in judgement.records):
        verdicts.setdefault(judgement.record(tensor)["verdict"], []).append(tensor)
    return "<Judgement: " + "; ".join(f"{', '.join(tensors)} {verdict}" for verdict, tensors in verdicts.items()) + ">"


def replay(cases):
    """Lines that a shell takes as they stand, and that judge the Cases of the file again."""
    first, rest = program.command("check"), shlex.join(["--cases", str(cases)])
    between = " " if len(first) + len(rest) + 12 <= WIDTH else " \\\n             "
    return f"  replay   {first}{between}{rest}"


def conviction(judgement, hows):
    """The first line says which tensor is wrong, how much of it, by how much, and what follows.

    hows: by the name of each set of inputs, in what it is not what was given.
    """
    if not judgement.causes:
        return f"{judgement}\n{judgement.replay}"
    cause, *others = judgement.causes
    shown = judgement.files.name_of(cause["case"])
    more = len({record["set"] for record in judgement.records if program.is_wrong(record)}) - 1
    besides = f" and {more} set{'s' if more > 1 else ''} more" if more else ""
    lines = textwrap.wrap(RAISED + cause["what"], WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    lines[0] = lines[0][len(RAISED):]
    lines.append(f"  {hows[shown] or 'with the given tensors'}{besides}:")
    rows, ends = cause["table"].splitlines(), cause["details"].splitlines()
    said, replay = len(lines) + 2 + len(ends), judgement.replay.splitlines()
    if others and said + len(replay) < MOST_LINES:
        ends.append(BESIDES + textwrap.shorten(others[0]["what"], WIDTH - len(BESIDES), placeholder=" ..."))
    ends += replay
    return "\n".join(lines + rows[:max(2, MOST_LINES - len(lines) - len(ends))] + ends)


def doubts(records):
    """A sentence for each reason for which passes prove little, with the tensors that it is true of."""
    kinds = {}
    for record in records:
        kinds.setdefault(re.sub(r"\S*\d\S*", "", record["reason"]), []).append(record)
    return [f"{', '.join(record['tensor'] for record in found)} passed, and that proves little: {found[0]['reason']}"
            for found in kinds.values()]
