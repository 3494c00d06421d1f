# SPDX-License-Identifier: Apache-2.0
"""By which factor a number of the line may be off and is seen: the same tensors are judged by lines with that number multiplied."""
import re

from gradproof import program, resident
from gradproof.errors import ProgramError

# These factors are tried, in this order.
FACTORS = (1.1, 1.3, 2.0, 3.0, 10.0, 100.0)
# These sets are asked: the given one, rows of all kinds, and numbers of a variance at which an eps counts.
SETS = ("given", "mixed", "scaled:1e-3")


def factors(line, records):
    """The least factor by "STEP.WORD"; None where no factor is seen.

    All that is asked is asked of one process. Numbers that are no floating ones, or 0, are left out.
    """
    cases = list(dict.fromkeys(record["case"] for record in records if record["set"] in SETS))
    numbers = [(step, word, value) for step, word, value in line.numbers if isinstance(value, float) and value]
    asked = []
    for step, word, value in numbers:
        for factor in FACTORS:
            text = with_number(line.steps, step, word, value * factor)
            if _can_be(text):
                asked += [(with_line(case, text, len(asked) + k), f"{step}.{word}", factor) for k, case in enumerate(cases)]
    least = {f"{step}.{word}": None for step, word, _ in numbers}
    if not asked:
        return least
    judged = resident.run("check", *(case for case, _, _ in asked), "--quiet", "--no-shrink").records
    wrong = {record["kernel"] for record in judged if program.is_wrong(record)}
    for k, (_, number, factor) in reversed(list(enumerate(asked))):
        if f"seen{k}" in wrong:
            least[number] = factor
    return least


def _can_be(text):
    """Whether the program takes the line: a min above its max it refuses."""
    try:
        return bool(resident.line_of(text))
    except ProgramError:
        return False


def with_number(steps, step, word, value):
    """The steps as a line, in which that number of that step is another one."""
    def changed(text):
        if not text.startswith(f"{step} = "):
            return text
        said = f"{word}={value!r}"
        found = re.sub(rf"\b{word}=[^,)\s]+", said, text)
        return found if said in found else re.sub(r"\)$", f", {said})", text)
    return "; ".join(map(changed, steps))


def with_line(case, text, k):
    """The Case with another line, and a name by which its records are known."""
    keys = re.sub(r" name=\S+", "", re.sub(r"^\{[^}]*\}", "", case))
    return f"{{{text}}}{keys} name=seen{k}"
