// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/batchnorm_schema.h"

#include "core/inputs.h"
#include "core/laws.h"
#include "kernels/rows/layouts.h"

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

std::vector<Key> keys(const std::vector<std::string>& mutants) {
  std::vector<Key> all{
      drawn(integer("rows", "33", 0, INT64_MAX, "rows of x, the batch"),
            {"0", "1", "2", "3", "5", "8", "17", "31", "32", "33", "64", "65", "127", "129"}),
      drawn(integer("cols", "17", 1, INT64_MAX, "columns of x, the features"),
            {"1", "2", "3", "4", "5", "8", "16", "17", "31", "33"}),
      word("dtype", {"f32"}, "of x, y and all parameters"),
      word("mode", {"train", "eval"}, "batch statistics or running ones"),
      word("op", {"both", "forward", "backward"}, "which results are judged"),
      drawn(real("eps", "1e-05", {}, "added to the variance"), {"1e-12", "1e-5", "1e-3", "1"}),
      drawn(
          real("momentum", "0.1", {"none"}, "of the running statistics; none: cumulative average"),
          {"0.1", "0.9", "1", "0.25", "none"}),
      drawn(real("divide", "1.75", {}, "divisor of the biased value"), {"-3", "-0.5", "0.3", "2"}),
      word("bias", {"cols", "one"}, "shape of the bias: one number a column, or one in all"),
      word("affine", {"yes", "no"}, "whether there are weight and beta"),
      word("track", {"yes", "no"}, "whether there are running statistics"),
      word("layout", layout_words(), "of x in memory"),
      word("out_layout", before("same", layout_words()), "of y and d_x in memory; same: as x"),
      word("dy_layout", read_layout_words(), "of dy in memory"),
      setting(integer("steps", "1", 1, 16, "training steps, each on fresh x")),
      drawn({"schedule",
             KeyType::tagged,
             "forward",
             {"forward", "reverse", "random:"},
             0,
             0,
             "of threads in the executor (a GPU has its own); random:seed is adversarial"},
            {"forward", "reverse", "random:1", "random:2"}),
      setting(word("device", {"cpu", "cuda"}, "the executor or the GPU")),
      setting(word("mutant", before("none", mutants), "a kernel that is wrong on purpose")),
      law_key(),
  };
  for (Key& key : input_keys()) all.push_back(std::move(key));
  return all;
}

/// The smallest normal float32 and the largest: whatever is between is neither 0 nor infinite as
/// the kernel gets it.
constexpr const char* kLeastEps = "1.1754943508222875e-38";
constexpr const char* kMostEps = "3.4028234663852886e+38";
constexpr const char* kEpsRange =
    "eps must be positive and finite: a normal float32, 1.2e-38 to 3.4e+38";
constexpr const char* kMomentumRange = "momentum must be between 0 and 1, or none";

std::vector<Refusal> refusals() {
  return {
      {{{"mode", "=", "train"}, {"rows", "=", "1"}},
       "Expected more than 1 value per channel when training: rows=1 needs mode=eval"},
      {{{"track", "=", "no"}, {"rows", "=", "1"}},
       "Expected more than 1 value per channel: track=no takes the batch's statistics, rows=1 has "
       "none"},
      {{{"eps", "<", kLeastEps}}, kEpsRange},
      {{{"eps", ">", kMostEps}}, kEpsRange},
      {{{"momentum", "<", "0"}}, kMomentumRange},
      {{{"momentum", ">", "1"}}, kMomentumRange},
      {{{"mode", "=", "eval"}, {"steps", ">", "1"}}, "steps>1 needs mode=train"},
      {{{"device", "=", "cuda"}, {"mutant", "!=", "none"}}, "mutants run on device=cpu only"},
  };
}

}  // namespace

SchemaPtr batchnorm_schema(const std::vector<std::string>& mutants) {
  Schema schema;
  schema.word = "batchnorm_bias_divide_swish";
  schema.summary = "swish((batchnorm(x) * weight + beta + bias) / divide)";
  schema.keys = keys(mutants);
  schema.refusals = refusals();
  schema.size_keys = {"rows", "cols"};
  // Measured: 155 and 1107 bytes fit the peaks of 1000000 x 1, 100000 x 10 and 1024 x 2048.
  schema.bytes_per_element = 200;
  schema.unit_keys = {"rows"};
  schema.bytes_per_unit_element = 1300;
  schema.tensors = {
      "y",   "mean",     "rstd",   "running_mean", "running_var", "num_batches_tracked",
      "d_x", "d_weight", "d_beta", "d_bias"};
  return std::make_shared<const Schema>(std::move(schema));
}

}  // namespace gradproof
