// SPDX-License-Identifier: Apache-2.0
#include "judge/model_pairs/pairs.h"

#include "core/error.h"
#include "core/tensor/tensor.h"
#include "fixtures/models/p37.h"
#include "fixtures/models/p39.h"
#include "fixtures/models/p88.h"
#include "fixtures/models/p97.h"

namespace gradproof {
namespace {

Shape shape_of(const Case& c, const std::string& key) {
  if (c.is(key, "one")) return {1};
  return c.is(key, "row") ? Shape{1, c.integer("cols")} : Shape{c.integer("cols")};
}

std::optional<double> momentum_of(const Case& c) {
  return c.is_number("momentum") ? std::optional(c.real("momentum")) : std::nullopt;
}

/// The modules of a pair with a BatchNorm in the state that the Case says.
template <class M>
std::shared_ptr<LinearModel> with_batch_norm(const std::shared_ptr<M>& model, const Case& c) {
  if (c.is("affine", "no") || c.is("track", "no"))
    model->replace_bn(torch::nn::BatchNorm1dOptions(c.integer("cols"))
                          .eps(c.real("eps"))
                          .momentum(momentum_of(c))
                          .affine(c.is("affine", "yes"))
                          .track_running_stats(c.is("track", "yes")));
  model->train(c.is("mode", "train"));
  return model;
}

template <class M>
std::shared_ptr<LinearModel> with_group_norm(const std::shared_ptr<M>& model, const Case& c) {
  model->replace_norm(torch::nn::GroupNormOptions(c.integer("groups"), c.integer("cols"))
                          .eps(c.real("eps"))
                          .affine(c.is("affine", "yes")));
  return model;
}

std::shared_ptr<LinearModel> build_p97(const Case& c) {
  return with_batch_norm(std::make_shared<p97::ModelNew>(
                             p97::Arguments{c.integer("in"), c.integer("cols"), c.real("eps"),
                                            momentum_of(c), shape_of(c, "bias"), c.real("divide")}),
                         c);
}

std::shared_ptr<LinearModel> build_p39(const Case& c) {
  return with_batch_norm(
      std::make_shared<p39::ModelNew>(p39::Arguments{
          c.integer("in"), c.integer("cols"), shape_of(c, "scale"), c.real("eps"), momentum_of(c)}),
      c);
}

std::shared_ptr<LinearModel> build_p37(const Case& c) {
  return with_group_norm(
      std::make_shared<p37::ModelNew>(p37::Arguments{c.integer("in"), c.integer("cols"),
                                                     c.integer("groups"), shape_of(c, "bias")}),
      c);
}

std::shared_ptr<LinearModel> build_p88(const Case& c) {
  return with_group_norm(
      std::make_shared<p88::ModelNew>(p88::Arguments{c.integer("in"), c.integer("cols"),
                                                     c.integer("groups"), shape_of(c, "multiply")}),
      c);
}

}  // namespace

const std::vector<LinearPair>& linear_pairs() {
  static const std::vector<LinearPair> all{
      {"linear_batchnorm_bias_divide_swish", "batchnorm_bias_divide_swish", p97::names(),
       build_p97},
      {"linear_scale_batchnorm", "scale_batchnorm", p39::names(), build_p39},
      {"linear_swish_bias_groupnorm", "swish_bias_groupnorm", p37::names(), build_p37},
      {"linear_groupnorm_swish_multiply_swish", "groupnorm_swish_multiply_swish", p88::names(),
       build_p88},
  };
  return all;
}

const LinearPair& linear_pair_of(const std::string& word) {
  for (const LinearPair& pair : linear_pairs())
    if (pair.word == word) return pair;
  throw UsageError("no model pair '" + word + "'");
}

}  // namespace gradproof
