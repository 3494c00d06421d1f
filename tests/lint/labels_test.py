# SPDX-License-Identifier: Apache-2.0
"""Every test has a room's label, and what is labelled quick is small (CONTRIBUTING.md, cmake/GradproofLabels.cmake).

Usage: labels_test.py SOURCE_DIR BUILD_DIR CTEST      Controls run first: tests without a label, with a strange one, and
quick ones that may not be, which must be reported.
"""
import json
import pathlib
import subprocess
import sys


def folders(source: pathlib.Path) -> set[str]:
    """Rooms and folders of tests/."""
    return {path.name for parent in (source, source / "tests") for path in parent.iterdir()
            if path.is_dir() and path.name[0] != "." and path.name not in ("build", "tests", "support")}


def complaints(tests: list[dict], known: set[str]):
    quick = 0
    for test in tests:
        labels = {label for p in test.get("properties", []) if p["name"] == "LABELS" for label in p["value"]}
        if not labels & known:
            yield f"{test['name']}: no label of a room or of a folder of tests/"
        for label in sorted(labels - known - {"quick"}):
            yield f"{test['name']}: the label {label} is no folder"
        if "quick" in labels:
            quick += 1
            if "." not in test["name"] or "/" in test["name"]:
                yield f"{test['name']}: quick, and no single test of a program"
    if not quick:
        yield "no test is quick"


def test_of(name: str, *labels: str) -> dict:
    return {"name": name, "properties": [{"name": "LABELS", "value": list(labels)}] if labels else []}


def failed_controls(known: set[str]):
    right = test_of("core_test.Case.IsRead", "core", "quick")
    for wrong, wanted in ((test_of("core_test.Case.IsRead"), "no label"), (test_of("core_test.Case.IsRead", "quick"), "no label"),
                          (test_of("core_test.Case.IsRead", "core", "kore"), "kore is no folder"),
                          (test_of("graph_test", "oracles", "quick"), "quick, and no"),
                          (test_of("laws_test.All/Laws.Hold/dx_sum", "properties", "quick"), "quick, and no")):
        if not any(wanted in said for said in complaints([right, wrong], known)):
            yield f"control: nothing is said of {wrong}"
    if list(complaints([right], known)):
        yield "control: something is said of a right test"
    if not list(complaints([test_of("core_test.Case.IsRead", "core")], known)):
        yield "control: nothing is said where no test is quick"


def main() -> int:
    source, build, ctest = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    known = folders(source)
    listed = subprocess.run([ctest, "--show-only=json-v1", "--test-dir", build], capture_output=True, text=True, check=True)
    tests = json.loads(listed.stdout)["tests"]
    said = [*failed_controls(known), *complaints(tests, known)]
    print("\n".join(said + [f"{len(tests)} tests, {len(said)} complaints"]))
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
