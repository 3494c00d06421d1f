// SPDX-License-Identifier: Apache-2.0
#include "oracles/functions/function_target.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "core/tensor/philox.h"

namespace gradproof {
namespace {

std::string text_of(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

void check_input(const FunctionInput& input) {
  if (std::any_of(input.shape.begin(), input.shape.end(), [](auto extent) { return extent < 0; }))
    throw UsageError(fmt::format("input '{}': shape {} has a negative extent", input.name,
                                 text_of(input.shape)));
  const std::int64_t entries = numel(input.shape);
  if (entries != static_cast<std::int64_t>(input.numbers.size()))
    throw UsageError(fmt::format("input '{}': shape {} takes {} numbers, {} were given", input.name,
                                 text_of(input.shape), entries, input.numbers.size()));
  for (std::size_t i = 0; i < input.numbers.size(); ++i)
    if (!std::isfinite(input.numbers[i]))
      throw UsageError(
          fmt::format("input '{}': {} is {}, and only finite numbers can be audited", input.name,
                      index_text(input.shape, static_cast<std::int64_t>(i)), input.numbers[i]));
}

std::string where_text(double move) { return fmt::format("within 2^{}", std::ilogb(move)); }

}  // namespace

std::string outside_text(const char* operation, bool at_x, double move) {
  return fmt::format("domain: {} has no finite value{}", operation,
                     at_x ? "" : " " + where_text(move));
}

std::string turning_text(const std::vector<char>& before, const std::vector<char>& after,
                         double move) {
  const auto size = std::min(before.size(), after.size());
  const auto first =
      std::mismatch(before.begin(), before.begin() + static_cast<long>(size), after.begin()).first;
  return fmt::format("kink: comparison {} of the value turns {}", first - before.begin() + 1,
                     where_text(move));
}

FunctionTarget::FunctionTarget(const std::vector<FunctionInput>& inputs) : inputs_(inputs) {
  if (inputs.empty()) throw UsageError("inputs: none was given; each is a {name, shape, numbers}");
  std::set<std::string> names;
  for (const FunctionInput& input : inputs) {
    if (input.name.empty() || !names.insert(input.name).second)
      throw UsageError(fmt::format("input '{}': each input has a name of its own", input.name));
    check_input(input);
    tensors_.push_back({input.name, input.shape, Reach::all});
    unit_size_ += numel(input.shape);
    widths_.push_back(widths_of(input.numbers));
  }
}

void FunctionTarget::take_outputs(std::size_t count, const FunctionOptions& options) {
  if (count == 0) throw UsageError("value(): it returned no outputs, and none can be audited");
  if (!options.dy.empty() && options.dy.size() != count)
    throw UsageError(fmt::format("dy: {} numbers were given, value() returned {} outputs",
                                 options.dy.size(), count));
  dy_ = options.dy;
  for (const double dy : dy_)
    if (!std::isfinite(dy)) throw UsageError(fmt::format("dy: {} is not finite", dy));
  const Stream stream(options.seed, "dy");
  // Of either sign, and none so small that its output is not seen.
  for (std::uint64_t i = dy_.size(); i < count; ++i) {
    const double u = 2 * stream.uniform(i) - 1;
    dy_.push_back(u + std::copysign(0.5, u));
  }
  unit_size_ = std::max(unit_size_, static_cast<std::int64_t>(count));
}

void FunctionTarget::check_gradient(const std::vector<std::size_t>& sizes,
                                    const std::string& whose) const {
  if (sizes.size() != inputs_.size()) {
    std::vector<std::string> names;
    for (const FunctionInput& input : inputs_) names.push_back(input.name);
    throw UsageError(fmt::format("{}: {} gradients for {} inputs ({})", whose, sizes.size(),
                                 inputs_.size(), fmt::join(names, ", ")));
  }
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (sizes[k] != inputs_[k].numbers.size())
      throw UsageError(fmt::format("{}: {} numbers for input '{}' of shape {}, which has {}", whose,
                                   sizes[k], inputs_[k].name, text_of(inputs_[k].shape),
                                   inputs_[k].numbers.size()));
}

double FunctionTarget::roundings(AuditArithmetic arithmetic) const {
  if (arithmetic == AuditArithmetic::double_double) return roundings_.double_double;
  if (arithmetic == AuditArithmetic::triple_double) return roundings_.triple_double;
  return roundings_.digits400;
}

void FunctionTarget::narrow(std::size_t tensor, int by) {
  constexpr int kLeast = -900;  // as widths_of
  widths_[tensor].most = std::max(kLeast, widths_[tensor].most - by);
  for (int& own : widths_[tensor].own) own = std::max(kLeast, own - by);
}

void FunctionTarget::take_dual_numbers(const Values<PathSum>& gradient) {
  dual_.emplace_back();
  for (const PathSum& entry : gradient)
    dual_.back().push_back(entry.rounding() ? Real(0) : entry.sum);
  sums_.push_back(gradient);
}

void FunctionTarget::throw_other_outputs(std::size_t before, std::size_t now) {
  throw UsageError(
      fmt::format("value(): it returned {} outputs, then {} for numbers close by", before, now));
}

void FunctionTarget::throw_undetermined(const std::string& what, double before, double now) {
  throw UsageError(
      fmt::format("{} is {}, then {} at the same numbers: only a function that gives the same "
                  "again can be audited",
                  what, before, now));
}

}  // namespace gradproof
