// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/sizes/programs/computations.h"

#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "properties/calibration/sizes/programs/norms.h"
#include "properties/calibration/sizes/programs/products.h"
#include "properties/calibration/sizes/programs/reductions.h"
#include "properties/calibration/sizes/programs/softmaxes.h"

namespace gradproof::programs {
namespace {

using Faults = std::vector<Fault>;

const Faults kTerms{Fault::last_left_out, Fault::eight_left_out, Fault::block_left_out};
const Faults kSums{Fault::sums_half, Fault::sums_bf16};
const Faults kOperands{Fault::operands_tf32, Fault::operands_bf16, Fault::operands_half};

Faults joined(const std::vector<Faults>& parts) {
  Faults all;
  for (const Faults& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Faults faults_of_norm(bool centred) {
  return joined(
      {kTerms,
       kSums,
       {Fault::one_less, Fault::eps_larger, Fault::eps_outside, Fault::rstd_16,
        Fault::stale_statistics, Fault::projection_term, Fault::broadcast, Fault::row_left_out},
       centred ? Faults{Fault::mean_term} : Faults{}});
}

Faults faults_of_softmax(const Faults& more) {
  return joined({kTerms, kSums, {Fault::exp_16, Fault::exp_rough, Fault::stale_statistics}, more});
}

std::vector<Computation> table() {
  const std::vector<Form> two_passes{Form::usual};
  const std::vector<Form> moments{Form::usual, Form::one_pass, Form::welford};
  const std::vector<Form> maxima{Form::usual, Form::online};
  const std::vector<Form> logits{Form::usual, Form::online, Form::followed};
  // A variance of 1e-6 shows an eps of 1e-6.
  const std::vector<std::string_view> variances{"normal", "scaled:0.001"};
  constexpr const char* kRows = "rows=4";
  constexpr const char* kLinear = "y = linear(x, weight[out,cols], bias)";
  return {
      {"linear", kLinear, "rows=4 out=4", "cols", 1, linear<float>, linear<double>, two_passes,
       joined({kTerms, kSums, kOperands, {Fault::broadcast}})},
      {"linear, long batch", kLinear, "cols=4 out=4", "rows", 1, linear<float>, linear<double>,
       two_passes, joined({kTerms, kSums, kOperands, {Fault::broadcast}})},
      {"rms_norm", "y = rms_norm(x, weight, eps=1e-6)", kRows, "cols", 1, rms_norm<float>,
       rms_norm<double>, two_passes, faults_of_norm(false), variances},
      {"layer_norm", "y = layer_norm(x, weight, beta, eps=1e-6)", kRows, "cols", 1,
       layer_norm<float>, layer_norm<double>, moments, faults_of_norm(true), variances},
      {"batch_norm", "y = batch_norm(x, weight, beta, eps=1e-6)", "cols=4", "rows", 1,
       batch_norm<float>, batch_norm<double>, moments, faults_of_norm(true), variances},
      {"group_norm", "y = group_norm(x[n,c,s], weight, beta, groups=2, eps=1e-6)", "n=2 c=4", "s",
       2, group_norm<float>, group_norm<double>, moments, faults_of_norm(true), variances},
      {"softmax", "y = softmax(x)", kRows, "cols", 1, softmax<float>, softmax<double>, logits,
       faults_of_softmax({Fault::quotient_rough, Fault::projection_term, Fault::broadcast})},
      {"log_softmax", "y = log_softmax(x)", kRows, "cols", 1, log_softmax<float>,
       log_softmax<double>, logits, faults_of_softmax({Fault::projection_term, Fault::broadcast})},
      {"logsumexp", "y = logsumexp(x, cols)", kRows, "cols", 1, logsumexp<float>, logsumexp<double>,
       logits, faults_of_softmax({Fault::broadcast})},
      {"cross_entropy", "l = log_softmax(x); y = nll_loss(l, labels)", kRows, "cols", 1,
       cross_entropy<float>, cross_entropy<double>, logits,
       faults_of_softmax({Fault::one_less, Fault::row_left_out})},
      {"mean", "y = mean(x, cols)", kRows, "cols", 1, mean<float>, mean<double>, two_passes,
       joined({kTerms, kSums, kOperands, {Fault::one_less, Fault::broadcast}})},
      {"sum of gelu", "y = sum(gelu(x), cols)", kRows, "cols", 1, gelu_sum<float>, gelu_sum<double>,
       two_passes,
       joined({kTerms, kSums, kOperands, {Fault::tanh_gelu, Fault::exp_rough, Fault::broadcast}})},
      {"bias, swish", "y = silu(add(x, bias[cols]))", "cols=4", "rows", 1, bias_swish<float>,
       bias_swish<double>, two_passes,
       joined({kTerms,
               kSums,
               {Fault::exp_16, Fault::exp_rough, Fault::quotient_rough, Fault::broadcast}})},
      {"attention",
       "s = linear(q[m,d], k[n,d]); t = multiply(s, 0.5); p = softmax(t, n); "
       "y = linear(p, v[e,n])",
       "m=2 d=4 e=4", "n", 1, attention<float>, attention<double>, maxima,
       faults_of_softmax({Fault::quotient_rough, Fault::projection_term, Fault::broadcast,
                          Fault::operands_tf32, Fault::operands_half, Fault::operands_bf16,
                          Fault::probabilities_16})},
  };
}

}  // namespace

Case Computation::of(std::int64_t size, DType dtype, std::uint64_t seed,
                     std::string_view fill) const {
  return parse_case(fmt::format("{{{}}} {} {}={} dtype={} fill={} dy=normal seed={}", line, extents,
                                long_axis, size / beside, name_of(dtype), fill, seed),
                    {});
}

std::vector<Variant> Computation::right() const {
  std::vector<Variant> all;
  for (const AdditionOrder order : kAdditionOrders) all.push_back({.order = order});
  for (const Form form : forms)
    if (form != Form::usual) all.push_back({.order = AdditionOrder::lanes_128, .form = form});
  all.push_back({.order = AdditionOrder::lanes_128, .eager = true});
  return all;
}

std::vector<Variant> Computation::wrong(DType dtype) const {
  std::vector<Variant> all;
  for (const Fault fault : faults)
    if (is_wrong_in(fault, dtype))
      all.push_back({.order = AdditionOrder::lanes_128, .fault = fault});
  return all;
}

Tensors Computation::computed(const Variant& variant, DType dtype, const Tensors& inputs) const {
  return in_float(Arithmetic<float>(variant, dtype), inputs);
}

Tensors Computation::reference(const Tensors& inputs) const {
  return in_double(Arithmetic<double>({}, DType::f64), inputs);
}

const std::vector<Computation>& computations() {
  static const std::vector<Computation> all = table();
  return all;
}

const Computation& computation_named(std::string_view name) {
  for (const Computation& c : computations())
    if (c.name == name) return c;
  throw UsageError(fmt::format("no computation is called '{}'", name));
}

}  // namespace gradproof::programs
