#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing is used that happens to lie on this machine: each header, library and program is the checkout's, of the parts that
build/deps.cmake names, the compiler's, or of a package that scripts/pins lists or that such a package depends on.

Usage: pinned_test.py SOURCE_DIR BUILD_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import packages
import programs
import tree

ROOMS = (".ci", "scripts", "cmake", "tests", "tools", "cli", "docs", "examples", "README.md", "kernels", "properties", "fixtures")


class Allowed:
    def __init__(self, owned, roots):
        self.owned, self.roots = owned, [os.path.realpath(root) + "/" for root in roots]

    def file(self, path):
        return self.owned.have(path) or f"{os.path.realpath(path)}/".startswith(tuple(self.roots))

    def program(self, word):
        """A relative path is of the folder that a script works in."""
        if not os.path.isabs(word):
            return "/" in word or self.owned.start(word)
        return os.path.basename(word) in self.owned.programs or self.file(word)


def refused_files(build, allowed):
    """Sentences, and how much was looked at."""
    made = tree.Tree(build)
    headers, linked, loaded = made.headers(), made.linked(), made.loaded()
    said = [f"{by} is compiled with {path}, {packages.owner(path)}" for path, by in headers.items() if not allowed.file(path)]
    said += [f"{by} is linked with {path}, {packages.owner(path)}" for path, by in linked.items() if not allowed.file(path)]
    said += [f"{by} loads {path}, {packages.owner(path)}" for path, by in loaded.items() if not allowed.file(path)]
    said += [f"the build starts {word}: {by}" for word, by in made.started().items() if not allowed.program(word)]
    return said, (f"{made.objects} objects with {len(headers)} headers, {len(made.links)} links of {len(linked)} files, "
                  f"{len(loaded)} libraries loaded"), made


def refused_programs(source, files, allowed):
    words = programs.programs_of(source, files)
    return [f"{file} starts {word}, {packages.owner(shutil.which(word) or word)}" for word, file in words.items()
            if not allowed.program(word)], f"{len(words)} programs named in {len(files)} files"


def tracked(source):
    """What git knows or would, in a checkout; everything in a folder without git."""
    done = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *ROOMS], cwd=source,
                          capture_output=True, text=True, check=False)
    files = done.stdout.splitlines() or [str(path.relative_to(source)) for room in ROOMS for path in (source / room).rglob("*")]
    return [file for file in files if (source / file).is_file()]


# A tree of three targets that reads, links and loads what lies outside of it.
NINJA = """
rule compile
  command = c++ -MD -MF $out.d -fPIC -I{outside} -c $in -o $out
  deps = gcc
  depfile = $out.d
rule link
  command = c++ $shared $in $libs -o $out
rule copy
  command = {outside}/stranger $in $out
build main.o: compile main.cpp
build main: link main.o
  libs = -L{outside} -Wl,-rpath,{outside} {outside}/libplanted.so
build copied: copy main.cpp
"""


def plant(folder):
    """A program, a library and a header that are nobody's, and a tree beside them that has them all."""
    outside, build = folder / "outside", folder / "build"
    outside.mkdir()
    build.mkdir()
    (outside / "planted.h").write_text("int planted();\n")
    (outside / "planted.cpp").write_text("int planted() { return 1; }\n")
    (outside / "stranger").write_text("#!/bin/sh\ncp \"$1\" \"$2\"\n")
    (outside / "stranger").chmod(0o755)
    (build / "main.cpp").write_text("#include <vector>\n#include \"planted.h\"\nint main() { return planted() - 1; }\n")
    (build / "build.ninja").write_text(NINJA.format(outside=outside))
    for command in (["c++", "-shared", "-fPIC", "planted.cpp", "-o", "libplanted.so"], ["ninja", "-C", build]):
        subprocess.run(command, cwd=outside, check=True, capture_output=True)
    return outside, build


# The stranger started in each language, and in a word that is no start.
STARTS = {"a": "#!/usr/bin/env bash\n[ -z \"$1\" ] || sed s/a/b/ | stranger -x\n", "b.py": "import os\nos.run([\"stranger\", \"x\"])\n",
          "c.cpp": "int a = std::system(\"cd /tmp && stranger x\");\n", "CMakeLists.txt": "add_test(NAME a COMMAND stranger x)\n",
          "d.md": "text\n\n    $ stranger x\n"}
HOLDS = {"a": "#!/usr/bin/env bash\nif command -v stranger; then stranger; fi\n", "b.py": "import os\nos.run([\"sed\"])\na = [\"stranger\"]\n",
         "c.cpp": "int a = std::system(\"cd /tmp && sed x\");  // stranger\n", "CMakeLists.txt": "add_test(NAME a COMMAND sed stranger)\n",
         "d.md": "    stranger x\n"}


def control_of_files(owned, folder):
    outside, build = plant(folder)
    said, _, _ = refused_files(build, Allowed(owned, [build]))
    for part in ("is compiled with {}/planted.h", "is linked with {}/libplanted.so", "is linked with {},", "loads {}/libplanted.so",
                 "the build starts {}/stranger"):
        yield any(part.format(outside) in line for line in said), f"nothing says '{part}' of a planted one: {said}"
    yield len(said) == 5, f"more than what was planted is refused: {said}"
    said, _, _ = refused_files(build, Allowed(owned, [build, outside]))
    yield not said, f"what lies in a folder that is named is refused: {said}"


def control_of_programs(owned, folder):
    os.environ["PATH"] = f"{folder / 'outside'}:{os.environ['PATH']}"
    for texts, wanted in ((STARTS, len(STARTS)), (HOLDS, 0)):
        refused = set()
        for name, text in texts.items():
            (folder / name).write_text(text)
            refused |= {name for line in refused_programs(folder, [name], Allowed(owned, []))[0] if "starts stranger" in line}
        yield len(refused) == wanted, f"a planted program is refused in {sorted(refused)} of {sorted(texts)}"


def control_of_generators(_, folder):
    for options, starts in (("-B build", True), ("-G Ninja -B build", False), ("--preset cpu -B build", False), ("--build build", False)):
        (folder / "page.md").write_text(f"    {'cmake'} {options}\n")
        found = programs.programs_of(folder, ["page.md"])
        yield ("make" in found) == starts, f"cmake with {options} starts {sorted(found)}"


def main():
    source, build = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    groups = packages.pinned(source)
    if shutil.which("dpkg-query") is None or packages.distribution() not in groups:
        print("skipped: not one of the distributions of scripts/pins")
        return
    outer = packages.Packages(package for listed in groups.values() for package in listed)
    inner = packages.Packages(groups["all"] + groups[packages.distribution()] + groups["python"])
    roots = tree.roots_of(source, build)
    said, looked, made = refused_files(build, Allowed(inner, roots + tree.compiler_of(build)))
    more, named = refused_programs(source, tracked(source), Allowed(outer, roots))
    print(f"{looked}; {named}; {len(inner.wanted)} packages")
    failures = said + more
    if made.objects < 10 or not made.links:
        failures.append(f"{build} is not built")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch).resolve()
        for control in (control_of_files, control_of_programs, control_of_generators):
            failures += [text for holds, text in control(inner, folder) if not holds]
    sys.exit("\n".join(failures) if failures else 0)


main()
