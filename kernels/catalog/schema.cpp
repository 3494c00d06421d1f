// SPDX-License-Identifier: Apache-2.0
#include "core/case/inputs.h"
#include "core/case/law_key.h"
#include "kernels/catalog/kernel_spec.h"
#include "kernels/catalog/layouts.h"

namespace gradproof {
namespace {

Key integer(const std::string& name, const std::string& initial, std::int64_t minimum,
            std::int64_t maximum, const std::string& help) {
  return {name, KeyType::integer, initial, {}, minimum, maximum, help};
}

Key real(const std::string& name, const std::string& initial, std::vector<std::string> words,
         const std::string& help) {
  return {name, KeyType::real, initial, std::move(words), 0, 0, help};
}

/// The first word is the default.
Key word(const std::string& name, std::vector<std::string> words, const std::string& help) {
  return {name, KeyType::word, words.front(), words, 0, 0, help};
}

/// What searches draw from, where the type does not say it.
Key drawn(Key key, std::vector<std::string> samples) {
  key.samples = std::move(samples);
  return key;
}

/// A setting of the instrument: searches leave it alone.
Key setting(Key key) {
  key.setting = true;
  return key;
}

std::vector<std::string> before(const std::string& first, std::vector<std::string> words) {
  words.insert(words.begin(), first);
  return words;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "+") + name;
  return text;
}

/// What may be asked for of the gradients of x and of the parameters: all, x's alone, all but it,
/// and every other choice by name: "x+beta", "weight".
std::vector<std::string> gradient_words(const KernelSpec& system) {
  const std::vector<std::string> names = system.having_gradients();
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

/// Searches take the three first words three times as often as all others together: of most kernels
/// there are many more.
Key gradients_key(const KernelSpec& system) {
  Key key = word("grads", gradient_words(system), "which gradients are asked for");
  for (std::size_t i = 3; i < key.words.size(); ++i)
    key.samples.insert(key.samples.end(), {"all", "input", "parameters", key.words[i]});
  return key;
}

/// Extents and element types.
std::vector<Key> size_keys(bool groups) {
  std::vector<Key> keys{
      drawn(integer("rows", "33", 0, INT64_MAX, "rows of x, the batch"),
            {"0", "1", "2", "3", "5", "8", "17", "31", "32", "33", "64", "65", "127", "129"})};
  if (groups) {
    keys.push_back(drawn(integer("cols", "24", 1, INT64_MAX, "columns of x, the channels"),
                         {"1", "2", "3", "4", "6", "8", "12", "16", "24", "34", "48", "66"}));
    keys.push_back(drawn(integer("groups", "4", 1, INT64_MAX, "groups of channels; divides cols"),
                         {"1", "2", "3", "4", "6", "8", "12", "17", "24", "33"}));
  } else {
    keys.push_back(drawn(integer("cols", "17", 1, INT64_MAX, "columns of x, the features"),
                         {"1", "2", "3", "4", "5", "8", "16", "17", "31", "33"}));
  }
  keys.push_back(word("dtype", {"f32", "f64", "f16", "bf16"}, "of x and y"));
  keys.push_back(word("params", {"same", "f32"},
                      "dtype of parameters and running statistics: as x, or f32 beside f16 and "
                      "bf16"));
  return keys;
}

std::vector<Key> stage_keys(const KernelSpec& system) {
  std::vector<Key> keys;
  if (system.has("batch_norm"))
    keys.push_back(word("mode", {"train", "eval"}, "batch statistics or running ones"));
  keys.push_back(word("op", {"both", "forward", "backward"}, "which results are judged"));
  keys.push_back(gradients_key(system));
  if (system.has_norm())
    keys.push_back(
        drawn(real("eps", "1e-05", {}, "added to the variance"), {"1e-12", "1e-5", "1e-3", "1"}));
  if (system.has("batch_norm"))
    keys.push_back(drawn(
        real("momentum", "0.1", {"none"}, "of the running statistics; none: cumulative average"),
        {"0.1", "0.9", "1", "0.25", "none"}));
  if (system.has("divide"))
    keys.push_back(drawn(real("divide", "1.75", {}, "divisor of the biased value"),
                         {"-3", "-0.5", "0.3", "2"}));
  for (const std::string& name : system.vectors())
    keys.push_back(
        word(name, {"cols", "one", "row"}, "shape of " + name + ": (cols), (1) or (1, cols)"));
  if (system.has_norm()) keys.push_back(word("affine", {"yes", "no"}, "weight and beta"));
  if (system.has("batch_norm"))
    keys.push_back(word("track", {"yes", "no"}, "whether there are running statistics"));
  return keys;
}

std::vector<std::string> names_of(const std::map<std::string, Mutant>& mutants) {
  std::vector<std::string> names;
  for (const auto& [name, mutant] : mutants) names.push_back(name);
  return names;
}

std::vector<Key> keys_of(const KernelSpec& system, const std::map<std::string, Mutant>& mutants) {
  std::vector<Key> all = size_keys(system.has("group_norm"));
  const auto append = [&](std::vector<Key> more) {
    for (Key& key : more) all.push_back(std::move(key));
  };
  append(stage_keys(system));
  append({word("layout", layout_words(), "of x in memory"),
          word("out_layout", before("same", layout_words()), "of y and d_x in memory"),
          word("dy_layout", read_layout_words(), "of dy in memory")});
  if (system.has("batch_norm"))
    all.push_back(setting(integer("steps", "1", 1, 16, "training steps, each on fresh x")));
  append({drawn({"schedule",
                 KeyType::tagged,
                 "forward",
                 {"forward", "reverse", "random:"},
                 0,
                 0,
                 "of threads in the executor (a GPU has its own); random:seed is adversarial"},
                {"forward", "reverse", "random:1", "random:2"}),
          setting(word("device", {"cpu", "cuda"}, "the executor or the GPU")),
          setting(word("mutant", before("none", names_of(mutants)),
                       "a kernel that is wrong on purpose")),
          law_key(), calls_key()});
  append(input_keys());
  return all;
}

/// The smallest normal float32 and the largest: whatever is between is neither 0 nor infinite as
/// the kernel gets it.
constexpr const char* kLeastEps = "1.1754943508222875e-38";
constexpr const char* kMostEps = "3.4028234663852886e+38";
constexpr const char* kEpsRange =
    "eps must be positive and finite: a normal float32, 1.2e-38 to 3.4e+38";
constexpr const char* kMomentumRange = "momentum must be between 0 and 1, or none";

std::vector<Refusal> refusals_of(const KernelSpec& system) {
  std::vector<Refusal> all{
      {{{"params", "=", "f32"}, {"dtype", "=", "f32"}}, "params=f32 is for dtype=f16 and bf16"},
      {{{"params", "=", "f32"}, {"dtype", "=", "f64"}}, "params=f32 is for dtype=f16 and bf16"},
      {{{"device", "=", "cuda"}, {"mutant", "!=", "none"}}, "mutants run on device=cpu only"},
      calls_without_law(),
  };
  const auto append = [&](std::vector<Refusal> more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  if (system.has_norm())
    append({{{{"eps", "<", kLeastEps}}, kEpsRange}, {{{"eps", ">", kMostEps}}, kEpsRange}});
  if (system.has_norm())
    for (const std::string& grads : gradient_words(system))
      if (is_asked(grads, "weight") || is_asked(grads, "beta"))
        append({{{{"affine", "=", "no"}, {"grads", "=", grads}},
                 "affine=no has neither weight nor beta for grads to name"}});
  if (system.has("group_norm"))
    append({{{{"cols", "indivisible", "groups"}},
             "num_channels must be divisible by num_groups: cols % groups is not 0"}});
  if (system.has("batch_norm"))
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
std::vector<Refusal> refusals_of(const std::map<std::string, Mutant>& mutants) {
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

std::vector<std::string> judged_tensors(const KernelSpec& system) {
  std::vector<std::string> names{"y"};
  const auto append = [&](const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  if (system.has_norm()) append({"mean", "rstd"});
  if (system.has("batch_norm")) append({"running_mean", "running_var", "num_batches_tracked"});
  for (const std::string& name : system.having_gradients()) append({"d_" + name});
  return names;
}

}  // namespace

SchemaPtr schema_of(const KernelSpec& system, const std::map<std::string, Mutant>& mutants) {
  Schema schema;
  schema.word = system.word;
  schema.summary = system.summary;
  schema.keys = keys_of(system, mutants);
  schema.refusals = refusals_of(system);
  for (Refusal& refusal : refusals_of(mutants)) schema.refusals.push_back(std::move(refusal));
  schema.size_keys = {"rows", "cols"};
  // Measured: float64 takes 71 bytes at 4096 x 4096, float32 40; a column of 1000000 rows, or as
  // many channels of one group, 1200 bytes for each of them on each core.
  schema.bytes_per_element = 75;
  schema.unit_keys = {system.has("group_norm") ? "cols" : "rows"};
  schema.bytes_per_unit_element = 1300;
  schema.tensors = judged_tensors(system);
  return std::make_shared<const Schema>(std::move(schema));
}

}  // namespace gradproof
