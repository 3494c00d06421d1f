# SPDX-License-Identifier: Apache-2.0
"""By which factor a number of the line may be off and is seen: docs/python.md."""
import json

# These sets are asked: the given one, rows of all kinds, and numbers of a variance at which an eps counts.
SETS = ("given", "mixed", "mixed:rows", "scaled:1e-3")


def factors(records):
    """The least factor by "STEP.WORD"; None where no factor is seen. Numbers that are no floating ones, or 0, are left out."""
    from gradproof import resident  # which the trusted process of a candidate, that wants SETS, does without
    cases = list(dict.fromkeys(record["case"] for record in records if record["set"] in SETS))
    said = resident.run("check", *cases, "--numbers", "--json", "--no-shrink").output.splitlines()
    lists = [entry["numbers_seen"] for entry in map(json.loads, said) if "numbers_seen" in entry]
    return {entry["number"]: entry["factor"] for entries in lists for entry in entries}
