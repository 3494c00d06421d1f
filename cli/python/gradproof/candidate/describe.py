# SPDX-License-Identifier: Apache-2.0
"""`gradproof describe`: a library's operators as text, or the mapping of one of them to a line as JSON.

Usage: python -m gradproof.candidate.describe SPEC     SPEC: JSON, as cli/front/candidates/library.cpp writes it
"""
import json

from gradproof.candidate import library_trial, matching
from gradproof.candidate.processes import Child
from gradproof.candidate.runs import serve
from gradproof.candidate.sandbox import sandbox


class Description:
    def __init__(self, spec, front):
        self.spec, self.front = spec, front

    def run(self):
        # Notes have no place in a mapping.
        child = Child(self.spec["python"], "host", sandbox(self.spec, []))
        try:
            operators = library_trial.operators_of(self.spec, child)["operators"]
        finally:
            child.end()
        if self.spec["pipeline"]:
            return {"text": json.dumps(self._mapping(operators), indent=2)}
        if self.spec["op"]:
            operators = [library_trial.operator_named(self.spec["op"], operators, self.spec["candidate"])]
        return {"text": "\n".join(f"{operator['text']}   {' '.join(operator['keys']) or 'no kernel'}" for operator in operators)}

    def _mapping(self, operators):
        line = self.front.line_of(self.spec["pipeline"])
        # A mapping is of all Cases, so it names sizes and numbers.
        plan, _ = library_trial.plan_of(self.spec, line, matching.values_of(line, dict.fromkeys(_axes(line), 1)), operators)
        return plan


def _axes(line):
    return [axis for axes in line.axes.values() for axis in axes]


if __name__ == "__main__":
    serve(Description)
