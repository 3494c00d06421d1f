# SPDX-License-Identifier: Apache-2.0
"""No code of one compilation of a text may be taken for another's by the linker, which knows it by name alone.

Usage: oracle_compilations_test.py OBJECT...   Looks at every object named fast_tier_<unit> or packed_loss_<unit>:
what it defines for all (weak symbols that are code) must have its unit in the name; a text without an object to look at
is a failure. Control: under another unit's name none would pass.
"""
import pathlib
import re
import subprocess
import sys

TEXTS = ("fast_tier", "packed_loss")


def strangers(path: str, unit: str) -> list[str]:
    """Weak code of the object that does not say which compilation it is of."""
    symbols = subprocess.run(["nm", "-C", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    weak = [line.split(" ", 2)[2] for line in symbols.splitlines() if line.split(" ", 2)[1] == "W"]
    return [name for name in weak if f"gradproof::{unit}::" not in name]


def main() -> int:
    found = dict.fromkeys(TEXTS, 0)
    for path in sys.argv[1:]:
        match = re.match(rf"({'|'.join(TEXTS)})_(\w+)\.cpp", pathlib.Path(path).name)
        if not match:
            continue
        found[match[1]] += 1
        for name in strangers(path, match[2]):
            print(f"{path}: shared with other compilations: {name}")
            return 1
        if not strangers(path, "another"):
            print(f"{path}: the control found nothing: is this a {match[1]}?")
            return 1
    for text, count in found.items():
        print(f"{text}: {count} compilations looked at")
    return 0 if all(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
