# SPDX-License-Identifier: Apache-2.0
"""The executor as the candidate's process (host.py) has it: which schedule a call runs under, and what was found in it."""
from gradproof.executor import catching, presented, runtime

# The orders in which the first sets run; further sets draw their schedules by their numbers.
ORDERS = (runtime.FORWARD, runtime.REVERSE)
OTHER = {runtime.FORWARD: runtime.REVERSE, runtime.REVERSE: runtime.FORWARD, runtime.RANDOM: runtime.RANDOM}


class Executor:
    """From here on torch's tensors lie in the executor's memory and extensions are built for it.

    ask: as of catching.Catcher.
    """

    def __init__(self, paths, ask):
        self.runtime = runtime.Runtime(paths)
        self.catcher = catching.Catcher(ask)
        self.catcher.install()
        presented.present(self.runtime.stream())
        self.set = 0

    def begin_set(self, number):
        self.set = number
        self.runtime.findings()  # of what was built

    def begin_call(self, number, tensors):
        """The second call of a set has another schedule: results of other bits are seen.

        Not where the texts have atomics: sums by these have other bits in another order, and are right within their bound. Their
        sets differ in the schedule, and blocks run one after the other, so that a second call repeats the first.
        """
        order = ORDERS[self.set] if self.set < len(ORDERS) else runtime.RANDOM
        seed, atomics = self.set, self.catcher.has_atomics
        if number == 1 and not atomics:
            order, seed = OTHER[order], seed + 1000
        self.runtime.begin(order, seed, 1 if atomics else 0)
        for name, tensor in tensors.items():
            self.runtime.name(tensor, name)

    def found(self):
        """What is said of a set beside its results."""
        findings, default_stream = self.runtime.findings()
        return {"found": findings, "default_stream": default_stream}
