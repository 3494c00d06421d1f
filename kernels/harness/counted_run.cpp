// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/counted_run.h"

#include <algorithm>
#include <bit>

#include "kernels/harness/counting_tensors.h"

namespace gradproof {
namespace {

using simt::Counted;

bool is_counted(const TensorSpec& spec) { return spec.dtype != DType::f64; }

/// True if the number has the bits of the result of the run on plain numbers, or both are NaN.
bool is_same(const Counted& number, double got) {
  const auto value = static_cast<float>(got);
  return (value != value && number.value != number.value) ||
         std::bit_cast<std::uint32_t>(value) == std::bit_cast<std::uint32_t>(number.value);
}

}  // namespace

CountedRun count_additions(const Kernel& kernel, const Case& c, const Claim& claim,
                           const Tensors& inputs, const Execution& execution, const Tensors& got) {
  const CountingUnit& unit = kernel.counting;
  if (!unit.entry.forward || execution.backend != simt::Backend::cpu) return {{}, unit.lack};
  for (const TensorSpec& spec : claim.tensors)
    if (!is_counted(spec))
      return {{},
              spec.name + " is " + std::string(name_of(spec.dtype)) +
                  ", and sums in float32 alone are counted"};
  CountingTensors tensors(claim, inputs);
  if (const std::string wrong =
          run_counting(kernel, c, execution, tensors, [&] { return claim.backward; });
      !wrong.empty())
    return {{}, "on numbers that count the source ended with " + wrong};
  CountedRun run;
  for (const TensorSpec& spec : claim.tensors) {
    const auto found = got.find(spec.name);
    if (found == got.end() || (spec.role != Role::output && spec.role != Role::gradient)) continue;
    CountedAdditions& most = run.tensors[spec.name];
    const std::vector<Counted> numbers = tensors.numbers(spec.name);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto index = static_cast<std::int64_t>(i);
      if (!is_same(numbers[i], found->second.at(index)))
        return {{},
                "on numbers that count the source computes another " + spec.name +
                    index_text(spec.layout.shape, index)};
      most.longest = std::max<std::int64_t>(most.longest, numbers[i].longest);
      most.path = std::max<std::int64_t>(most.path, numbers[i].path);
    }
  }
  return run;
}

}  // namespace gradproof
