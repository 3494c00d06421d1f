# SPDX-License-Identifier: Apache-2.0
"""The hard numbers that a function is judged on beside its own: docs/python.md."""
