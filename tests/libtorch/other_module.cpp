// SPDX-License-Identifier: Apache-2.0
// A library that a worker takes for LibTorch's module of another build.
extern "C" const char* gradproof_libtorch_version() { return "0.0.0, of a test"; }
extern "C" const void* gradproof_libtorch_module() { return nullptr; }
