# SPDX-License-Identifier: Apache-2.0
"""Tests that are known to be convicted, from a file of lines `TEST | * | REASON | DATE` (docs/known-failures.md)."""
import dataclasses
import re

FORM = "TEST | * | REASON | DATE"
DATE = re.compile(r"\d{4}-[01]\d-[0-3]\d")


@dataclasses.dataclass(frozen=True)
class Known:
    pattern: re.Pattern
    reason: str
    date: str

    def is_of(self, test):
        return self.pattern.fullmatch(test) is not None


def read(path):
    """All lines of the file. Raises ValueError (`file:line: ...`) for one that is none, and OSError."""
    found = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip() and not line.lstrip().startswith("#"):
                try:
                    found.append(_known(line.strip()))
                except ValueError as error:
                    raise ValueError(f"{path}:{number}: {error}") from None
    return found


def _known(line):
    parts = [part.strip() for part in line.rsplit("|", 3)]
    if len(parts) < 4 or not all(parts):
        raise ValueError(f"'{line}' is not {FORM}")
    test, tensor, reason, date = parts
    if tensor != "*":
        raise ValueError(f"'{tensor}' is no '*': of a test there are no tensors to choose")
    if not DATE.fullmatch(date):
        raise ValueError(f"'{date}' is no date as 2026-11-28; it is the last part")
    return Known(re.compile(".*".join(map(re.escape, test.split("*")))), reason, date)
