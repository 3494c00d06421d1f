// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalog/call_checks.h"

#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "kernels/catalog/pipeline_parts.h"

namespace gradproof {
namespace {

constexpr const char* kMatrices[] = {"x", "dy", "y", "d_x"};
constexpr const char* kStatistics[] = {"mean", "rstd"};

template <class Names>
bool is_among(const Names& names, const std::string& name) {
  for (const char* one : names)
    if (name == one) return true;
  return false;
}

struct Memory {
  std::uintptr_t first = 0;
  std::uintptr_t end = 0;  ///< behind the last byte
};

Memory memory_of(const View& view) {
  const auto first = reinterpret_cast<std::uintptr_t>(view.data);
  std::int64_t last = 0;
  for (std::size_t d = 0; d < view.shape.size(); ++d) last += (view.shape[d] - 1) * view.strides[d];
  return {first, first + static_cast<std::size_t>(last + 1) * size_of(view.dtype)};
}

/// The tensors that a pass takes and gives, by name.
struct PassViews {
  const Call& call;
  bool backward;

  bool is_result(const std::string& name) const {
    if (name == "workspace") return true;
    if (backward) return name.starts_with("d_");
    return name == "y" || is_among(kStatistics, name) || name.starts_with("running_") ||
           name == "num_batches_tracked";
  }
  bool takes_part(const std::string& name) const {
    if (backward)
      return name != "y" && !name.starts_with("running_") && name != "num_batches_tracked";
    return name != "dy" && !name.starts_with("d_");
  }
};

DType type_of(const Call& call, const std::string& name) {
  if (is_among(kMatrices, name)) return call.dtype;
  if (is_among(kStatistics, name)) return call.dtype == DType::f64 ? DType::f64 : DType::f32;
  return name == "num_batches_tracked" ? DType::i64 : call.parameters;
}

bool fits(const Call& call, const std::string& name, const Shape& shape) {
  if (is_among(kMatrices, name)) return shape == Shape{call.extent("rows"), call.extent("cols")};
  const std::int64_t count = numel(shape);
  if (is_among(kStatistics, name))
    return count == (call.has_extent("groups") ? call.extent("rows") * call.extent("groups")
                                               : call.extent("cols"));
  return count == 1 || count == call.extent("cols");
}

void refuse_missing(const Call& call, const std::string& name) {
  const auto found = call.views.find(name);
  if (found == call.views.end() ||
      (found->second.data == nullptr && numel(found->second.shape) > 0))
    throw UsageError(fmt::format("the call has no {}", name));
}

bool takes_batch_statistics(const Graph& pipeline, const Call& call) {
  return has_stage(pipeline, "batch_norm") && call.flag("batch_statistics");
}

bool takes_given_statistics(const Graph& pipeline, const Call& call) {
  return has_stage(pipeline, "batch_norm") && !call.flag("batch_statistics");
}

/// Refuses a missing operand, mean or rstd. A batch of no rows has no statistics of its own.
void refuse_incomplete(const Graph& pipeline, const Call& call) {
  const bool nothing = takes_batch_statistics(pipeline, call) && call.extent("rows") == 0;
  if (norm_of(pipeline) != nullptr && !nothing)
    for (const char* name : kStatistics) refuse_missing(call, name);
  for (const std::string& name : call.operands.vectors) refuse_missing(call, name);
}

std::string extents_of(const Call& call) {
  std::string text;
  for (const auto& [name, extent] : call.extents)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, extent);
  return text;
}

void refuse_misfits(const PassViews& pass) {
  for (const auto& [name, view] : pass.call.views) {
    if (name == "workspace" || !pass.takes_part(name)) continue;
    if (!fits(pass.call, name, view.shape))
      throw UsageError(fmt::format("{} has the shape ({}), which does not fit {}", name,
                                   fmt::join(view.shape, ", "), extents_of(pass.call)));
    if (view.dtype != type_of(pass.call, name))
      throw UsageError(fmt::format("{} is {}, not {}", name, name_of(view.dtype),
                                   name_of(type_of(pass.call, name))));
  }
}

void refuse_overlap(const PassViews& pass) {
  for (const auto& [result, written] : pass.call.views) {
    if (!pass.is_result(result) || numel(written.shape) == 0) continue;
    const Memory mine = memory_of(written);
    for (const auto& [name, view] : pass.call.views) {
      if (name == result || !pass.takes_part(name) || numel(view.shape) == 0) continue;
      const Memory other = memory_of(view);
      if (mine.first < other.end && other.first < mine.end)
        throw UsageError(
            fmt::format("{} and {} share memory; a result needs its own", result, name));
    }
  }
}

void refuse(const PassViews& pass) {
  const Call& call = pass.call;
  if (call.has_extent("groups") && call.extent("cols") % call.extent("groups") != 0)
    throw UsageError(fmt::format("num_channels must be divisible by num_groups: {} % {} is not 0",
                                 call.extent("cols"), call.extent("groups")));
  refuse_misfits(pass);
  refuse_overlap(pass);
}

}  // namespace

EntryPoints checked(const Graph& pipeline, const EntryPoints& entry) {
  return {[=](const Call& call) {
            refuse_missing(call, "x");
            refuse_missing(call, "y");
            refuse_incomplete(pipeline, call);
            if (takes_given_statistics(pipeline, call))
              for (const char* name : {"running_mean", "running_var"}) refuse_missing(call, name);
            refuse({call, false});
            entry.forward(call);
          },
          [=](const Call& call) {
            refuse_missing(call, "x");
            refuse_missing(call, "dy");
            refuse_incomplete(pipeline, call);
            refuse({call, true});
            entry.backward(call);
          }};
}

}  // namespace gradproof
