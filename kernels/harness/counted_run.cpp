// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/counted_run.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <limits>

#include "simt/counted.h"
#include "simt/stream.h"

namespace gradproof {
namespace {

using simt::Counted;

constexpr std::size_t kTimesAsLarge = sizeof(Counted) / sizeof(float);

/// The tensors of a Case in numbers that count; results are NaN until they are written.
class CountedMemory {
 public:
  CountedMemory(const Claim& claim, const Tensors& inputs) {
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

  /// The call with these tensors and a workspace of so many bytes that nobody wrote to.
  Call with_tensors(Call call, std::size_t workspace) {
    const std::size_t count = (workspace + sizeof(Counted) - 1) / sizeof(Counted);
    call.views = views_;
    call.views["workspace"] = {place_numbers("workspace", count, nullptr),
                               DType::f32,
                               {static_cast<std::int64_t>(count)},
                               {1}};
    return call;
  }

  const std::vector<Counted>& numbers(const std::string& tensor) const {
    return numbers_.find(tensor)->second;
  }

 private:
  void* place_numbers(const std::string& name, std::size_t count, const Tensor* from) {
    std::vector<Counted>& all = numbers_[name];
    all.assign(count, Counted(std::numeric_limits<float>::quiet_NaN()));
    for (std::size_t i = 0; from != nullptr && i < count; ++i)
      all[i] = Counted(static_cast<float>(from->at(static_cast<std::int64_t>(i))));
    return all.data();
  }
  void* place_labels(const std::string& name, std::size_t count, const Tensor* from) {
    std::vector<std::int64_t>& all = labels_[name];
    all.assign(count, 0);
    for (std::size_t i = 0; from != nullptr && i < count; ++i)
      all[i] = static_cast<std::int64_t>(from->at(static_cast<std::int64_t>(i)));
    return all.data();
  }

  ByName<std::vector<Counted>> numbers_;
  ByName<std::vector<std::int64_t>> labels_;
  Views views_;
};

/// A block of numbers that count has as much shared memory as one of floats.
simt::Options options_for_counting(const Execution& execution, const simt::Stream& stream) {
  simt::Options options = execution.options;
  options.stream = stream.handle();
  options.profile.static_shared_bytes *= kTimesAsLarge;
  options.profile.opt_in_shared_bytes *= kTimesAsLarge;
  return options;
}

/// Forward, then backward; what was wrong with it, or nothing.
std::string run_counting(const Kernel& kernel, const Case& c, const Claim& claim,
                         const Execution& execution, CountedMemory& memory) {
  const simt::Stream stream(simt::Backend::cpu);
  Call plain = kernel.call(c);
  plain.backend = simt::Backend::cpu;
  plain.stream = stream.handle();
  const CountingUnit& unit = kernel.counting;
  // A source that writes a float's size as a number says too little.
  const std::size_t workspace =
      std::max(unit.workspace ? unit.workspace(plain) : 0, kernel.workspace(plain) * kTimesAsLarge);
  const simt::Scope scope(options_for_counting(execution, stream));
  try {
    unit.entry.forward(memory.with_tensors(plain, workspace));
    if (claim.backward) unit.entry.backward(memory.with_tensors(plain, workspace));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

bool is_counted(const TensorSpec& spec) {
  return spec.dtype == DType::f32 || spec.dtype == DType::i64;
}

}  // namespace

CountedRun count_additions(const Kernel& kernel, const Case& c, const Claim& claim,
                           const Tensors& inputs, const Execution& execution, const Tensors& got) {
  const CountingUnit& unit = kernel.counting;
  if (!unit.entry.forward || execution.backend != simt::Backend::cpu) return {{}, unit.lack};
  for (const TensorSpec& spec : claim.tensors)
    if (!is_counted(spec))
      return {{},
              spec.name + " is " + std::string(name_of(spec.dtype)) + ", and float counts alone"};
  CountedMemory memory(claim, inputs);
  if (const std::string wrong = run_counting(kernel, c, claim, execution, memory); !wrong.empty())
    return {{}, "on numbers that count the source ended with " + wrong};
  CountedRun run;
  for (const TensorSpec& spec : claim.tensors) {
    const auto found = got.find(spec.name);
    if (found == got.end() || (spec.role != Role::output && spec.role != Role::gradient)) continue;
    CountedAdditions& most = run.tensors[spec.name];
    const std::vector<Counted>& numbers = memory.numbers(spec.name);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto value = static_cast<float>(found->second.at(static_cast<std::int64_t>(i)));
      const bool is_nan = value != value && numbers[i].value != numbers[i].value;
      if (!is_nan &&
          std::bit_cast<std::uint32_t>(value) != std::bit_cast<std::uint32_t>(numbers[i].value))
        return {{},
                "on numbers that count the source computes another " + spec.name +
                    index_text(spec.layout.shape, static_cast<std::int64_t>(i))};
      most.longest = std::max<std::int64_t>(most.longest, numbers[i].longest);
      most.path = std::max<std::int64_t>(most.path, numbers[i].path);
    }
  }
  return run;
}

}  // namespace gradproof
