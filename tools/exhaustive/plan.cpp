// SPDX-License-Identifier: Apache-2.0
#include "tools/exhaustive/plan.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

constexpr std::int64_t kMostInputs = std::int64_t{1} << 22;

/// Exponents at which regions begin: Swish is x/2 below them all, changes its shape between the
/// middle ones, and from 64 up the exponential leaves float32's range.
constexpr std::array<int, 8> kBorders{-12, -4, 0, 2, 4, 6, 7, 128};

std::string power(int exponent) {
  return exponent >= 0 && exponent < 8 ? fmt::format("{}", 1 << exponent)
                                       : fmt::format("2^{}", exponent);
}

/// The regions of one sign, `sign` being its bit.
void append_side(DType dtype, std::uint64_t sign, std::vector<Region>& all) {
  const std::uint64_t binade = std::uint64_t{1} << (precision_of(dtype) - 1);
  const std::string side = sign == 0 ? "+" : "-";
  std::uint64_t next = sign;
  const auto append = [&](const std::string& name, std::uint64_t binades) {
    all.push_back({side + name, next, binades * binade});
    next += binades * binade;
  };
  append("0, subnormal", 1);
  const int top = 2 - min_exponent_of(dtype);  // one past the largest exponent
  int low = min_exponent_of(dtype);
  for (const int border : kBorders) {
    const int high = std::min(border, top);
    const auto binades = static_cast<std::uint64_t>(high - low);
    append(fmt::format("[{}, {})", power(low), power(high)), binades);
    low = high;
  }
  append("Inf, NaN", 1);
}

/// The Case with the number as the step's second operand; a literal's key is the stage's word.
Case with_number(const Case& c, const GraphStep& step, const std::string& number) {
  if (step.operands.at(1).is_number()) return c.with(step.stage, number);
  const std::string& name = step.operands.at(1).name;
  const Case shared = c.with(name, "one");
  return number.empty() ? shared : shared.with("set", fmt::format("{}@0:{}", name, number));
}

}  // namespace

std::vector<Region> regions_of(DType dtype) {
  if (dtype != DType::f16 && dtype != DType::bf16 && dtype != DType::f32)
    throw UsageError(fmt::format("exhaustive is for f16, bf16 and f32, not {}", name_of(dtype)));
  std::vector<Region> all;
  append_side(dtype, 0, all);
  append_side(dtype, std::uint64_t{1} << (8 * size_of(dtype) - 1), all);
  return all;
}

std::vector<Piece> pieces_of(const std::vector<Region>& regions, std::int64_t part,
                             std::int64_t parts) {
  std::vector<Piece> all;
  std::int64_t number = 0;
  for (std::size_t r = 0; r < regions.size(); ++r)
    for (std::uint64_t done = 0; done < regions[r].count; done += kMostInputs) {
      const auto left = static_cast<std::int64_t>(regions[r].count - done);
      if (number++ % parts == part)
        all.push_back({r, regions[r].first + done, std::min(left, kMostInputs)});
    }
  return all;
}

bool is_elementwise(const Kernel& kernel) {
  const std::vector<GraphStep> chain = kernel.claim(Case(kernel.schema)).chain();
  return first_norm(chain) == chain.size();
}

std::vector<Case> settings_of(const Kernel& kernel, const std::string& mutant, DType dtype) {
  const Case first = Case(kernel.schema)
                         .with("dtype", std::string(name_of(dtype)))
                         .with("grads", "input")
                         .with("mutant", mutant);
  std::vector<Case> all{first.with("dy", "ones"), first.with("dy", "constant:-0.375")};
  for (const GraphStep& step : kernel.claim(first).chain()) {
    std::vector<Case> more;
    for (const std::string_view number : graph_stage(step.stage).operands.back().exhaustive)
      for (const Case& c : all) more.push_back(with_number(c, step, std::string(number)));
    if (!more.empty()) all = std::move(more);
  }
  if (dtype == DType::f32) all.erase(all.begin() + 1, all.end());
  if (const std::string refusal = refusal_of(all.front()); !refusal.empty())
    throw UsageError(refusal);
  return all;
}

Case case_of(const Case& setting, const Piece& piece) {
  constexpr std::int64_t kLarge = 1 << 20;
  const std::int64_t cols = piece.count < kLarge ? 128 : 2048;  // both divide a region
  return setting.with("rows", fmt::format("{}", piece.count / cols))
      .with("cols", fmt::format("{}", cols))
      .with("fill", fmt::format("every:{}", piece.first));
}

}  // namespace gradproof
