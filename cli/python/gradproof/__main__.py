# SPDX-License-Identifier: Apache-2.0
"""python -m gradproof VERB ...: the program that the package finds (program.path), with these words."""
from gradproof import program

if __name__ == "__main__":
    program.start()
