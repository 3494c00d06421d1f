# SPDX-License-Identifier: Apache-2.0
"""Traces a model of torch by torch.fx, each operation computed with the example's numbers as it is met: so sizes are numbers, a loop over them ends, and parts can be unpacked."""
import contextlib

import torch
from torch import fx

from gradproof.candidate.traced import operations, recurrent

# Operations whose results follow from shapes and types alone: a number of these is known whatever the tensors hold.
OF_SHAPES = ("size", "dim", "ndimension", "numel", "nelement", "get_device", "is_floating_point", "is_complex", "element_size")
ATTRIBUTES = ("shape", "ndim", "dtype", "device", "is_cuda", "is_cpu", "requires_grad", "layout", "is_nested", "is_sparse", "is_quantized")
# An operation with one of these in its name gives other numbers with each call: its result is no constant.
RANDOM = ("rand", "bernoulli", "dropout", "normal", "multinomial")
# In a node's meta: it is a buffer, or follows from buffers and constants.
BUFFER = "gradproof_buffer"
# Modules of torch whose parts are traced.
OPENED = (torch.nn.TransformerEncoder, torch.nn.TransformerEncoderLayer, torch.nn.modules.loss._Loss)


class Valued(fx.Proxy):
    """What an operation makes, beside its value for the example."""

    @property
    def value(self):
        return self.tracer.values[self.node]

    def __getattr__(self, name):
        return getattr(self.value, name) if name in ATTRIBUTES else super().__getattr__(name)

    def __len__(self):
        return len(self.value)


class Tracer(fx.Tracer):
    """`given` are the example's tensors, in the order of the arguments."""

    proxy_buffer_attributes = True

    def __init__(self, state, given):
        super().__init__()
        self.state = state
        self.given = iter(given)
        self.values = {}

    def proxy(self, node):
        return Valued(node, self)

    def create_proxy(self, kind, target, args, kwargs, *more, **settings):
        proxy = super().create_proxy(kind, target, args, kwargs, *more, **settings)
        if kind == "output":
            return proxy
        value = self._computed(kind, target, args, kwargs)
        if kind == "placeholder" and not isinstance(value, torch.Tensor):
            self.graph.erase_node(proxy.node)
            return value
        if (target if kind == "call_method" else getattr(target, "__name__", "")) in OF_SHAPES:
            self.graph.erase_node(proxy.node)
            return value
        self.values[proxy.node] = value
        if isinstance(value, torch.Tensor):
            proxy.node.meta[operations.SHAPE] = tuple(value.shape)
            proxy.node.meta[operations.TRUTHS] = value.dtype == torch.bool
            self._note_constant(proxy.node, value)
        return proxy

    def call_module(self, module, forward, args, kwargs):
        own = recurrent.FORWARDS.get(type(module))
        return own(module, *args, **kwargs) if own else super().call_module(module, forward, args, kwargs)

    def is_leaf_module(self, module, path):
        return super().is_leaf_module(module, path) and not isinstance(module, OPENED)

    def iter(self, obj):
        return iter([obj[k] for k in range(len(self.values[obj.node]))])

    def _computed(self, kind, target, args, kwargs):
        args, kwargs = (fx.node.map_aggregate(one, lambda a: self.values[a.node] if isinstance(a, fx.Proxy) else a) for one in (args, kwargs))
        if kind == "placeholder":
            return next(self.given, args[0] if args else None)
        if kind == "get_attr":
            return _attribute(self.root, target)
        if kind == "call_function":
            return target(*args, **kwargs)
        if kind == "call_method":
            return getattr(args[0], target)(*args[1:], **kwargs)
        with _unpatched():
            return self.root.get_submodule(target)(*args, **kwargs)

    def _note_constant(self, node, value):
        """Of buffers, such as a mask that the model keeps, truth values alone: a table of numbers stays a tensor of the line."""
        if node.op == "get_attr" and node.target not in self.state:
            node.meta[operations.CONSTANT] = value
        elif node.op == "get_attr":
            node.meta[BUFFER] = not isinstance(value, torch.nn.Parameter)
        if node.op not in ("call_function", "call_method"):
            return
        word = node.target if isinstance(node.target, str) else node.target.__name__
        if any(part in word for part in RANDOM):
            return
        known = [operations.CONSTANT in one.meta for one in node.all_input_nodes]
        buffers = [one.meta.get(BUFFER, False) for one in node.all_input_nodes]
        if word.endswith("_like") or word.startswith("new_") or all(known):
            node.meta[operations.CONSTANT] = value.detach().clone()
        elif all(one or other for one, other in zip(known, buffers)):
            node.meta[BUFFER] = True
            if value.dtype == torch.bool:
                node.meta[operations.CONSTANT] = value.detach().clone()


def _attribute(root, path):
    with _unpatched():
        for name in path.split("."):
            root = getattr(root, name)
    return root


# torch.fx replaces these while it traces; what it calls as a whole is to run as it is.
PATCHED = {name: getattr(torch.nn.Module, name) for name in ("__call__", "__getattr__")}


@contextlib.contextmanager
def _unpatched():
    patched = {name: getattr(torch.nn.Module, name) for name in PATCHED}
    for name, own in PATCHED.items():
        setattr(torch.nn.Module, name, own)
    try:
        yield
    finally:
        for name, own in patched.items():
            setattr(torch.nn.Module, name, own)


def traced(call, state, given):
    """The graph of the model or function. It may change the buffers of a model."""
    tracer = Tracer(state, given)
    with torch.no_grad():
        graph = tracer.trace(call)
    return fx.GraphModule(tracer.root, graph)
