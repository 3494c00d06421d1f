// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Torch's part of what is in front of an extension's text, compiled once and kept: it takes most
/// of a minute. Without torch's modules, optimisers and data loaders in C++, which are as much
/// again.
#include <ATen/Dispatch.h>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/types.h>
