# SPDX-License-Identifier: Apache-2.0
"""What a suite says of a worker: the Cases of one kernel and one combination of types, the quickest first."""
import json
import pathlib
import re
import shutil
import subprocess

SUITES = pathlib.Path("fixtures/cases")
TYPE_OF = {("f32", ""): "f32", ("f64", ""): "f64", ("f16", ""): "f16", ("bf16", ""): "bf16",
           ("f16", "f32"): "mixed", ("bf16", "f32"): "mixed_bf16"}
WRONG = ("Failed", "Improbable", "Nondeterministic", "Crashed", "TimedOut")


def suite_text(root):
    """The suites push and pairs: the file written by hand, and those of both folders."""
    files = [root / SUITES / "push.cases", *sorted((root / SUITES).glob("push/*.cases")), *sorted((root / SUITES).glob("pairs/*.cases"))]
    return "\n".join(file.read_text() for file in files)


def cases_of(text, kernel, dtype):
    """The Case lines for the kernel in these types."""
    for line in text.splitlines():
        words = line.split()
        if not words or words[0] != kernel:
            continue
        keys = dict(word.split("=", 1) for word in words[1:] if "=" in word)
        params = keys.get("params", "")
        if TYPE_OF.get((keys.get("dtype", "f32"), params if params != keys.get("dtype", "f32") else "")) == dtype:
            yield line


def check(front, worker, cases, work, deadline=20):
    """(exit code, records of the tensors in their order, the last lines of text)."""
    file, records = pathlib.Path(work) / "suite.cases", pathlib.Path(work) / "records"
    file.write_text("\n".join(cases) + "\n")
    shutil.rmtree(records, ignore_errors=True)
    done = subprocess.run([front, "check", "--cases", file, "--worker", worker, "--fail-fast", "--no-shrink",
                           "--deadline", str(deadline), "--records", records], capture_output=True, text=True)
    found = [json.loads(line) for run in records.glob("*.jsonl") for line in run.read_text().splitlines()]
    return done.returncode, [record for record in found if "verdict" in record], (done.stdout + done.stderr)[-600:]


def quickest_first(cases, records):
    """By the seconds that they took."""
    seconds = {record["case"]: record["seconds"] for record in records}
    return sorted(cases, key=lambda case: seconds.get(case, 0))


def verdict_of(code, records, text):
    """(outcome, how, case): convicted, survived or odd, where somebody must look."""
    wrong = [record for record in records if record["verdict"] in WRONG]
    if code == 1 and wrong:
        first = wrong[0]
        reason = "" if first["tensor"] != "execution" else " " + re.sub(r"0x[0-9a-f]+|\d+", "N", first.get("reason", ""))[:80]
        return "convicted", f"{first['verdict']} {first['tensor']}{reason}", first["case"]
    if code in (0, 4):
        return "survived", f"exit {code}", ""
    return "odd", f"exit {code}: {text}", ""
