# SPDX-License-Identifier: Apache-2.0
"""Functions and modules of torch as lines of docs/graphs.md, by tracing them."""
