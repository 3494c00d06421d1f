# SPDX-License-Identifier: Apache-2.0
"""The packages that scripts/pins lists and what they depend on, and which files are theirs."""
import functools
import os
import pathlib
import re
import shutil
import subprocess

FIELDS = r"${binary:Package}\t${Package}\t${db:Status-Status}\t${Essential}\t${Priority}\t${Pre-Depends}, ${Depends}\t${Provides}\n"
FOLDERS_OF_PROGRAMS = ("/usr/bin/", "/usr/sbin/", "/usr/games/")


def distribution():
    words = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    return "-".join(words.get(key, "").strip('"') for key in ("ID", "VERSION_ID"))


def pinned(source):
    """The packages of each group of scripts/pins."""
    groups = {}
    for line in (pathlib.Path(source) / "scripts/pins").read_text().splitlines():
        words = line.split()
        if words[:1] == ["apt"]:
            groups.setdefault(words[1], []).extend(words[2:])
    return groups


def names(relation):
    """The names in a field such as 'libc6 (>= 2.36), awk | mawk:any'."""
    return [re.sub(r"[ (:].*", "", part.strip()) for part in re.split(r"[,|]", relation) if part.strip()]


@functools.cache
def merged(folder):
    """/lib is a link to /usr/lib, and packages list files as if it were not."""
    return os.path.realpath(folder)


def plain(path):
    """The path with its folder resolved."""
    folder, name = os.path.split(path)
    return os.path.join(merged(folder), name)


class Packages:
    def __init__(self, roots):
        said = subprocess.run(["dpkg-query", "-W", "-f", FIELDS], check=True, capture_output=True, text=True).stdout
        self.depends, self.of_name, base = {}, {}, ["apt"]
        for line in said.splitlines():
            package, name, status, essential, priority, depends, provides = line.split("\t")
            if status != "installed":
                continue
            self.depends[package] = names(depends)
            for word in [name, *names(provides)]:
                self.of_name.setdefault(word, []).append(package)
            if essential == "yes" or priority == "required":
                base.append(name)
        self.wanted = self.closure([*base, *roots])
        listed = subprocess.run(["dpkg-query", "-L", *sorted(self.wanted)], check=True, capture_output=True, text=True).stdout
        self.files = {plain(line) for line in listed.splitlines() if line.startswith("/")}
        self.programs = {os.path.basename(file) for file in self.files if file.startswith(FOLDERS_OF_PROGRAMS)}

    def closure(self, roots):
        found, left = set(), list(roots)
        while left:
            for package in self.of_name.get(left.pop(), []):
                if package not in found:
                    found.add(package)
                    left += self.depends[package]
        return found

    def have(self, path):
        return plain(path) in self.files or os.path.realpath(path) in self.files

    def start(self, program):
        """True where the program's name is one of theirs, wherever this machine has it, or no program of this machine."""
        path = shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        return os.path.basename(program) in self.programs or path is None or self.have(path)


def owner(path):
    """What a message says of a file that is in none of them."""
    said = subprocess.run(["dpkg-query", "-S", os.path.realpath(path)], check=False, capture_output=True, text=True).stdout
    return f"of the package {said.split(':')[0]}" if said else "of no package"
