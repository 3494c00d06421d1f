// SPDX-License-Identifier: Apache-2.0
#include "core/claim/contract.h"

#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {

const Reduction& Contract::reduction(const std::string& name) const {
  for (const Reduction& r : reductions)
    if (r.name == name) return r;
  throw InstrumentError("the contract declares no reduction '" + name + "'");
}

std::string Contract::why() const {
  constexpr std::array kVariance{"two-pass, ", "Welford, ", "one-pass, "};
  std::string text;
  for (const Reduction& r : reductions)
    if (r.name == "statistics") text = kVariance[static_cast<std::size_t>(variance)];
  if (!reductions.empty()) text += reductions.front().shape + ", ";
  if (affine_folded) text += "folded affine, ";
  text += fmt::format("{} accumulation", name_of(accumulation));
  if (flush_to_zero) text += ", flush to zero";
  return exp_error > 0 ? fmt::format("{}, exp {:.3g}u", text, exp_error) : text;
}

std::int64_t tree_chain(std::int64_t length, std::int64_t lanes) {
  if (length <= 1) return 0;
  const std::int64_t joined = std::min(length, lanes);
  const auto levels =
      static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(joined - 1)));
  return std::min(length - 1, (length + lanes - 1) / lanes - 1 + levels);
}

}  // namespace gradproof
