# SPDX-License-Identifier: Apache-2.0
"""torch.utils.cpp_extension in the candidate's process: its texts go to the trusted process, which answers with a module."""
import importlib.machinery
import importlib.util
import inspect
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
        self.signatures = {}

    def install(self):
        from torch.utils import cpp_extension
        self.signatures = {name: inspect.signature(getattr(cpp_extension, name)) for name in ("load_inline", "load")}
        cpp_extension.load_inline, cpp_extension.load = self.load_inline, self.load
        cpp_extension.CUDAExtension = cpp_extension.CppExtension = self.setup_alone

    def load_inline(self, *words, **named):
        given = self._given("load_inline", words, named)
        name = given["name"]
        texts = [(f"{name}.cpp", text) for text in _list(given["cpp_sources"])]
        texts += [(f"{name}.cu", text) for text in _list(given.get("cuda_sources"))]
        functions = given.get("functions")
        functions = functions if functions is None or isinstance(functions, dict) else {one: one for one in _list(functions)}
        return self._loaded(given, texts, functions, [])

    def load(self, *words, **named):
        given = self._given("load", words, named)
        paths = [pathlib.Path(path).absolute() for path in _list(given["sources"])]
        texts = [(str(path), path.read_text(encoding="utf-8")) for path in paths]
        return self._loaded(given, texts, None, [str(path.parent) for path in paths])

    def _given(self, name, words, named):
        """Arguments by name; which order they have depends on torch's version."""
        return self.signatures[name].bind(*words, **named).arguments

    def _loaded(self, given, texts, functions, folders):
        name = given["name"]
        self.has_atomics |= any(ATOMIC.search(text) for _, text in texts)
        answer = self.ask({"name": name, "texts": texts, "functions": functions,
                           "flags": [*(given.get("extra_cflags") or []), *(given.get("extra_cuda_cflags") or [])],
                           "folders": [*folders, *map(str, given.get("extra_include_paths") or [])]})
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
