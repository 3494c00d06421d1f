# SPDX-License-Identifier: Apache-2.0
"""A file of Python or a library of LibTorch on trial: `gradproof check --python`, `check --library` (docs/bring-your-own.md).

Three processes. trial.py is trusted, imports no torch and judges nothing; reference.py runs the reference; host.py runs the
candidate, before any answer exists. Of a library library_trial.py is trusted, there is no reference, and host.py says first which
operators it has (schemas.py). What is found is written to files, which the program judges.
"""
