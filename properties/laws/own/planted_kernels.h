// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>
#include <string>
#include <vector>

#include "kernels/own/own_kernel.h"

namespace gradproof {

/// The numbers of a float32 tensor of the call.
inline float* numbers(const Call& call, const char* name) { return call.view(name).as<float>(); }

/// A kernel as users write it, on the host, with faults to plant in it.
struct PlantedKernel {
  std::string word;
  std::vector<std::string> faults;
  /// The kernel with that fault; without one where it is empty.
  OwnKernel (*with)(const std::string& fault);
};

inline void PrintTo(const PlantedKernel& kernel, std::ostream* out) { *out << kernel.word; }

PlantedKernel planted_rms_norm();
PlantedKernel planted_layer_norm();
PlantedKernel planted_softmax();
PlantedKernel planted_group_norm();
PlantedKernel planted_swiglu();
PlantedKernel planted_linear();

}  // namespace gradproof
