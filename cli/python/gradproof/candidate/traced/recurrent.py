# SPDX-License-Identifier: Apache-2.0
"""nn.RNN, nn.LSTM, nn.GRU and their cells step by step, in the order in which torch's own code computes them (ATen/native/RNN.cpp)."""
import torch
import torch.nn.functional as F
from torch import nn

from gradproof.candidate.traced.operations import Unknown


def _plain(module, given, states, hidden):
    made = given if hidden is None else given + hidden
    return [getattr(torch, module.nonlinearity)(made)]


def _lstm(module, given, states, hidden):
    entry, forget, cell, exit_ = torch.chunk(given if hidden is None else given + hidden, 4, -1)
    entering = torch.sigmoid(entry) * torch.tanh(cell)
    cell = entering if states is None else torch.sigmoid(forget) * states[1] + entering
    return [torch.sigmoid(exit_) * torch.tanh(cell), cell]


def _gru(module, given, states, hidden):
    reset, update, new = torch.chunk(given, 3, -1)
    own = [None] * 3 if hidden is None else torch.chunk(hidden, 3, -1)
    update = torch.sigmoid(update if own[1] is None else update + own[1])
    if own[2] is not None:
        new = new + torch.sigmoid(reset + own[0]) * own[2]
    new = torch.tanh(new)
    before = 0 if states is None else states[0]
    return [update * (before - new) + new]


def _cell(module, step, suffix, given, states):
    """The states behind one step: of the gates' sums over its input, and of the states before, which are 0 where there are none."""
    weight, bias = (getattr(module, f"{name}_hh{suffix}") if name == "weight" or module.bias else None for name in ("weight", "bias"))
    hidden = bias if states is None else F.linear(states[0], weight, bias)
    return step(module, given, states, hidden)


def _inputs(module, suffix, x):
    return F.linear(x, getattr(module, f"weight_ih{suffix}"), getattr(module, f"bias_ih{suffix}") if module.bias else None)


def _of_cell(step, count):
    def forward(module, x, state=None):
        states = None if state is None else list(state) if count > 1 else [state]
        made = _cell(module, step, "", _inputs(module, "", x), states)
        return tuple(made) if count > 1 else made[0]
    return forward


def _of_layers(step, count):
    def forward(module, x, state=None):
        if module.dropout and module.training and module.num_layers > 1 or getattr(module, "proj_size", 0):
            raise Unknown(f"{type(module).__name__} with dropout or a projection")
        states = None if state is None else list(state) if count > 1 else [state]
        time, last = (1 if module.batch_first and x.dim() == 3 else 0), []
        for layer in range(module.num_layers):
            sides = []
            for suffix in (f"_l{layer}", f"_l{layer}_reverse")[:1 + module.bidirectional]:
                own = None if states is None else [one[len(last)] for one in states]
                side, own = _along(module, step, suffix, x, time, own)
                sides.append(side)
                last.append(own)
            x = sides[0] if len(sides) == 1 else torch.cat(sides, -1)
        ends = tuple(torch.stack([one[k] for one in last]) for k in range(count))
        return x, ends if count > 1 else ends[0]
    return forward


def _along(module, step, suffix, x, time, states):
    """One layer in one direction: what it gives at each time, and its states at the end."""
    inputs, made = _inputs(module, suffix, x), [None] * x.shape[time]
    for at in sorted(range(len(made)), reverse=suffix.endswith("reverse")):
        states = _cell(module, step, suffix, inputs.select(time, at), states)
        made[at] = states[0]
    return torch.stack(made, time), states


# By module what stands in the place of its forward.
FORWARDS = {nn.RNN: _of_layers(_plain, 1), nn.LSTM: _of_layers(_lstm, 2), nn.GRU: _of_layers(_gru, 1),
            nn.RNNCell: _of_cell(_plain, 1), nn.LSTMCell: _of_cell(_lstm, 2), nn.GRUCell: _of_cell(_gru, 1)}
