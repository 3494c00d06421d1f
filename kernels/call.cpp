// SPDX-License-Identifier: Apache-2.0
#include "kernels/call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace gradproof {
namespace {

template <class T>
const T& named(const ByName<T>& all, std::string_view name, std::string_view kind) {
  if (const auto found = all.find(name); found != all.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [one, value] : all) known.push_back(one);
  throw InstrumentError(
      fmt::format("the call has no {} '{}'; it has: {}", kind, name, fmt::join(known, " ")));
}

}  // namespace

const View& Call::view(std::string_view name) const { return named(views, name, "tensor"); }

double Call::scalar(std::string_view name) const { return named(scalars, name, "scalar"); }

std::int64_t Call::extent(std::string_view name) const { return named(extents, name, "extent"); }

bool Call::flag(std::string_view name) const { return named(flags, name, "flag"); }

void refuse_types(const Call& call) {
  throw UsageError(fmt::format("this kernel has no dtype={} with parameters of {}",
                               name_of(call.dtype), name_of(call.parameters)));
}

void require_operands(const Call& call, int vectors, int numbers) {
  const OperandNames& names = call.operands;
  if (names.vectors.size() == static_cast<std::size_t>(vectors) &&
      names.numbers.size() == static_cast<std::size_t>(numbers))
    return;
  throw InstrumentError(
      fmt::format("the kernel's stages take {} parameters and {} numbers; its pipeline names {} "
                  "({}) and {} ({})",
                  vectors, numbers, names.vectors.size(), fmt::join(names.vectors, " "),
                  names.numbers.size(), fmt::join(names.numbers, " ")));
}

}  // namespace gradproof
