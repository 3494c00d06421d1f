// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/case/inputs.h"
#include "core/case/law_key.h"
#include "kernels/catalog/kernel_spec.h"
#include "kernels/catalog/layouts.h"
#include "kernels/catalog/pipeline_parts.h"
#include "kernels/catalog/refusals.h"
#include "kernels/execution_keys.h"

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

/// Sets the values that searches draw from, if the type does not say them.
Key drawn(Key key, std::vector<std::string> samples) {
  key.samples = std::move(samples);
  return key;
}

/// Marks a setting of the instrument, which searches leave alone.
Key setting(Key key) {
  key.setting = true;
  return key;
}

std::vector<std::string> before(const std::string& first, std::vector<std::string> words) {
  words.insert(words.begin(), first);
  return words;
}

std::string text_of(double number) { return fmt::format("{}", number); }

/// Searches take the three first words three times as often as all others together, because most
/// kernels have many more words.
Key gradients_key(const Graph& pipeline) {
  Key key = word("grads", gradient_words(pipeline), "which gradients are asked for");
  for (std::size_t i = 3; i < key.words.size(); ++i)
    key.samples.insert(key.samples.end(), {"all", "input", "parameters", key.words[i]});
  return key;
}

/// The keys of extents and of element types.
std::vector<Key> size_keys(const Graph& pipeline) {
  std::vector<Key> keys{
      drawn(integer("rows", "33", 0, INT64_MAX, "rows of x, the batch"),
            {"0", "1", "2", "3", "5", "8", "17", "31", "32", "33", "64", "65", "127", "129"})};
  if (const GraphStep* const norm = norm_of(pipeline); norm && norm->stage == "group_norm") {
    keys.push_back(drawn(integer("cols", "24", 1, INT64_MAX, "columns of x, the channels"),
                         {"1", "2", "3", "4", "6", "8", "12", "16", "24", "34", "48", "66"}));
    keys.push_back(drawn(integer("groups", text_of(norm->number("groups")), 1, INT64_MAX,
                                 "groups of channels; divides cols"),
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

/// The key of a number that a stage takes. A stage without a row here has a key with its default.
Key number_key(const StageNumber& number) {
  const std::string initial = text_of(number.initial);
  if (number.key == "divide")
    return drawn(real("divide", initial, {}, "divisor of the biased value"),
                 {"-3", "-0.5", "0.3", "2"});
  return real(number.key, initial, {}, number.key + " of its stage");
}

std::vector<Key> stage_keys(const Graph& pipeline) {
  const GraphStep* const norm = norm_of(pipeline);
  const bool batch_norm = has_stage(pipeline, "batch_norm");
  std::vector<Key> keys;
  if (batch_norm)
    keys.push_back(word("mode", {"train", "eval"}, "batch statistics or running ones"));
  keys.push_back(word("op", {"both", "forward", "backward"}, "which results are judged"));
  keys.push_back(gradients_key(pipeline));
  if (norm != nullptr)
    keys.push_back(drawn(real("eps", text_of(norm->number("eps")), {}, "added to the variance"),
                         {"1e-12", "1e-5", "1e-3", "1"}));
  if (batch_norm)
    keys.push_back(drawn(
        real("momentum", "0.1", {"none"}, "of the running statistics; none: cumulative average"),
        {"0.1", "0.9", "1", "0.25", "none"}));
  for (const StageNumber& number : numbers_of(pipeline)) keys.push_back(number_key(number));
  for (const std::string& name : vectors_of(pipeline))
    keys.push_back(
        word(name, {"cols", "one", "row"}, "shape of " + name + ": (cols), (1) or (1, cols)"));
  if (norm != nullptr) keys.push_back(word("affine", {"yes", "no"}, "weight and beta"));
  if (batch_norm)
    keys.push_back(word("track", {"yes", "no"}, "whether there are running statistics"));
  return keys;
}

std::vector<std::string> names_of(const std::map<std::string, Mutant>& mutants) {
  std::vector<std::string> names;
  for (const auto& [name, mutant] : mutants) names.push_back(name);
  return names;
}

std::vector<Key> keys_of(const Graph& pipeline, const std::map<std::string, Mutant>& mutants) {
  std::vector<Key> all = size_keys(pipeline);
  const auto append = [&](std::vector<Key> more) {
    for (Key& key : more) all.push_back(std::move(key));
  };
  append(stage_keys(pipeline));
  append({word("layout", layout_words(), "of x in memory"),
          word("out_layout", before("same", layout_words()), "of y and d_x in memory"),
          word("dy_layout", read_layout_words(), "of dy in memory")});
  if (has_stage(pipeline, "batch_norm"))
    all.push_back(setting(integer("steps", "1", 1, 16, "training steps, each on fresh x")));
  append({schedule_key(), device_key("cpu"), streams_key(),
          setting(word("mutant", before("none", names_of(mutants)),
                       "a kernel that is wrong on purpose")),
          law_key(), calls_key()});
  append(input_keys());
  return all;
}

std::vector<std::string> judged_tensors(const Graph& pipeline) {
  std::vector<std::string> names{"y"};
  const auto append = [&](const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  if (norm_of(pipeline) != nullptr) append({"mean", "rstd"});
  if (has_stage(pipeline, "batch_norm"))
    append({"running_mean", "running_var", "num_batches_tracked"});
  for (const std::string& name : having_gradients(pipeline)) append({"d_" + name});
  return names;
}

}  // namespace

SchemaPtr schema_of(const KernelSpec& spec, const std::map<std::string, Mutant>& mutants) {
  Schema schema;
  schema.word = spec.definition.word;
  schema.summary = spec.definition.formula;
  schema.keys = keys_of(spec.pipeline, mutants);
  schema.refusals = refusals_of(spec.pipeline, mutants);
  schema.size_keys = {"rows", "cols"};
  // The figures are measured: float64 takes 71 bytes at 4096 x 4096, float32 40; a column of
  // 1000000 rows, or a group of as many channels, 1200 bytes for each of them on each core.
  schema.bytes_per_element = 75;
  schema.unit_keys = {has_stage(spec.pipeline, "group_norm") ? "cols" : "rows"};
  schema.bytes_per_unit_element = 1300;
  schema.tensors = judged_tensors(spec.pipeline);
  return std::make_shared<const Schema>(std::move(schema));
}

}  // namespace gradproof
