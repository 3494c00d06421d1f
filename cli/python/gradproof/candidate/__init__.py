# SPDX-License-Identifier: Apache-2.0
"""A file of Python on trial: `gradproof check --python candidate.py` (docs/bring-your-own.md).

Three processes. trial.py is trusted, imports no torch and judges nothing; reference.py runs the reference; host.py runs the
candidate, before any answer exists. What is found is written to files, which the program judges.
"""
