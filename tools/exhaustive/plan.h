// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/tensor/dtype.h"
#include "kernels/kernel.h"

namespace gradproof {

/// Numbers of one sign whose exponents follow each other: bit patterns first, first + 1, ...
struct Region {
  std::string name;  ///< "+subnormal", "-[1, 4)", "+Inf, NaN"
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// All patterns of f16, bf16 or f32, each in one region. Throws UsageError for other dtypes.
std::vector<Region> regions_of(DType dtype);

/// Inputs that one Case takes.
struct Piece {
  std::size_t region = 0;
  std::uint64_t first = 0;
  std::int64_t count = 0;
};

/// The pieces of at most 2^22 inputs that all regions are cut into; with `parts`, every parts-th
/// piece, starting with number `part`, counted from 0.
std::vector<Piece> pieces_of(const std::vector<Region>& regions, std::int64_t part = 0,
                             std::int64_t parts = 1);

/// True if every output depends on one input alone, which holds where there is no norm.
bool is_elementwise(const Kernel& kernel);

/// The Cases whose x is to be enumerated: every parameter is one number for all columns, each of a
/// listed few, and cotangents are one number. For float32 only the first Case is left, whose other
/// stages are exact: bias 0, divide 1, multiply 1, dy 1.
std::vector<Case> settings_of(const Kernel& kernel, const std::string& mutant, DType dtype);

/// The Case of the setting with the piece's inputs as x.
Case case_of(const Case& setting, const Piece& piece);

}  // namespace gradproof
