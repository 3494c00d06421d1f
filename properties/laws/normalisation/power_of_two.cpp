// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// The exponent by which a tensor grows with x: its new values are the old ones times 2^grows.
int grows(const std::string& tensor) {
  if (tensor == "x" || tensor == "mean" || tensor == "running_mean") return 1;
  if (tensor == "running_var") return 2;
  return tensor == "rstd" || tensor == "d_x" ? -1 : 0;
}

void power_of_two_holds(Trial& t) {
  const double eps = norm_of(t.claim()).number("eps");
  Tensors doubled = t.inputs();
  for (auto& [name, tensor] : doubled)
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      tensor.set(i, std::ldexp(tensor.at(i), grows(name)));
  const LawRun run = t.run(t.c().with("eps", fmt::format("{}", 4 * eps)), doubled);
  for (const TensorSpec& spec : run.results())
    t.expect_near(spec.name + " of 2 x and 4 eps", run.near(spec.name),
                  std::ldexp(1.0L, grows(spec.name)) * t.run().near(spec.name));
}

}  // namespace

Law power_of_two() {
  return {"power_of_two", "2 x with 4 eps gives the same y, half of rstd and of d_x",
          silences::any_of<silences::by_graph, silences::norm_not_first>, power_of_two_holds};
}

}  // namespace gradproof
