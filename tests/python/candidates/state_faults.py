# SPDX-License-Identifier: Apache-2.0
"""BatchNorms that are right in each single step, and wrong in the second one or in eval: by name the text of one behind HEAD,
what the trial must say where a line judges, and where the weaker witness does."""

HEAD = """
import torch
from torch import nn
from {reference} import Model

class ModelNew(Model):
    def __init__(self, *sizes):
        super().__init__(*sizes)
        self.norm = Norm(self.norm.num_features)
        self.norm.start = None
"""

STATE_FAULTS = {
    "right": ("""
class Norm(nn.BatchNorm1d):
    pass
""", "failed=0"),
    "the_first_step_alone_counts": ("""
class Norm(nn.BatchNorm1d):
    def forward(self, x):
        if not self.training or self.num_batches_tracked == 0:
            return super().forward(x)
        self.num_batches_tracked += 1
        return nn.functional.batch_norm(x, None, None, self.weight, self.bias, True)
""", r"FAILED  candidate.step2 after.norm.running_mean"),
    "state_set_back_in_every_call": ("""
class Norm(nn.BatchNorm1d):
    def forward(self, x):
        if self.training and self.num_batches_tracked == 0:
            self.start = self.running_mean.clone()
        elif self.training:
            self.running_mean.copy_(self.start)
        return super().forward(x)
""", r"FAILED  candidate.step2 after.norm.running_mean"),
    # What momentum=None of torch says, where the reference has a momentum of 0.1.
    "average_of_all_steps": ("""
class Norm(nn.BatchNorm1d):
    def forward(self, x):
        self.momentum = 0.1 if self.num_batches_tracked < 2 else 1 / float(self.num_batches_tracked + 1)
        return super().forward(x)
""", r"FAILED  candidate.step3 after.norm.running_mean: .*; after.norm.running_var follows"),
    "steps_are_not_counted": ("""
class Norm(nn.BatchNorm1d):
    def forward(self, x):
        y = super().forward(x)
        if self.training:
            self.num_batches_tracked.fill_(1)
        return y
""", r"'norm.num_batches_tracked' behind the step is not the reference's: 1, not 2"),
    "a_copy_is_used_in_eval": ("""
class Norm(nn.BatchNorm1d):
    def forward(self, x):
        y = super().forward(x)
        if self.training and self.num_batches_tracked == 1:
            self.start = self.running_mean.clone()
        return y if self.training else nn.functional.batch_norm(x, self.start, self.running_var, self.weight, self.bias)
""", r"FAILED  candidate.eval y"),
    "the_batch_is_used_in_eval": ("""
class Norm(nn.BatchNorm1d):
    def forward(self, x):
        return super().forward(x) if self.training else nn.functional.batch_norm(x, None, None, self.weight, self.bias, True)
""", r"FAILED  candidate.eval y"),
    "eval_goes_on_with_the_statistics": ("""
class Norm(nn.BatchNorm1d):
    def forward(self, x):
        y = super().forward(x)
        if not self.training:
            self.running_var.data.mul_(1.001)
        return y
""", r"'norm.running_var' behind the step is not the reference's"),
    "state_that_is_not_in_the_state": ("""
class Norm(nn.BatchNorm1d):
    steps = 0
    def forward(self, x):
        Norm.steps += self.num_batches_tracked > 0
        return super().forward(x) * (1 + 2.0 ** -22 * min(int(Norm.steps), 3))
""", r"y is another in a second call"),
    "fails_in_eval": ("""
class Norm(nn.BatchNorm1d):
    def forward(self, x):
        assert self.training, "no kernel for it"
        return super().forward(x)
""", r"candidate.step1 execution: raised AssertionError: no kernel for it"),
}
