// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalog/refusals.h"

#include "core/case/law_key.h"
#include "kernels/catalog/pipeline_parts.h"

namespace gradproof {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "+") + name;
  return text;
}

/// The smallest normal float32 and the largest: a number between them is neither 0 nor infinite
/// when the kernel gets it.
constexpr const char* kLeastEps = "1.1754943508222875e-38";
constexpr const char* kMostEps = "3.4028234663852886e+38";
constexpr const char* kEpsRange =
    "eps must be positive and finite: a normal float32, 1.2e-38 to 3.4e+38";
constexpr const char* kMomentumRange = "momentum must be between 0 and 1, or none";

std::vector<Refusal> of_pipeline(const Graph& pipeline) {
  std::vector<Refusal> all{
      {{{"params", "=", "f32"}, {"dtype", "=", "f32"}}, "params=f32 is for dtype=f16 and bf16"},
      {{{"params", "=", "f32"}, {"dtype", "=", "f64"}}, "params=f32 is for dtype=f16 and bf16"},
      {{{"device", "=", "cuda"}, {"mutant", "!=", "none"}}, "mutants run on device=cpu only"},
      calls_without_law(),
  };
  const auto append = [&](std::vector<Refusal> more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  if (norm_of(pipeline) != nullptr)
    append({{{{"eps", "<", kLeastEps}}, kEpsRange}, {{{"eps", ">", kMostEps}}, kEpsRange}});
  if (norm_of(pipeline) != nullptr)
    for (const std::string& grads : gradient_words(pipeline))
      if (is_asked(grads, "weight") || is_asked(grads, "beta"))
        append({{{{"affine", "=", "no"}, {"grads", "=", grads}},
                 "affine=no has neither weight nor beta for grads to name"}});
  if (has_stage(pipeline, "group_norm"))
    append({{{{"cols", "indivisible", "groups"}},
             "num_channels must be divisible by num_groups: cols % groups is not 0"}});
  if (has_stage(pipeline, "batch_norm"))
    append({
        {{{"mode", "=", "train"}, {"rows", "=", "1"}},
         "Expected more than 1 value per channel when training: rows=1 needs mode=eval"},
        {{{"track", "=", "no"}, {"rows", "=", "1"}},
         "Expected more than 1 value per channel: track=no takes the batch's statistics, rows=1 "
         "has none"},
        {{{"momentum", "<", "0"}}, kMomentumRange},
        {{{"momentum", ">", "1"}}, kMomentumRange},
        {{{"mode", "=", "eval"}, {"steps", ">", "1"}}, "steps>1 needs mode=train"},
    });
  return all;
}

/// A mutant is compiled for one combination of types.
std::vector<Refusal> of_mutants(const std::map<std::string, Mutant>& mutants) {
  std::vector<Refusal> all;
  for (const auto& [name, mutant] : mutants) {
    const std::string dtype(name_of(mutant.dtype));
    const bool mixed = mutant.parameters != mutant.dtype;
    const std::string text = "mutant=" + name + " is compiled for dtype=" + dtype +
                             (mixed ? " params=f32" : "") + " only";
    all.push_back({{{"mutant", "=", name}, {"dtype", "!=", dtype}}, text});
    all.push_back({{{"mutant", "=", name}, {"params", mixed ? "!=" : "=", "f32"}}, text});
  }
  return all;
}

}  // namespace

bool is_asked(const std::string& grads, const std::string& name) {
  return ("+" + grads + "+").find("+" + name + "+") != std::string::npos;
}

std::vector<std::string> gradient_words(const Graph& pipeline) {
  const std::vector<std::string> names = having_gradients(pipeline);
  std::vector<std::string> words{"all", "input", "parameters"};
  const std::size_t all = (std::size_t{1} << names.size()) - 1;
  for (std::size_t set = 2; set < all - 1; ++set) {
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < names.size(); ++i)
      if ((set >> i & 1) != 0) chosen.push_back(names[i]);
    words.push_back(joined(chosen));
  }
  return words;
}

std::vector<Refusal> refusals_of(const Graph& pipeline,
                                 const std::map<std::string, Mutant>& mutants) {
  std::vector<Refusal> all = of_pipeline(pipeline);
  for (Refusal& refusal : of_mutants(mutants)) all.push_back(std::move(refusal));
  return all;
}

}  // namespace gradproof
