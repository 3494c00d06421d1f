# SPDX-License-Identifier: Apache-2.0
"""A prefix with what `cmake --install --component development` puts there, and projects beside it in an empty folder."""
import pathlib
import shutil
import subprocess


def run(*command, folder=None):
    """Exit code and all that it printed."""
    done = subprocess.run([str(part) for part in command], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    return done.returncode, done.stdout


class Scratch:
    def __init__(self, build, folder):
        self.folder = pathlib.Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.prefix = self.folder / "prefix"
        code, text = run("cmake", "--install", build, "--component", "development", "--prefix", self.prefix)
        assert code == 0, text
        self.program = self.prefix / "bin" / "gradproof"

    def project(self, source, name=None):
        """A copy of the project's sources."""
        copy = self.folder / (name or pathlib.Path(source).name)
        shutil.copytree(source, copy)
        return copy

    def configure(self, project, *options):
        return run("cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_BUILD_TYPE=Release", *options,
                   folder=project)

    @staticmethod
    def build(project):
        return run("cmake", "--build", "build", folder=project)

    @staticmethod
    def ctest(project):
        return run("ctest", "--test-dir", "build", "--output-on-failure", folder=project)
