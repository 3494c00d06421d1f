// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/case/draw.h"
#include "properties/calibration/subject.h"

namespace gradproof {

/// A correct result made wrong: these tensors of it were changed.
struct Planted {
  Tensors changed;
};

/// One element as far beyond its bound as the bound is wide: always convicted, unless bounds lie.
std::optional<Planted> plant_in_element(const CalibrationResult& result, const RandomBits& next);

/// One column of y or d_x times 1 + 1e-3.
std::optional<Planted> plant_in_column(const CalibrationResult& result, const RandomBits& next);

/// mean and rstd of one unit whose sums leave out one number.
std::optional<Planted> plant_in_statistics(const CalibrationResult& result, const RandomBits& next);

/// Gradients of parameters that leave out one row: the kernel's own, from a dy that is 0 there.
std::optional<Planted> plant_in_gradients(const CalibrationResult& result, const RandomBits& next);

/// The Case with one of the kernel's mutants; nothing where none is compiled for its types.
std::optional<Case> with_mutant(const Kernel& kernel, const Case& c, const RandomBits& next);

/// The faults that are planted in results, in turn; the turn after them is a mutant's.
struct Fault {
  const char* name;
  std::optional<Planted> (*plant)(const CalibrationResult&, const RandomBits&);
};
inline constexpr std::array kFaults{
    Fault{"one element 2 bounds off", plant_in_element},
    Fault{"one column 1e-3 off", plant_in_column},
    Fault{"statistics without one number", plant_in_statistics},
    Fault{"gradients without one row", plant_in_gradients},
};
inline constexpr const char* kMutant = "a mutant";

/// The names of those that the kernel can have: without a norm none of statistics.
std::set<std::string> faults_of(const Kernel& kernel);

/// The numbers that the norm of the claim takes, in double: x after the steps before it.
std::vector<double> before_norm(const Claim& claim, const Tensors& inputs, std::size_t norm);

}  // namespace gradproof
