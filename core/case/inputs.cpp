// SPDX-License-Identifier: Apache-2.0
#include "core/case/inputs.h"

#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "core/error.h"
#include "core/tensor/fill.h"

namespace gradproof {
namespace {

/// Numbers that differ by channel and are not the identity of their stage.
double parameter(const std::string& name, const Stream& stream, std::uint64_t i) {
  const double u = stream.uniform(2 * i);
  const double sign = stream.bits(2 * i + 1) & 1 ? -1 : 1;
  if (name == "beta") return 2 * u - 1;
  if (name == "running_mean") return sign * (0.25 + u);
  if (name == "running_var") return 0.5 + 1.5 * u;
  if (name == "num_batches_tracked") return 7;
  return sign * (0.5 + u);
}

/// Sets the element that one part of `set` names: "x@3,7:0x1p3".
void set_one(const Case& c, const std::string& text, Tensors& tensors) {
  const auto bad = [&](const std::string& what) {
    return UsageError("bad value '" + c.text("set") + "' for key 'set': " + what +
                      "; write tensor@row,col:number;...");
  };
  const std::size_t at = text.find('@');
  const std::size_t colon = text.find(':');
  double value = 0;
  if (at == std::string::npos || colon == std::string::npos || colon < at) throw bad("no @ and :");
  const auto found = tensors.find(text.substr(0, at));
  if (found == tensors.end()) throw bad("unknown tensor '" + text.substr(0, at) + "'");
  if (!parse_double(std::string_view(text).substr(colon + 1), value)) throw bad("no number");
  constexpr double kExact = 0x1p53;
  if (found->second.dtype() == DType::i64 &&
      !(value == std::trunc(value) && std::abs(value) <= kExact))
    throw bad(found->first + " takes whole numbers up to 2^53");
  const Shape& shape = found->second.shape();
  std::istringstream indices(text.substr(at + 1, colon - at - 1));
  std::int64_t linear = 0;
  std::size_t rank = 0;
  for (std::string word; std::getline(indices, word, ','); ++rank) {
    double index = -1;
    const bool whole = parse_double(word, index) && index == std::floor(index);
    if (rank >= shape.size() || !whole || index < 0 || index >= static_cast<double>(shape[rank]))
      throw bad("index '" + word + "' is outside the tensor");
    linear = linear * shape[rank] + static_cast<std::int64_t>(index);
  }
  if (rank != shape.size()) throw bad("too few indices");
  found->second.set(linear, value);
}

/// The texts that searches draw: every word equally often, each with a number where it takes one.
/// Words that start with `every` are left out: such neighbours are alike and for exhaustive runs.
std::vector<std::string> samples_of(const std::vector<std::string>& words) {
  std::vector<std::string> samples;
  for (const std::string& word : words) {
    if (word.starts_with("every")) continue;
    for (const char* number : {"1e-05", "0.3", "-3", "17", "1000"})
      samples.push_back(word.back() == ':' ? word + number : word);
  }
  return samples;
}

}  // namespace

std::vector<Key> input_keys() {
  const auto key = [](const char* name, const char* initial, std::vector<std::string> words,
                      const char* help) {
    const std::vector<std::string> samples = samples_of(words);
    return Key{name, KeyType::tagged, initial, std::move(words), 0, 0, help, samples};
  };
  return {
      key("fill", "normal", fill_words(), "numbers of x"),
      key("dy", "designed", cotangent_words(), "numbers of the cotangent"),
      {"set", KeyType::text, "", {}, 0, 0, "single elements: x@3,7:0x1p3;dy@0,1:nan"},
      {"seed", KeyType::integer, "1", {}, 0, INT64_MAX, "of all random numbers"},
  };
}

Tensors make_inputs(const Case& c, const Claim& claim, std::int64_t step) {
  Tensors tensors;
  const auto seed = static_cast<std::uint64_t>(c.integer("seed"));
  const std::string suffix = step == 0 ? "" : "#" + std::to_string(step);
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role == Role::output || spec.role == Role::gradient) continue;
    const Layout& layout = spec.layout;
    Tensor tensor(spec.dtype, layout.is_sparse() ? Layout::contiguous(layout.shape) : layout);
    if (spec.role == Role::input) {
      fill(c, Stream(seed, spec.name + suffix), claim.groups(), tensor);
    } else if (spec.role != Role::cotangent) {
      const Stream stream(seed, spec.name);
      for (std::int64_t i = 0; i < tensor.numel(); ++i)
        tensor.set(i, parameter(spec.name, stream, static_cast<std::uint64_t>(i)));
    }
    tensors.emplace(spec.name, std::move(tensor));
  }
  if (claim.has("dy"))
    fill_cotangent(c, Stream(seed, "dy" + suffix), claim.groups(), get(tensors, "x"),
                   tensors.at("dy"));
  set_elements(c, tensors);
  return tensors;
}

void set_elements(const Case& c, Tensors& tensors) {
  std::istringstream parts(c.text("set"));
  for (std::string text; std::getline(parts, text, ';');) set_one(c, text, tensors);
}

std::string set_text(const std::string& tensor, const Shape& shape, std::int64_t index,
                     double number) {
  const std::string indices = index_text(shape, index);  // in brackets
  return fmt::format("{}@{}:{:a}", tensor, indices.substr(1, indices.size() - 2), number);
}

}  // namespace gradproof
