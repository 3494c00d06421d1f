# SPDX-License-Identifier: Apache-2.0
"""Compiles a mutant and links a worker of it, by the commands of a build folder."""
import hashlib
import json
import pathlib
import re
import shlex
import shutil
import subprocess


# What kernels include besides their device headers and kernels/arguments.h, which a mutant's one combination of types
# must come before: compiled once.
PREAMBLE = """\
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/catalog/families.h"
#include "kernels/column_tiling.h"
#include "kernels/group_tiling.h"
#include "simt/counted.h"
#include "simt/math.h"
#include "simt/simt.h"
"""


class NotCompiled(Exception):
    """The mutant is no program."""


class Build:
    """`folder`: where CMake has configured and gradproof and gradproof-worker are built. `work`: for what is made here."""

    def __init__(self, folder, work):
        self.folder, self.work = pathlib.Path(folder).resolve(), pathlib.Path(work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.front = self.folder / "bin" / "gradproof"
        compilations = json.loads((self.folder / "compile_commands.json").read_text())
        self.compilations = {pathlib.Path(entry["file"]).stem: entry for entry in compilations
                             if "/kernels/host/" in entry["file"]}
        commands = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "bin/gradproof-worker"],
                                  capture_output=True, text=True, check=True).stdout
        self.link = next(line for line in commands.splitlines() if "-o bin/gradproof-worker " in line)

        self.preamble = self.work / "preamble.h"
        self.preamble.write_text(PREAMBLE)
        done = self._compile(next(iter(self.compilations)), "-x", "c++-header", str(self.preamble), "-o", f"{self.preamble}.gch")
        done.check_returncode()

    def _compile(self, kernel, *arguments):
        entry = self.compilations[kernel]
        words = [word for word in shlex.split(entry["command"])
                 if not word.startswith("-W") and pathlib.Path(word).name != "ccache"]
        del words[words.index("-o"):]  # -o OBJECT -c SOURCE stand at the end
        return subprocess.run([*words, "-w", *arguments], cwd=entry["directory"], capture_output=True, text=True)

    def compiled(self, kernel, text):
        """The object file. Throws NotCompiled."""
        source, result = self.work / "mutant.cpp", self.work / "mutant.o"
        source.write_text(text)
        done = self._compile(kernel, "-include", str(self.preamble), "-c", str(source), "-o", str(result))
        if done.returncode != 0:
            raise NotCompiled(next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr[-300:]))
        return result

    def worker(self, object_file):
        """A worker in which the object's functions stand before those of the library."""
        result = self.work / "gradproof-worker"
        quick = " -fuse-ld=lld" if shutil.which("ld.lld") else ""
        places = f"{shlex.quote(str(object_file))}{quick} -Wl,--strip-debug -o {shlex.quote(str(result))} "
        command = self.link.replace("-o bin/gradproof-worker ", places, 1)
        done = subprocess.run(command, shell=True, cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"no worker of the mutant; is gradproof-worker built?\n{done.stderr[-600:]}")
        return result


def code_of(object_file):
    """A digest of what the object does: code, constants and what they refer to. Two texts with the same are one program.
    Data is left out: it holds the places in the source, for messages."""
    text = subprocess.run(["objdump", "-w", "-s", "-r", object_file], capture_output=True, text=True, check=True).stdout
    digest = hashlib.sha256()
    for section in re.split(r"\n(?=Contents of section |RELOCATION RECORDS FOR )", text)[1:]:
        name = re.search(r"\[(.*?)\]|section (\S+):", section)
        if re.match(r"\.(text|rodata|data\.rel\.ro|gcc_except|init_array)", name[1] or name[2]):
            digest.update(section.encode())
    return digest.hexdigest()


def lines_of(object_file):
    """(file name, line) of everything in the sources that became code, by the object's line table."""
    command = ["objdump", "--dwarf=decodedline", "-w", object_file]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {(name, int(line)) for name, line in re.findall(r"^(\S+\.cuh?) +(\d+) +(?:0x)?[0-9a-f]+", text, re.M)}
