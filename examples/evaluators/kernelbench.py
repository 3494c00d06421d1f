# SPDX-License-Identifier: Apache-2.0
"""A pair of KernelBench's files judged by gradproof, with the fields that its runner has (compiled, correctness, metadata).

    python kernelbench.py REFERENCE CANDIDATE     prints the result as JSON; the exit code is 0 where it is correct
"""
import dataclasses
import json
import subprocess
import sys


@dataclasses.dataclass
class Result:
    compiled: bool
    correctness: bool
    metadata: dict


def evaluate(reference, candidate, *options):
    """reference, candidate: files with Model and ModelNew. options: of `gradproof check` ("--device", "cuda")."""
    command = ["gradproof", "check", "--python", str(candidate), "--reference", str(reference), "--python-program", sys.executable,
               "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 2:  # a usage error: gradproof judged nothing
        return Result(False, False, {"refused": done.stderr.strip()})
    records = [json.loads(line) for line in done.stdout.splitlines()]
    tensors = [record for record in records if record.get("tensor")]
    wrong = [record for record in tensors if record["verdict"] not in ("Passed", "Mistrusted", "Skipped")]
    crashed = [record for record in wrong if record["tensor"] == "execution"]
    return Result(compiled=not any("raised" in record["reason"] for record in crashed),
                  correctness=done.returncode == 0,
                  metadata={"exit_code": done.returncode,
                            "wrong": sorted({f"{record['tensor']}: {record['reason']}" for record in wrong}),
                            "trusted": sorted({record["tensor"] for record in tensors if record["verdict"] == "Passed"})})


if __name__ == "__main__":
    result = evaluate(*sys.argv[1:])
    print(json.dumps(dataclasses.asdict(result), indent=1))
    sys.exit(0 if result.correctness else 1)
