# SPDX-License-Identifier: Apache-2.0
"""What the program says of a line of mathematics: `gradproof python --describe` (docs/cli.md). Python reads no line itself."""
import json

__tracebackhide__ = True  # pytest shows the line of the test as the last one


class Line:
    """A line with the names of its tensors, of whichever the order is the line's."""

    def __init__(self, text, described):
        """text: as somebody wrote it. described: the program's JSON of it."""
        self.text = text
        tensors, outputs = described["tensors"], described["outputs"]
        gradients = {one["of"]: one["name"] for one in described["gradients"]}
        self.gradients = {tensor["name"]: gradients.get(tensor["name"]) for tensor in tensors}
        self.cotangents = {output["name"]: output["cotangent"] for output in outputs}
        self.axes = {one["name"]: one["axes"] for one in [*tensors, *outputs]}
        # Outputs that are a buffer behind a training step, and those buffers.
        self.buffers = {output["name"]: output["becomes"] for output in outputs if output["becomes"]}
        # For each number that the line says or takes by default: the value of its step, its word, and the number.
        self.numbers = [(one["step"], one["word"], one["value"]) for one in described["numbers"]]
        self.goes_back = any(output["goes_back"] for output in outputs)  # else no output has a gradient, by mathematics
        self.stages = [operation["stage"] for operation in described["operations"]]
        # Axes along which nothing is made of what stands at another place.
        self.apart = set(described["apart"])
        self.keys = described["keys"]  # that its Case says

    @property
    def inputs(self):
        return list(self.gradients)

    @property
    def outputs(self):
        return list(self.cotangents)

    def is_given(self, name):
        """Whether the tensor is one that the computation gets: an input, a parameter, labels, a cotangent."""
        return name in self.gradients or name in self.cotangents.values()

    def case(self, keys):
        """The Case of the line with these keys."""
        return case_of(self.text, " ".join(f"{key}={value}" for key, value in keys.items()))


class Claim(str):
    """The line of a named claim (docs/claims.md), with the contract that kernels of it keep; None where none is declared."""

    contract = None


def contract_of(contract, pipeline):
    """The contract that somebody says; else that of the claim, where the line is of one."""
    return contract or getattr(pipeline, "contract", None)


def case_of(text, keys=""):
    return "{" + text + "} " + keys


def described(run, text, keys=""):
    """The Line of that text, which may stand in braces as in a Case. run: takes a command line, and returns the program's Answer.

    keys: of a Case, which say sizes and type; numbers are rounded to that type.
    """
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    return Line(text, json.loads(run("python", "--describe", case_of(text, keys)).output))


def claimed(run, name):
    """The Claim of that name."""
    said = json.loads(run("python", "--describe", "--claim", name).output)
    claim = Claim(said["line"])
    claim.contract = said["contract"] or None
    return claim
