# SPDX-License-Identifier: Apache-2.0
"""One kernel's two verdicts, as the case studies print them (docs/case-studies.md)."""
import warnings

import gradproof


def says(passes):
    return "passes" if passes else "fails"


def judged(function, line, **given):
    """Each tensor's verdict, with its largest error in bounds: `y passed (0.982), d_x FAILED (12.1)`.

    The numbers are those that the other comparison had, and no others.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gradproof.MistrustedWarning)  # the line below has the word
        try:
            found = gradproof.check(function, line, inputs="given", **given)
        except gradproof.Convicted as convicted:
            found = convicted.judgement
    return ", ".join(_said(record) for record in found.records if record["tensor"] != "execution" and record["set"] == "given")


def _said(record):
    word = record["verdict"].upper() if record["verdict"] == "Failed" else record["verdict"].replace("Passed", "passed")
    return f"{record['tensor']} {word} ({float(record['discrepancy']['max_ratio']):.3g})"


def show(kernel, tolerance, verdict):
    print(f"{kernel}\n  {tolerance}\n  gradproof: {verdict}")
