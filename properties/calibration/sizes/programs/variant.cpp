// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/sizes/programs/variant.h"

#include <array>

namespace gradproof::programs {
namespace {

constexpr std::array<std::string_view, 10> kOrderNames{
    "chain",      "backward", "strided", "lanes 32", "lanes 128",
    "lanes 1024", "blocks",   "tree",    "Kahan",    "split-K"};
constexpr std::array<std::string_view, 5> kFormNames{"two passes", "one pass", "Welford", "online",
                                                     "maximum differentiated"};

}  // namespace

std::string_view name_of(AdditionOrder order) {
  return kOrderNames[static_cast<std::size_t>(order)];
}

std::string_view name_of(Form form) { return kFormNames[static_cast<std::size_t>(form)]; }

std::string_view name_of(Fault fault) {
  constexpr std::array<std::string_view, 23> kNames{"none",
                                                    "operands in TF32",
                                                    "operands in bfloat16",
                                                    "operands in float16",
                                                    "sums in float16",
                                                    "sums in bfloat16",
                                                    "last left out",
                                                    "last 8 left out",
                                                    "last 32 left out",
                                                    "gradient without a row",
                                                    "N - 1 in place of N",
                                                    "eps 1e-5 for 1e-6",
                                                    "eps outside the root",
                                                    "exp in 16 bits",
                                                    "exp 2e-5 off",
                                                    "quotient 2e-5 off",
                                                    "1/std in 16 bits",
                                                    "probabilities in 16 bits",
                                                    "statistics of another unit",
                                                    "gradient without mean(g)",
                                                    "gradient without its projection",
                                                    "gradient of the first for all",
                                                    "GELU by tanh"};
  return kNames[static_cast<std::size_t>(fault)];
}

bool is_wrong_in(Fault fault, DType storage) {
  switch (fault) {
    case Fault::none:
      return false;
    case Fault::operands_tf32:
    case Fault::operands_half:
    case Fault::eps_larger:
    case Fault::eps_outside:
    case Fault::exp_rough:
    case Fault::quotient_rough:
    case Fault::probabilities_16:
      return storage == DType::f32;
    case Fault::operands_bf16:
    case Fault::sums_half:
    case Fault::tanh_gelu:
      return storage != DType::bf16;
    default:
      return true;
  }
}

std::string Variant::text() const {
  if (fault != Fault::none) return std::string(name_of(fault));
  if (eager) return "an operator at a time";
  std::string text(name_of(order));
  if (form != Form::usual) text += ", " + std::string(name_of(form));
  return text;
}

}  // namespace gradproof::programs
