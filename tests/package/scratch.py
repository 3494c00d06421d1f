# SPDX-License-Identifier: Apache-2.0
"""A prefix with what `cmake --install --component development` puts there, and its examples beside it in an empty folder."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys

# What a user's shell has too; no variable of the tests is among them.
KEPT = ("HOME", "LANG", "CCACHE_DIR", "CUDA_HOME", "CXX")


def require(holds, text):
    if not holds:
        sys.exit(text)


class Scratch:
    def __init__(self, build, folder):
        self.folder, build = pathlib.Path(folder).resolve(), pathlib.Path(build).resolve()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.prefix = self.folder / "prefix"
        self.program = self.prefix / "bin" / "gradproof"
        outside = [part for part in os.environ["PATH"].split(":") if not pathlib.Path(part).is_relative_to(build)]
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ} | {
            "PATH": ":".join(outside), "PYTHONPATH": str(self.prefix / "share/gradproof/python"), "TMPDIR": str(self.folder),
            "CUDA_VISIBLE_DEVICES": ""}
        code, text = self.run("cmake", "--install", build, "--component", "development", "--prefix", self.prefix)
        require(code == 0, text)

    def run(self, *command, folder=None):
        """Exit code and all that it printed, in the scratch folder or one of its own, with nothing of the checkout in a variable."""
        done = subprocess.run([str(part) for part in command], cwd=folder or self.folder, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout

    def example(self, name):
        """A copy of the example that the prefix has."""
        return pathlib.Path(shutil.copytree(self.prefix / "share/gradproof/examples" / name, self.folder / name, dirs_exist_ok=True))

    def built(self, name):
        """The same, built."""
        project = self.example(name)
        for code, text in (self.configure(project), self.build(project)):
            require(code == 0, text)
        return project

    def configure(self, project, *options):
        return self.run("cmake", "-G", "Ninja", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Release", *options,
                        folder=project)

    def build(self, project):
        return self.run("cmake", "--build", "build", folder=project)

    def passes_ctest(self, project):
        code, text = self.run("ctest", "--test-dir", "build", "--output-on-failure", folder=project)
        require(code == 0 and "100% tests passed" in text and "out of 1" in text, text)

    def asks(self, worker, *words, code=0, said=()):
        """What the program prints of a user's worker; it must end with the code and say each of these."""
        got, text = self.run(self.program, words[0], "--worker", worker, *words[1:])
        require(got == code and all(part in text for part in said), f"{words}: {got}\n{text}")
        return text

    @contextlib.contextmanager
    def planted(self, source, old, new):
        """The source's project built with `old` replaced; yields what the compiler said, and puts the text back."""
        right = source.read_text()
        require(old in right, f"'{old}' is not in {source}")
        source.write_text(right.replace(old, new, 1))
        yield self.build(source.parent)
        source.write_text(right)

    def convicts(self, source, faults, worker, *words):
        """faults: of each one's name, what is replaced in the source, by what, and the code and text that `words` end with."""
        for name, (old, new, code, said) in faults.items():
            with self.planted(source, old, new) as (compiled, text):
                require(compiled == 0, text)
                text = self.asks(worker, *words, code=code, said=[said])
            print(f"{name}: {next(line.strip() for line in text.splitlines() if said in line)[:140]}")
