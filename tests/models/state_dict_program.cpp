// SPDX-License-Identifier: Apache-2.0
// The C++ side of the exchange of weights that tests/python/state_dict_test.py makes.
//   gradproof-state-dict write PAIR FILE
//     A model's state as pairs, for dict(torch.load(FILE)); torch.load calls a dictionary with the
//     type that C++ gives it unsafe.
//   gradproof-state-dict check PAIR FILE
//     Loads what torch.save(dict(state), FILE) wrote into another model. Exit code 1, and names,
//     unless it has the bits of `write`.
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include <ATen/ATen.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include "core/error.h"
#include "fixtures/models/p37.h"
#include "fixtures/models/p39.h"
#include "fixtures/models/p88.h"
#include "fixtures/models/p97.h"
#include "fixtures/models/weights.h"

namespace gradproof {
namespace {

/// 5 features to 6, three groups. tests/python/state_dict_test.py has the same.
std::shared_ptr<torch::nn::Module> built(const std::string& pair) {
  if (pair == "p97") return std::make_shared<p97::ModelNew>(p97::Arguments{5, 6});
  if (pair == "p39") return std::make_shared<p39::ModelNew>(p39::Arguments{5, 6, {6}});
  if (pair == "p37") return std::make_shared<p37::ModelNew>(p37::Arguments{5, 6, 3, {6}});
  if (pair == "p88") return std::make_shared<p88::ModelNew>(p88::Arguments{5, 6, 3, {6}});
  throw UsageError("unknown pair '" + pair + "'; known: p97 p39 p37 p88");
}

/// Every element is a number of its own, so that no two tensors could be taken for each other.
std::shared_ptr<torch::nn::Module> numbered(const std::string& pair) {
  const auto model = built(pair);
  const at::NoGradGuard no_gradients;
  std::int64_t next = 1;
  for (auto [name, tensor] : state_dict(*model)) {
    tensor.copy_(at::arange(tensor.numel(), tensor.options()).add_(next).view(tensor.sizes()));
    next += tensor.numel();
  }
  return model;
}

void write(const std::string& pair, const std::string& file) {
  std::vector<c10::IValue> pairs;
  for (const auto& [name, tensor] : state_dict(*numbered(pair)))
    pairs.push_back(c10::ivalue::Tuple::create(name, tensor.detach()));
  const std::vector<char> bytes = torch::jit::pickle_save(c10::ivalue::Tuple::create(pairs));
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

StateDict read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  StateDict state;
  for (const auto& item : torch::jit::pickle_load(bytes).toGenericDict())
    state.emplace(item.key().toStringRef(), item.value().toTensor());
  return state;
}

/// Names of tensors with other bits than `write` gives them.
std::string differing(const std::string& pair, const std::string& file) {
  const auto model = built(pair);
  load_state_dict(*model, read(file));
  const auto reference = numbered(pair);
  const StateDict want = state_dict(*reference);
  std::string names;
  for (const auto& [name, tensor] : state_dict(*model))
    if (!at::equal(tensor, want.at(name))) names += name + "\n";
  return names;
}

int run(const std::vector<std::string>& words) {
  if (words.size() != 3 || (words[0] != "write" && words[0] != "check"))
    throw UsageError("gradproof-state-dict write|check PAIR FILE");
  if (words[0] == "write") {
    write(words[1], words[2]);
    return 0;
  }
  const std::string names = differing(words[1], words[2]);
  std::cerr << names;
  return names.empty() ? 0 : 1;
}

}  // namespace
}  // namespace gradproof

int main(int count, char** words) try {
  return gradproof::run({words + 1, words + count});
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 2;
}
