# SPDX-License-Identifier: Apache-2.0
"""A check as one value of JSON, for programs that ask: docs/verdict-json.md."""
import warnings

from gradproof.errors import Convicted, Inconclusive, MistrustedWarning, ProgramError
from gradproof.functions import check
from gradproof.program import command

# It grows when a key changes its meaning or goes.
SCHEMA = 1
# In the order in which one of them is the whole's outcome.
OUTCOMES = ("refused", "failed", "improbable", "incomplete", "passed")


def verdict(function, pipeline=None, **options):
    """check(function, pipeline, **options) as a dict that json.dumps takes. It raises nothing that a check says of the function.

    Its keys: docs/verdict-json.md. What check() refuses to ask (a line that is none, a tensor that is missing) has the outcome
    "refused"; what the function itself raises goes through.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MistrustedWarning)
        try:
            return _of(check(function, pipeline, **options))
        except (Convicted, Inconclusive) as error:
            outcome = "incomplete" if isinstance(error, Inconclusive) else "failed"
            if error.judgement is None:
                return _whole(outcome, [str(error)])
            return _of(error.judgement)
        except (ProgramError, TypeError, ValueError) as error:
            return _whole("refused", [str(error)])


def _of(judgement):
    tensors = {name: _tensor(judgement, name) for name in dict.fromkeys(record["tensor"] for record in judgement.records)
               if name != "execution"}
    outcomes = {tensor["outcome"] for tensor in tensors.values()}
    executed = {_outcome(record) for record in judgement.records if record["tensor"] == "execution"} - {"incomplete"}
    outcome = next((one for one in OUTCOMES if one in outcomes | executed), "incomplete")
    reasons = [f"{name}: {tensor['reason']}" for name, tensor in tensors.items() if tensor["outcome"] != "passed" and tensor["reason"]]
    return _whole(outcome, reasons, tensors, list(dict.fromkeys(record["set"] for record in judgement.records)))


def _whole(outcome, reasons, tensors=None, sets=()):
    return {"schema": SCHEMA, "outcome": outcome, "reasons": reasons, "tensors": tensors or {}, "sets": list(sets)}


def _outcome(record):
    words = {"Passed": "passed", "Mistrusted": "passed", "Improbable": "improbable", "Skipped": "incomplete", "Incomplete": "incomplete"}
    return words.get(record["verdict"], "failed")


def _tensor(judgement, name):
    """record() is the set that is wrong, where one is; how well the tensor is seen is that of the set that shows most."""
    record = judgement.record(name)
    outcome = _outcome(record)
    trusted = [one for one in judgement.records if one["tensor"] == name and one["verdict"] == "Passed"]
    factors = [one["discrepancy"]["resolution"]["whole"] for one in trusted]
    factors = [factor for factor in factors if isinstance(factor, (int, float))]
    found = {"outcome": outcome, "trusted_sets": len(trusted), "resolves": min(factors, default=None),
             "error_over_bound": record["discrepancy"]["max_ratio"], "bound": record.get("bound"), "rung": record.get("rung"),
             "set": record["set"], "reason": record.get("reason") or None}
    if outcome in ("failed", "improbable"):
        worst = record["discrepancy"]["worst"]
        found.update(wrong=record["discrepancy"]["bad"], elements=record["discrepancy"]["elements"],
                     worst={"index": worst["index"], "got": worst["got"], "want": worst["want"]}, diagnosis=record.get("diagnosis"),
                     replay=command("replay", record["case"]), explain=command("explain", record["case"], name))
    return found
