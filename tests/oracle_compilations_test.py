# SPDX-License-Identifier: Apache-2.0
"""No code of one compilation of the fast tier may be taken for another's by the linker, which knows it by name alone.

Usage: oracle_compilations_test.py OBJECT...   Looks at every object named fast_tier_<unit>: what it defines for all
(weak symbols that are code) must have its unit in the name; none to look at is a failure. Control: under another unit's
name it would not pass.
"""
import pathlib
import re
import subprocess
import sys


def strangers(path: str, unit: str) -> list[str]:
    """Weak code of the object that does not say which compilation it is of."""
    symbols = subprocess.run(["nm", "-C", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    weak = [line.split(" ", 2)[2] for line in symbols.splitlines() if line.split(" ", 2)[1] == "W"]
    return [name for name in weak if f"gradproof::{unit}::" not in name]


def main() -> int:
    found = 0
    for path in sys.argv[1:]:
        match = re.match(r"fast_tier_(\w+)\.cpp", pathlib.Path(path).name)
        if not match:
            continue
        found += 1
        for name in strangers(path, match[1]):
            print(f"{path}: shared with other compilations: {name}")
            return 1
        if not strangers(path, "another"):
            print(f"{path}: the control found nothing: is this a fast tier?")
            return 1
    print(f"{found} compilations looked at")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
