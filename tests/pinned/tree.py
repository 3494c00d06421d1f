# SPDX-License-Identifier: Apache-2.0
"""What a build tree of Ninja has read and linked, as Ninja, the linker's lines and the loader say."""
import os
import pathlib
import re
import shlex
import subprocess

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("LD_")}


def said_by(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def sought(library):
    """Where the linker looks for a library that it gets by its name alone: the compiler's folders, then its own."""
    names = [f"lib{library}.so", f"lib{library}.a"]
    found = [said_by("c++", f"-print-file-name={name}").strip() for name in names]
    folders = re.findall(r'SEARCH_DIR\("=?([^"]+)"\)', said_by("ld", "--verbose"))
    found += [os.path.join(folder, name) for folder in folders for name in names]
    return [path for path in found if os.path.isabs(path) and os.path.exists(path)]


class Tree:
    def __init__(self, build):
        self.build = os.path.realpath(build)
        self.objects = 0
        self.commands = [shlex.split(line) for line in said_by("ninja", "-C", self.build, "-t", "commands").splitlines()
                         if not line.startswith("ninja: ")]
        self.links = [words for words in self.commands if self.is_link(words)]

    def is_link(self, words):
        return "-o" in words and "-c" not in words and any(re.search(r"\.(o|a)$", word) for word in words)

    def absolute(self, path):
        return os.path.normpath(os.path.join(self.build, path)) if ".." not in path else os.path.realpath(os.path.join(self.build, path))

    def headers(self):
        """{header: the first object that was compiled with it}"""
        found, compiled = {}, None
        for line in said_by("ninja", "-C", self.build, "-t", "deps").splitlines():
            if line.startswith("    "):
                found.setdefault(line[4:], compiled)
            elif ": #deps " in line:
                compiled = line.split(": #deps ")[0]
                self.objects += 1
        return {self.absolute(header): by for header, by in found.items()}

    def linked(self):
        """{what the linker was given, as a file or a folder to look in: the first program or library}"""
        found = {}
        for words in self.links:
            for word in words:
                for path in self.named_by(word):
                    found.setdefault(self.absolute(path), words[words.index("-o") + 1])
        return {path: by for path, by in found.items() if os.path.exists(path)}

    def named_by(self, word):
        if word.startswith(("-Wl,-rpath,", "-Wl,-rpath-link,")):
            return [path for path in word.split(",", 2)[2].split(":") if path]
        if word.startswith("-L"):
            return [word[2:]]
        if word.startswith("-l"):
            return sought(word[2:])[:1]
        return [word] if re.search(r"\.(o|a|so)(\.\d+)*$", word) else []

    def loaded(self):
        """{library: the first program or library of the tree that the loader gets it for}"""
        files = [words[words.index("-o") + 1] for words in self.links]
        files = [file for file in files if os.path.exists(os.path.join(self.build, file))]
        done = subprocess.run(["ldd", *files], cwd=self.build, env=ENVIRONMENT, check=False, capture_output=True, text=True)
        found, by = {}, files[0] if files else None
        for line in done.stdout.splitlines():
            if not line.startswith("\t"):
                by = line.rstrip(":")
            elif path := re.search(r"(?:=> )?(/\S+) \(0x", line):
                found.setdefault(path[1], by)
            elif "not found" in line:
                found.setdefault(line.split()[0], by)
        return found

    def started(self):
        """{program: the command that starts it}"""
        found = {}
        for words in self.commands:
            first = True
            for word in words:
                if first and word not in (":", "cd") and "=" not in word:
                    found.setdefault(self.absolute(word) if "/" in word else word, " ".join(words)[:80])
                first = word in ("&&", "||", ";", "|") or first and "=" in word
        return found


def roots_of(source, build):
    """The checkout, and what build/deps.cmake names: parts of the cache or the user's own."""
    text = re.search(r"GRADPROOF_DEPS:\w+=(.*)", (pathlib.Path(build) / "CMakeCache.txt").read_text())[1]
    named = dict(re.findall(r'set\((\w+) "(.*)"\)', pathlib.Path(text).read_text()))
    torch = named["GRADPROOF_TORCH_DIR"]
    return [source, build, torch, os.path.join(torch, "../nvidia"), named["GRADPROOF_CUDA_ROOT"]]


def compiler_of(build):
    """Where the compiler keeps headers and libraries of its own, in folders that bear its name."""
    compiler = re.search(r"CMAKE_CXX_COMPILER:\w+=(.*)", (pathlib.Path(build) / "CMakeCache.txt").read_text())[1]
    done = subprocess.run([compiler, "-E", "-v", "-x", "c++", "/dev/null"], check=True, capture_output=True, text=True)
    return [line.strip() for line in done.stderr.splitlines() if re.match(r" /.*/(gcc|c\+\+|clang)/", line)]
