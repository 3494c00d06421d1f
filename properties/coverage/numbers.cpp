// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/graph/stages.h"
#include "core/tensor/dtype.h"
#include "properties/coverage/factors.h"

namespace gradproof {
namespace {

const Condition kHasRows{"rows", ">", "0"};

std::string number(double value) { return fmt::format("{}", value); }

/// Some 2^-6 of the smallest normal number: subnormal, and the half types still have a few bits.
std::string tiny(DType dtype) {
  const int bits = dtype == DType::f16 || dtype == DType::bf16 ? 3 : 6;
  return number(std::ldexp(1.0, min_exponent_of(dtype) - bits));
}

/// A mean beside which the deviations keep some bits.
std::string far_off(DType dtype) { return number(std::ldexp(1.0, (precision_of(dtype) + 1) / 2)); }

/// Half a unit above 1/2: the number that the type is furthest from, because the kernels hold
/// scalars in float32 at least.
double halfway(DType dtype) { return 0.5 * (1 + std::ldexp(1.0, -precision_of(dtype))); }

/// The argument at which exp leaves the type that kernels compute it in: the logarithm of the
/// largest finite number.
double end_of_exp(DType dtype) { return dtype == DType::f64 ? 709 : 88; }

/// The divisor of the kernel's defaults.
double divisor_of(const Schema& schema) {
  double divisor = 1;
  if (schema.has("divide")) parse_double(schema.key("divide", "").initial, divisor);
  return divisor;
}

bool has_exponential(const GraphStep& step) { return graph_stage(step.stage).takes("exp"); }
bool is_norm(const GraphStep& step) { return graph_stage(step.stage).is_norm(); }

/// Numbers in turn around both ends of the first exponential. Behind a norm x is near 1 or -1, and
/// a weight carries it there.
std::optional<Level> ends_of_exp(const Kernel& kernel, DType dtype) {
  const std::vector<GraphStep>& steps = kernel.pipeline.steps;
  const auto first = std::find_if(steps.begin(), steps.end(), has_exponential);
  if (first == steps.end()) return std::nullopt;
  const double end = end_of_exp(dtype) * divisor_of(*kernel.schema);
  Level level{"ends_of_exp", {{"fill", "alternating:" + number(end)}}, {{"x", ""}}};
  if (std::find_if(steps.begin(), first, is_norm) != first) {
    level.texts.push_back({"affine", "yes"});
    level.placed.push_back({"weight", number(end)});
  }
  return level;
}

/// A divisor whose reciprocal is beyond float32, with numbers whose quotients are not: a kernel
/// that multiplies by the reciprocal gives NaN. A double's reciprocal is not known to the bound.
Level reciprocal_beyond(const Schema& schema, DType dtype) {
  const std::string text = "scaled:" + tiny(dtype);
  Level level{"reciprocal", {{"divide", "1e-39"}, {"dy", text}}};
  level.texts.push_back({"fill", schema.has("affine") ? "constant:0" : text});
  if (schema.has("affine")) level.texts.push_back({"affine", "no"});
  if (!schema.has("bias")) return level;
  level.texts.push_back({"bias", "one"});
  level.placed.push_back({"bias", "0"});
  level.hides_a_stage = true;
  return level;
}

}  // namespace

Factor scalar_factor(const Schema& schema, const Key& key, DType dtype) {
  const bool half = dtype == DType::f16 || dtype == DType::bf16;
  Factor factor{key.name, {}, {}, false};
  const auto add = [&](const std::string& name, const std::string& text) {
    factor.levels.push_back({name, {{key.name, text}}});
  };
  add("default", key.initial);
  for (const std::string& word : key.words) add(word, word);
  add("exact", "0.25");
  add("inexact", half ? number(halfway(dtype)) : "0.3");
  add("small", "0.001");
  add("large", "300");
  add("negative", "-3");
  add("below", dtype == DType::f16 ? "1e-08" : "1e-20");
  add("beyond", dtype == DType::f16 ? "70000" : "1e+20");
  if (key.name == "divide" && dtype != DType::f64)
    factor.levels.push_back(reciprocal_beyond(schema, dtype));
  return factor;
}

Factor numbers_of_x(const Kernel& kernel, DType dtype) {
  Factor factor{"x", {}, {kHasRows}, false};
  const auto fill = [&](const std::string& name, const std::string& text) {
    factor.levels.push_back({name, {{"fill", text}}, {{"x", ""}}});
  };
  const auto place = [&](const std::string& name, const std::string& text) {
    factor.levels.push_back({name, {{"fill", "normal"}}, {{"x", text}}});
  };
  fill("normal", "normal");
  fill("zeros", "constant:0");
  fill("ties", "dyadic");
  fill("magnitudes", dtype == DType::f16 ? "pow2" : "loguniform");
  fill("offset", "offset:" + far_off(dtype));
  fill("outlier", dtype == DType::f16 ? "outlier:1000" : "outlier:10000");
  fill("alike", "lone:5");
  fill("underflow", "scaled:" + tiny(dtype));
  if (const auto level = ends_of_exp(kernel, dtype)) factor.levels.push_back(*level);
  place("largest", number(largest_finite(dtype)));
  place("nan", "nan");
  place("inf", "inf");
  return factor;
}

Factor numbers_of_dy(DType dtype) {
  Factor factor{"dy", {}, {kHasRows, {"op", "!=", "forward"}}, false};
  const auto fill = [&](const std::string& text) {
    factor.levels.push_back({text.substr(0, text.find(':')), {{"dy", text}}, {{"dy", ""}}});
  };
  const auto place = [&](const std::string& name, const std::string& text) {
    factor.levels.push_back({name, {{"dy", "normal"}}, {{"dy", text}}});
  };
  fill("designed");
  fill("dyadic");
  fill("onehot");
  fill("scaled:" + tiny(dtype));
  place("largest", number(largest_finite(dtype)));
  place("nan", "nan");
  place("inf", "inf");
  return factor;
}

Factor numbers_of_parameters(const Kernel& kernel) {
  Factor factor{"parameters", {{"drawn", {}, {}}}, {kHasRows}, false};
  for (const TensorSpec& spec : kernel.claim(Case(kernel.schema)).tensors) {
    const bool has_numbers = spec.role == Role::parameter || spec.role == Role::buffer;
    if (!has_numbers || spec.dtype == DType::i64) continue;
    factor.levels.front().placed.push_back({spec.name, ""});
    for (const char* text : {"0", "nan"})
      factor.levels.push_back({spec.name + ":" + text, {}, {{spec.name, text}}});
  }
  return factor;
}

}  // namespace gradproof
