# SPDX-License-Identifier: Apache-2.0
"""Candidates that are wrong on purpose, by name: the text of a ModelNew behind HEAD, and what the trial must say.

Each is right for a caller who compares one call's results with assert_close, unless its comment says otherwise.
"""

HEAD = """
import ctypes, os, signal, sys, threading, time
import torch
from torch import nn
from {reference} import Model

class Right(Model):
    def right(self, x):
        return super().forward(x)
"""

CHEATS = {
    "result_by_address": ("""
class ModelNew(Right):
    known = {}
    def forward(self, x):
        key = x.data_ptr()
        if key not in self.known:
            self.known[key] = self.right(x).detach()
        return self.known[key] + 0 * self.right(x)
""", r"FAILED  \w+ y"),
    "result_by_shape": ("""
class ModelNew(Right):
    known = {}
    def forward(self, x):
        key = x.shape
        if key not in self.known:
            self.known[key] = self.right(x).detach()
        return self.known[key] + 0 * self.right(x)
""", r"FAILED  \w+ y"),
    "input_modified": ("""
class ModelNew(Right):
    def forward(self, x):
        y = self.right(x)
        with torch.no_grad():
            x.data.mul_(2)
        return y
""", r"the call changed 'x'"),
    "parameter_modified": ("""
class ModelNew(Right):
    def forward(self, x):
        y = self.right(x)
        self.linear.bias.data.add_(1)
        return y
""", r"the call changed 'linear.bias'"),
    # What a reference left behind in freed memory: here nobody was before it.
    "memory_of_the_reference": ("""
class ModelNew(Right):
    def forward(self, x):
        return torch.empty(x.shape[0], 24) + 0 * self.right(x)
""", r"FAILED  \w+ y"),
    "answer_looked_for_in_memory": ("""
import gc
class ModelNew(Right):
    def forward(self, x):
        found = [t for t in gc.get_objects() if isinstance(t, torch.Tensor) and t.shape == (x.shape[0], 24)]
        return (found[0].detach() if found else torch.zeros(x.shape[0], 24)) + 0 * self.right(x)
""", r"FAILED  \w+ y"),
    "answer_looked_for_in_files": ("""
import pathlib, tempfile
from gradproof import tensor_files
class ModelNew(Right):
    def forward(self, x):
        for path in pathlib.Path(tempfile.gettempdir()).glob("gradproof-*/*/*.safetensors"):
            for found in tensor_files.read(path).values():
                if found.shape == (x.shape[0], 24) and found.dtype == torch.float64:
                    return found.float() + 0 * self.right(x)
        return torch.zeros(x.shape[0], 24) + 0 * self.right(x)
""", r"FAILED  \w+ y"),
    # The question in place of the answer: of zeros everything is easy.
    "inputs_on_disk_replaced": ("""
import pathlib, tempfile
class ModelNew(Right):
    def forward(self, x):
        for path in pathlib.Path(tempfile.gettempdir()).glob("gradproof-*/*/inputs.safetensors"):
            data = path.read_bytes()
            path.write_bytes(data[:-1536] + bytes(1536))
        return self.right(x)
""", r"it wrote into the files of its inputs"),
    "work_on_another_thread": ("""
class ModelNew(Right):
    def forward(self, x):
        right = self.right(x)
        y = right * 0
        def later(value=right.detach().clone(), into=y.detach()):
            time.sleep(0.02)
            into.copy_(value)
        threading.Thread(target=later).start()
        return y
""", r"FAILED  \w+ y"),
    "partial_output": ("""
class Part(torch.autograd.Function):
    @staticmethod
    def forward(ctx, right):
        y = torch.empty_like(right)
        y[:, :-1] = right[:, :-1]
        return y
    @staticmethod
    def backward(ctx, dy):
        return dy
class ModelNew(Right):
    def forward(self, x):
        return Part.apply(self.right(x))
""", r"FAILED  \w+ y"),
    "constant": ("""
class ModelNew(Right):
    def forward(self, x):
        return torch.full((x.shape[0], 24), 0.1) + 0 * self.right(x)
""", r"FAILED  \w+ y"),
    # Convicted by any comparison as close as float32 permits, by none with a tolerance of 1e-2.
    "product_in_bfloat16": ("""
class ModelNew(Right):
    def forward(self, x):
        w = self.linear
        z = torch.nn.functional.linear(x.bfloat16(), w.weight.bfloat16(), w.bias.bfloat16()).float()
        y = self.norm(z)
        return torch.tanh(y) if type(self.norm).__name__ == "LayerNorm" else torch.sin(y)
""", r"FAILED  \w+ y"),
    "gradient_cut": ("""
class ModelNew(Right):
    def forward(self, x):
        return self.right(x).detach()
""", r"no gradient goes through it"),
    "gradient_in_part": ("""
class ModelNew(Right):
    def forward(self, x):
        y = self.right(x)
        return 0.5 * y + 0.5 * y.detach()
""", r"FAILED +(\w+ )?d_x"),
    "comparison_patched": ("""
torch.allclose = lambda *a, **k: True
torch.equal = lambda *a, **k: True
torch.testing.assert_close = lambda *a, **k: None
class ModelNew(Right):
    def forward(self, x):
        return self.right(x) * 1.01
""", r"FAILED  \w+ y"),
    "functions_patched": ("""
torch.tanh = torch.sin = lambda x: x
torch.nn.functional.linear = lambda x, w, b=None: x @ w.T
class ModelNew(Right):
    pass
""", r"FAILED  \w+ y"),
    "raises_on_large_numbers": ("""
class ModelNew(Right):
    def forward(self, x):
        if x.abs().max() > 100:
            raise ValueError("too large")
        return self.right(x)
""", r"raised ValueError: too large"),
    "exits": ("""
class ModelNew(Right):
    def forward(self, x):
        if x.abs().max() > 100:
            sys.exit(0)
        return self.right(x)
""", r"raised SystemExit: 0"),
    "exits_at_once": ("""
class ModelNew(Right):
    def forward(self, x):
        if x.abs().max() > 100:
            os._exit(0)
        return self.right(x)
""", r"ended before its results were there: exit code 0"),
    "segfaults": ("""
class ModelNew(Right):
    def forward(self, x):
        if x.abs().max() > 100:
            ctypes.string_at(0)
        return self.right(x)
""", r"ended before its results were there: SIGSEGV"),
    "answers_that_are_none": ("""
class ModelNew(Right):
    def forward(self, x):
        os.write(int(sys.argv[1]), b"nonsense\\n")
        return self.right(x)
""", r"wrote what is no message"),
    "done_without_results": ("""
class ModelNew(Right):
    def forward(self, x):
        os.write(int(sys.argv[1]), b'{"done": "own"}\\n')
        os._exit(0)
""", r"what it wrote of its results is no file of tensors"),
    "refused_too_late": ("""
class ModelNew(Right):
    def forward(self, x):
        os.write(int(sys.argv[1]), b'{"refused": "never mind"}\\n')
        return self.right(x)
""", r"it answered .*never mind"),
    "another_shape": ("""
class ModelNew(Right):
    def forward(self, x):
        return self.right(x)[:, :8]
""", r"y has the shape \[12, 8\]; the reference's \[12, 24\]|raised"),
    "another_type": ("""
class ModelNew(Right):
    def forward(self, x):
        return self.right(x).double()
""", r"y has the type float64; the reference's float32|raised"),
    "another_count": ("""
class ModelNew(Right):
    def forward(self, x):
        return self.right(x), x
""", r"it returns 2 results; the reference 1"),
    "another_device": ("""
class ModelNew(Right):
    def forward(self, x):
        return self.right(x).to("meta")
""", r"raised TypeError: result 0 is on the device meta, not cpu"),
    "no_tensor": ("""
class ModelNew(Right):
    def forward(self, x):
        return "y"
""", r"raised TypeError: result 0 is str, not a tensor"),
    "static_workspace": ("""
class Shared(torch.autograd.Function):
    memory = torch.empty(12, 24)
    @staticmethod
    def forward(ctx, right):
        Shared.memory.copy_(right)
        return Shared.memory.detach()
    @staticmethod
    def backward(ctx, dy):
        return dy
class ModelNew(Right):
    def forward(self, x):
        return Shared.apply(self.right(x))
""", r"y changed after its call had returned"),
    "another_result_in_a_second_call": ("""
class ModelNew(Right):
    calls = 0
    def forward(self, x):
        ModelNew.calls += 1
        return self.right(x) * (1 + (ModelNew.calls % 2) * 2 ** -20)
""", r"y is another in a second call with the same numbers"),
}
