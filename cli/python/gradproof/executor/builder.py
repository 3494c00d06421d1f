# SPDX-License-Identifier: Apache-2.0
"""The trusted process's compiler: texts of extensions become modules, each once, kept by their content."""
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time

from gradproof import program
from gradproof.executor import cache_folder, translation

HERE = pathlib.Path(__file__).resolve().parent
# As a kernel of one's own is compiled (cmake/package/GradproofKernelTest.cmake), and lines for what reaches out of memory.
FLAGS = ["-std=c++20", "-O1", "-g1", "-fPIC", "-w", "-ffp-contract=off", "-fsanitize=alignment,bounds",
         "-fno-sanitize-recover=alignment,bounds", "-DTORCH_API_INCLUDE_EXTENSION_H"]
# The candidate's own flags that are taken: definitions alone, because others could start programs of its own outside of the sandbox.
OWN_FLAGS = re.compile(r"-[DU]\w+(=[\w.+-]*)?")


# Behind its last use.
KEPT_SECONDS = 60 * 86400
TORCH_HEADERS = "torch_headers.h"


class Unbuilt(Exception):
    """One line: why there is no module."""


class Builder:
    """candidate: the path of its file."""

    def __init__(self, candidate):
        self.path = pathlib.Path(candidate)
        self.source = self.path.read_text(encoding="utf-8", errors="replace")
        self.prefix = pathlib.Path(program.path()).resolve().parents[1]

    def prepared(self):
        """Paths of what the candidate's process loads before its file."""
        flags = [*FLAGS, *self._includes()]
        source = HERE / "include" / "allocator.cpp"
        allocator = self._kept("allocator.so", [source.read_text(), *self._facts()], flags, lambda folder: self._link(
            [*flags, str(source)], folder / "allocator.so"))
        return {"library": str(self._library()), "allocator": str(allocator / "allocator.so")}

    def answer(self, request):
        """The module's file, or why there is none."""
        try:
            return {"module": str(self._module(request))}
        except (Unbuilt, translation.Refused) as refused:
            return {"refused": str(refused)}
        except (AttributeError, KeyError, TypeError, ValueError) as error:  # the candidate's process may write what it likes
            return {"refused": f"what was asked for is no extension: {error!r}"}

    def _module(self, request):
        if not re.fullmatch(r"[A-Za-z_]\w*", request["name"]):
            raise Unbuilt(f"'{request['name']}' is no name of a module")
        text = translation.unit(request, str(self.path), self.source)
        flags = [*FLAGS, *[flag for flag in request["flags"] if OWN_FLAGS.fullmatch(flag)], *self._includes(),
                 *(f"-I{folder}" for folder in request["folders"])]
        name = f"{request['name']}.so"
        texts = [text, *self._facts(), *(path.read_text() for path in sorted((HERE / "include").glob("*.h")))]
        return self._kept(name, texts, flags, lambda folder: self._compile(text, flags, folder, name)) / name

    def _compile(self, text, flags, folder, name):
        (folder / "unit.cpp").write_text(text)
        headers = ["-include", str(self._headers() / TORCH_HEADERS), "-include", str(HERE / "include" / "prelude.h")]
        self._link([*flags, *headers, str(folder / "unit.cpp")], folder / name)

    def _headers(self):
        """The folder of torch's headers, compiled once because they take most of a minute."""
        flags, path = [*FLAGS, *_includes(_torch_folders())], HERE / "include" / TORCH_HEADERS

        def make(folder):
            shutil.copy(path, folder)
            self._run(["g++", *flags, "-x", "c++-header", str(folder / path.name), "-o", str(folder / f"{path.name}.gch")])
        return self._kept(f"{TORCH_HEADERS}.gch", [path.read_text()], flags, make)

    def _kept(self, name, texts, flags, make):
        """The folder of what these texts and flags became, made by make(folder) where nobody has yet."""
        facts = [name, *texts, *flags, _version_of_compiler(), (_folder_of("torch") / "version.py").read_text(), sys.version]
        folder = cache_folder() / hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]
        if (folder / name).exists():
            os.utime(folder)
            return folder
        _forget_old()
        folder.parent.mkdir(parents=True, exist_ok=True)
        own = pathlib.Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
        try:
            make(own)
            try:
                own.rename(folder)
            except OSError:  # somebody else was first
                pass
        finally:
            shutil.rmtree(own, ignore_errors=True)
        return folder

    def _facts(self):
        """Of the executor that a module is linked with: another build of gradproof is another one."""
        headers = sorted((self.prefix / "include" / "gradproof" / "simt").rglob("*.h"))
        return [hashlib.sha256(self._library().read_bytes()).hexdigest(), *(path.read_text() for path in headers)]

    def _library(self):
        path = self.prefix / "lib" / "libgradproof_executor.so"
        if not path.exists():
            raise Unbuilt(f"the executor's library is not there: '{path}'")
        return path

    def _includes(self):
        return _includes([*_torch_folders(), self.prefix / "include" / "gradproof", self._cuda_headers()])

    def _cuda_headers(self):
        said = self.prefix / "share" / "gradproof" / "cuda_headers"
        found = [pathlib.Path(os.environ[name]) / "include" for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
        found += [pathlib.Path(said.read_text().strip())] if said.exists() else []
        found += sorted(_folder_of("torch").parent.glob("nvidia/*/include")) + [pathlib.Path("/usr/local/cuda/include")]
        for folder in found:
            if (folder / "cuda_runtime_api.h").exists():
                return folder
        raise Unbuilt("CUDA's headers were not found (cuda_runtime_api.h); set CUDA_HOME to a folder that has include/")

    def _link(self, words, output):
        torch = _folder_of("torch") / "lib"
        libraries = [f"-L{torch}", "-ltorch_python", "-ltorch", "-ltorch_cpu", "-lc10", f"-Wl,-rpath,{torch}"]
        self._run(["g++", "-shared", *words, "-o", str(output), str(self._library()), *libraries])

    def _run(self, command):
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                  check=False)
        except FileNotFoundError:
            raise Unbuilt("there is no compiler: g++ is not on PATH") from None
        if done.returncode:
            raise Unbuilt(_first_error(done.stderr))


def _forget_old():
    """Torch's headers alone are half a gigabyte for each torch that was ever asked."""
    for folder in cache_folder().glob("*"):
        if time.time() - folder.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _includes(folders):
    return [word for folder in folders for word in ("-isystem", str(folder))]


def _torch_folders():
    """Of the headers of torch and Python."""
    torch, python = _folder_of("torch") / "include", pathlib.Path(sysconfig.get_path("include"))
    if not (python / "Python.h").exists():
        raise Unbuilt(f"an extension needs Python's headers, and '{python}/Python.h' is not there (python3-dev)")
    return [torch, torch / "torch" / "csrc" / "api" / "include", python]


def _first_error(text):
    """The compiler's first error line, or its last words."""
    errors = re.findall(r"^(?:.*/)?(\S+:\d+(?::\d+)?: (?:fatal )?error: .*)$", text, re.M)
    return errors[0] if errors else (text.strip().splitlines() or ["the compiler failed"])[-1]


def _folder_of(package):
    return pathlib.Path(importlib.util.find_spec(package).origin).parent


def _version_of_compiler():
    try:
        return subprocess.run(["g++", "--version"], capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        raise Unbuilt("there is no compiler: g++ is not on PATH") from None
