# SPDX-License-Identifier: Apache-2.0
"""Recurrent modules of torch as lines, step by step (cli/python/gradproof/candidate/traced/recurrent.py), each judged."""
import pytest
import torch
from torch import nn

import recognised_support  # noqa: F401
from function_support import program  # noqa: F401
import gradproof
from gradproof import resident
from gradproof.candidate.traced import recognise

R = torch.rand


class Model(nn.Module):
    def __init__(self, net, picked):
        super().__init__()
        self.net, self.picked = net, picked

    def forward(self, *tensors):
        state = () if len(tensors) == 1 else tensors[1:] if len(tensors) == 2 else (tensors[1:],)
        return self.picked(self.net(tensors[0], *state))


def found(model, tensors):
    names = ("a", "b", "c2")[:len(tensors)]
    scope = {}
    exec(f"def forward(self, {', '.join(names)}): return self.model({', '.join(names)})", scope)
    top = type("Top", (nn.Module,), {"forward": scope["forward"]})()
    top.model = model
    given = {name: tensor.clone() for name, tensor in zip(names, tensors)}
    return top, given, recognise.line_of(top, given, [{"name": name, "tensor": True} for name in names], ["y"])


MODULES = {
    "RNN": (nn.RNN(5, 6, batch_first=True), lambda made: made[0], (R(3, 4, 5),)),
    "RNN with relu": (nn.RNN(5, 6, 2, nonlinearity="relu"), lambda made: made[1], (R(3, 4, 5),)),
    "LSTM": (nn.LSTM(5, 6, 2), lambda made: made[0], (R(3, 4, 5),)),
    "LSTM's last cell": (nn.LSTM(5, 6, 2, batch_first=True), lambda made: made[1][1], (R(3, 4, 5), R(2, 3, 6), R(2, 3, 6))),
    "LSTM both ways": (nn.LSTM(5, 6, bidirectional=True), lambda made: made[0], (R(3, 4, 5),)),
    "GRU both ways without biases": (nn.GRU(5, 6, 2, bidirectional=True, bias=False), lambda made: made[0], (R(3, 4, 5),)),
    "GRU with a state": (nn.GRU(5, 6), lambda made: made[1], (R(3, 4, 5), R(1, 4, 6))),
    "GRU of one size": (nn.GRU(6, 6), lambda made: made[0], (R(3, 4, 6),)),
    "GRU of one sample": (nn.GRU(6, 7), lambda made: made[0], (R(3, 6),)),
    "LSTMCell": (nn.LSTMCell(5, 6), lambda made: made[0], (R(3, 5),)),
    "GRUCell": (nn.GRUCell(5, 6), lambda made: made, (R(3, 5), R(3, 6))),
    "RNNCell": (nn.RNNCell(5, 6), lambda made: made, (R(3, 5), R(3, 6))),
}


@pytest.mark.parametrize("module, picked, tensors", MODULES.values(), ids=MODULES)
def test_a_recurrent_module_is_a_line_that_judges_it(module, picked, tensors):
    model, given, said = found(Model(module, picked), tensors)
    assert "line" in said, said
    line, state = resident.line_of(said["line"]), dict(model.named_parameters())
    named = {name: {**given, **state}[name].detach() for name in line.inputs}

    def called(factor):
        def call(*values):
            own = dict(zip(line.inputs, values))
            parameters = {name: value for name, value in own.items() if name in state}
            return factor * torch.func.functional_call(model, parameters, tuple(own[name] for name in given))
        return call
    gradproof.check(called(1), said["line"], tensors=named, inputs="given")
    with pytest.raises(gradproof.Convicted):
        gradproof.check(called(1 + 2 ** -12), said["line"], tensors=named, inputs="given")


def test_a_cell_is_a_line():
    _, _, said = found(Model(nn.RNNCell(5, 6), lambda made: made), (R(3, 5), R(3, 6)))
    assert said == {"line": "v1 = linear(a[rows,cols], model.net.weight_ih[out,cols], model.net.bias_ih[out]); "
                            "v2 = linear(b[b0,b1], model.net.weight_hh[out2,b1], model.net.bias_hh[out2]); v3 = rename(v2, out2, out); "
                            "v4 = rename(v3, b0, rows); v5 = add(v1, v4); y = tanh(v5); outputs y"}


def test_dropout_between_layers_is_none():
    _, _, said = found(Model(nn.LSTM(5, 6, 2, dropout=0.5), lambda made: made[0]), (R(3, 4, 5),))
    assert said == {"why": "LSTM with dropout or a projection"}
