// SPDX-License-Identifier: Apache-2.0
#include "judge/laws/law_calls.h"

#include <fmt/format.h>

#include "core/error.h"
#include "properties/laws/law.h"
#include "tensor_files/safetensors.h"

namespace gradproof {
namespace {

constexpr const char* kCalls = "calls.safetensors";
constexpr const char* kAnswers = "answers.safetensors";

}  // namespace

LawCalls::LawCalls(std::filesystem::path folder) : folder_(std::move(folder)) {
  const std::filesystem::path answers = folder_ / kAnswers;
  is_answered_ = std::filesystem::exists(answers);
  if (!is_answered_) return;
  calls_ = read_safetensors(folder_ / kCalls);
  answers_ = read_safetensors(answers);
  raised_ = safetensors_header(answers).metadata;
}

Tensors LawCalls::call(const std::string& law, const Tensors& given, bool backward) {
  const std::string call = fmt::format("{}/{:04}", law, ++counts_[law]);
  Tensors asked;
  for (const auto& [name, tensor] : given)
    asked.emplace(fmt::format("{}/{}/{}", call, backward ? "backward" : "forward", name), tensor);
  if (is_answered_) return answer_to(call, asked);
  calls_.merge(asked);
  return {};
}

Tensors LawCalls::answer_to(const std::string& call, const Tensors& asked) const {
  for (const auto& [name, tensor] : asked) {
    const auto before = calls_.find(name);
    if (before == calls_.end() || !same_bits(before->second, tensor))
      throw UsageError(fmt::format("{} answers calls of another Case: '{}' is another tensor",
                                   (folder_ / kAnswers).string(), name));
  }
  if (const auto raised = raised_.find(call); raised != raised_.end())
    throw CallRaised(fmt::format("call {} raised {}", call, raised->second));
  Tensors got;
  const std::string prefix = call + "/";
  for (auto at = answers_.lower_bound(prefix);
       at != answers_.end() && at->first.starts_with(prefix); ++at)
    got.emplace(at->first.substr(prefix.size()), at->second);
  if (got.empty())
    throw UsageError(
        fmt::format("{} does not answer the call {}", (folder_ / kAnswers).string(), call));
  return got;
}

void LawCalls::write() const { write_safetensors(folder_ / kCalls, calls_); }

}  // namespace gradproof
