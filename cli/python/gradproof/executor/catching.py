# SPDX-License-Identifier: Apache-2.0
"""torch.utils.cpp_extension in the candidate's process: its texts go to the trusted process, which answers with a module."""
import importlib.machinery
import importlib.util
import pathlib
import re

ATOMIC = re.compile(r"\batomic[A-Z]\w*")


class NotBuilt(BaseException):
    """No error that a candidate catches: what it does without its kernels is another candidate."""


class Catcher:
    """ask: of a request the answer of builder.py. has_atomics: of the texts so far."""

    def __init__(self, ask):
        self.ask = ask
        self.has_atomics = False

    def install(self):
        from torch.utils import cpp_extension
        cpp_extension.load_inline, cpp_extension.load = self.load_inline, self.load
        cpp_extension.CUDAExtension = cpp_extension.CppExtension = self.setup_alone

    def load_inline(self, name, cpp_sources, cuda_sources=None, sycl_sources=None, functions=None, extra_cflags=None,
                    extra_cuda_cflags=None, *, is_python_module=True, **_):
        texts = [(f"{name}.cpp", text) for text in _list(cpp_sources)] + [(f"{name}.cu", text) for text in _list(cuda_sources)]
        functions = {functions: functions} if isinstance(functions, str) else functions
        functions = functions if functions is None or isinstance(functions, dict) else {one: one for one in functions}
        return self._loaded(name, texts, functions, [*(extra_cflags or []), *(extra_cuda_cflags or [])])

    def load(self, name, sources, extra_cflags=None, extra_cuda_cflags=None, **_):
        texts = [(str(pathlib.Path(path).absolute()), pathlib.Path(path).read_text(encoding="utf-8")) for path in _list(sources)]
        return self._loaded(name, texts, None, [*(extra_cflags or []), *(extra_cuda_cflags or [])])

    def _loaded(self, name, texts, functions, flags):
        self.has_atomics |= any(ATOMIC.search(text) for _, text in texts)
        answer = self.ask({"name": name, "texts": texts, "functions": functions, "flags": flags})
        if "module" not in answer:
            raise NotBuilt(f"the extension '{name}' cannot be built for the executor: {answer.get('refused', 'no answer')}")
        loader = importlib.machinery.ExtensionFileLoader(name, answer["module"])
        specification = importlib.util.spec_from_file_location(name, answer["module"], loader=loader)
        module = importlib.util.module_from_spec(specification)
        loader.exec_module(module)
        return module

    def setup_alone(self, *_, **__):
        raise NotBuilt("CUDAExtension is for setup.py; --library judges what that builds")


def _list(value):
    return [] if value is None else [value] if isinstance(value, (str, pathlib.Path)) else list(value)


class Unloaded:
    """In the reference's process, which imports a file of both: nothing of it is compiled there."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError(f"the reference calls '{name}' of the extension '{self._name}': it is to be what torch computes")


def leave_out():
    from torch.utils import cpp_extension
    cpp_extension.load_inline = cpp_extension.load = lambda name, *_, **__: Unloaded(name)
