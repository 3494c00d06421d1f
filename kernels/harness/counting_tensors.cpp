// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/counting_tensors.h"

#include <algorithm>
#include <exception>
#include <limits>

#include "simt/stream.h"

namespace gradproof {

using simt::Counted;

CountingTensors::CountingTensors(const Claim& claim, const Tensors& inputs) {
  for (const TensorSpec& spec : claim.tensors) {
    const auto found = inputs.find(spec.name);
    const Tensor* const from = found == inputs.end() ? nullptr : &found->second;
    const Shape& shape = spec.layout.shape;
    const auto count = static_cast<std::size_t>(numel(shape));
    void* const data = spec.dtype == DType::i64 ? place_labels(spec.name, count, from)
                                                : place_numbers(spec.name, count, from);
    views_[spec.name] = {data, spec.dtype, shape, Layout::contiguous(shape).strides};
  }
}

Call CountingTensors::with_tensors(Call call, std::size_t workspace) {
  const std::size_t count = (workspace + sizeof(Counted) - 1) / sizeof(Counted);
  call.views = views_;
  numbers_.erase("workspace");
  call.views["workspace"] = {place_numbers("workspace", count, nullptr),
                             DType::f32,
                             {static_cast<std::int64_t>(count)},
                             {1}};
  return call;
}

std::vector<Counted> CountingTensors::numbers(const std::string& tensor) const {
  return numbers_.find(tensor)->second.download();
}

void CountingTensors::start_anew() {
  for (auto& [name, numbers] : numbers_) {
    std::vector<Counted> all = numbers.download();
    for (Counted& number : all) number = Counted(number.value);
    numbers.upload(all);
  }
}

std::string CountingTensors::damage() const {
  for (const auto& [name, numbers] : numbers_)
    if (std::string damage = numbers.memory().guard_damage(); !damage.empty()) return damage;
  for (const auto& [name, labels] : labels_)
    if (std::string damage = labels.memory().guard_damage(); !damage.empty()) return damage;
  return "";
}

void* CountingTensors::place_numbers(const std::string& name, std::size_t count,
                                     const Tensor* from) {
  std::vector<Counted> all(count, Counted(std::numeric_limits<float>::quiet_NaN()));
  for (std::size_t i = 0; from != nullptr && i < count; ++i)
    all[i] = Counted(static_cast<float>(from->at(static_cast<std::int64_t>(i))));
  Numbers& placed = numbers_.emplace(name, Numbers(simt::Backend::cpu, count, name)).first->second;
  placed.upload(all);
  return placed.data();
}

void* CountingTensors::place_labels(const std::string& name, std::size_t count,
                                    const Tensor* from) {
  std::vector<std::int64_t> all(count, 0);
  for (std::size_t i = 0; from != nullptr && i < count; ++i)
    all[i] = static_cast<std::int64_t>(from->at(static_cast<std::int64_t>(i)));
  auto& placed = labels_.emplace(name, simt::Buffer<std::int64_t>(simt::Backend::cpu, count, name))
                     .first->second;
  placed.upload(all);
  return placed.data();
}

namespace {

/// Scales the limits of shared memory, so that a block may hold as many numbers that count.
simt::Options options_for_counting(const Execution& execution, const simt::Stream& stream) {
  simt::Options options = execution.options;
  options.stream = stream.handle();
  options.profile.static_shared_bytes *= kTimesAsLarge;
  options.profile.opt_in_shared_bytes *= kTimesAsLarge;
  return options;
}

}  // namespace

std::string run_counting(const Kernel& kernel, const Case& c, const Execution& execution,
                         CountingTensors& tensors, const std::function<bool()>& between) {
  const simt::Stream stream(simt::Backend::cpu);
  Call plain = kernel.call(c);
  plain.backend = simt::Backend::cpu;
  plain.stream = stream.handle();
  const CountingUnit& unit = kernel.counting;
  // A source that writes a float's size as a literal number asks for too little.
  const std::size_t workspace =
      std::max(unit.workspace ? unit.workspace(plain) : 0, kernel.workspace(plain) * kTimesAsLarge);
  const simt::Scope scope(options_for_counting(execution, stream));
  const auto run = [&](const EntryPoints::Function& entry) {
    entry(tensors.with_tensors(plain, workspace));
    return tensors.damage();
  };
  try {
    std::string wrong = run(unit.entry.forward);
    if (wrong.empty() && between()) wrong = run(unit.entry.backward);
    return wrong;
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace gradproof
