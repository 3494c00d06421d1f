#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/coverage_lines.py says which lines and branches were not reached, and which lines of its ledger are not true: a
kernel of two template instances, compiled and run, with one ledger after the other.

Usage: coverage_lines_test.py SOURCE_DIR COMPILER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

KERNEL = """template <int kLanes>
int batches(int rows) {
  int found = 0;
  if (rows > kLanes) found = rows / kLanes;
  if (rows < 0)
    found = -1;
  return found;
}
int never(int rows) {
  return rows;
}
int main() { return batches<1>(7) + batches<32>(7) == 7 ? 0 : 1; }
"""
# What is not reached: `rows < 0`, `never`, and of each instance of `batches` one branch of its first condition.
FILE = "kernels/device.cu"
NEGATIVE = f"{FILE} | line | found = -1; | batches< | rows is not negative"
CONDITION = f"{FILE} | branches 1 | if (rows < 0) | batches< | rows is not negative"
NEVER = f"{FILE} | function | int never(int rows) {{ | never | it is called by nobody"
ONE = f"{FILE} | branches 1 | if (rows > kLanes) found = rows / kLanes; | batches<1> | there are rows"
MANY = f"{FILE} | branches 1 | if (rows > kLanes) found = rows / kLanes; | batches<32> | there are fewer than 32 rows"
TRUE = [NEGATIVE, CONDITION, NEVER, ONE, MANY]


def but(line: str, *others: str) -> list[str]:
    return [one for one in TRUE if one != line] + list(others)


# what the ledger is: (its lines, exit code, what is said)
LEDGERS = {
    "true": (TRUE, 0, "excused by"),
    "one line short": (but(NEGATIVE), 1, "kernels/device.cu:6: line not reached by 2 instances"),
    "one branch short": (but(MANY), 1, "kernels/device.cu:4: branches not reached by 1 instances, such as kernel f32 int batches<32>"),
    "one function short": (but(NEVER), 1, "kernels/device.cu:9: line not reached by 1 instances"),
    "idle": (but("", NEGATIVE.replace("batches<", "batches<64>")), 1, "matches nothing"),
    "of a line that one instance reached": (
        but("", f"{FILE} | line | return found; | batches< | no reason"), 1, "is reached in 2 instances"),
    "of a function that is called": (
        but("", f"{FILE} | function | int batches(int rows) {{ | batches<32> | no reason"), 1, "is called in"),
    "of more branches than there are": (
        but(MANY, MANY.replace("branches 1", "branches 2")), 1, "1 branches are not reached in 1 instances"),
    "of branches that another instance reached": (
        but(CONDITION, CONDITION.replace("branches 1", "branches 0")), 1, "1 branches are not reached in 2 instances"),
    "without a reason": (but(MANY, MANY.rsplit(" | ", 1)[0]), 1, "write FILE | line, branches N or function"),
}


def counted(tree: pathlib.Path, compiler: str, options: list[str]) -> pathlib.Path:
    """The folder with what gcov counted of the kernel's run."""
    (tree / "scripts").mkdir(parents=True)
    (tree / FILE).parent.mkdir()
    (tree / FILE).write_text(KERNEL)
    objects = tree / "objects"
    objects.mkdir()
    (objects / "kernel-f32.cpp").write_text(f'#include "{tree / FILE}"\n')
    for command in ([compiler, "-O0", "--coverage", "-fprofile-abs-path", *options, "-c", "kernel-f32.cpp", "-o", "kernel-f32.cpp.o"],
                    [compiler, "--coverage", "kernel-f32.cpp.o", "-o", "kernel"], ["./kernel"]):
        subprocess.run(command, cwd=objects, check=True)
    return objects


def failures_in(tree: pathlib.Path, source: pathlib.Path, compiler: str, options: list[str]) -> list[str]:
    objects = counted(tree, compiler, options)
    script = shutil.copy(source / "scripts/coverage_lines.py", tree / "scripts")
    failures = []
    for what, (lines, code, said) in LEDGERS.items():
        (tree / "lines.ledger").write_text("\n".join(lines) + "\n")
        done = subprocess.run([sys.executable, "-B", script, objects, tree / "lines.ledger", tree / "reached.json"],
                              capture_output=True, text=True, check=False)
        if done.returncode != code or said not in done.stdout + done.stderr:
            failures.append(f"{what} {options}: exit {done.returncode}, wanted {code} and '{said}', got\n{done.stdout}{done.stderr}")
    return failures


def main() -> int:
    source = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        plain, mapped = (pathlib.Path(folder).resolve() / name for name in ("plain", "mapped"))
        failures = failures_in(plain, source, sys.argv[2], [])
        # The counts then name files of the tree as if they lay in the folder that was built in.
        failures += failures_in(mapped, source, sys.argv[2], [f"-ffile-prefix-map={mapped}/="])
    print("\n".join(failures) if failures else f"{len(LEDGERS)} ledgers judged, by names of two kinds")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
