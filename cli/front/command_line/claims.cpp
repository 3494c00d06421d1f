// SPDX-License-Identifier: Apache-2.0
#include "cli/front/command_line/claims.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/front/terminal/paint.h"
#include "cli/front/terminal/width.h"
#include "core/error.h"
#include "core/nearest_word.h"
#include "fixtures/claims/claims.h"
#include "reports/text/wrap.h"

namespace gradproof {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// The keys with those of the claim that they lack.
std::string with_keys_of(const NamedClaim& claim, const std::string& keys) {
  std::string all = keys;
  for (const std::string& own : words_of(claim.extents)) {
    const std::string key = own.substr(0, own.find('=') + 1);
    bool is_said = false;
    for (const std::string& said : words_of(keys)) is_said = is_said || said.starts_with(key);
    if (!is_said) all += (all.empty() ? "" : " ") + own;
  }
  return all;
}

}  // namespace

void apply_claim(Options& o) {
  if (o.claim.empty()) {
    if (o.verb == "judge" && o.pipeline.empty())
      throw UsageError("judge needs --pipeline LINE or --claim NAME: what was computed");
    return;
  }
  const NamedClaim& claim = named_claim(o.claim);
  const bool is_candidate = !o.python.empty() || !o.library.empty();
  o.pipeline = claim.line;
  if ((is_candidate || o.verb == "judge") && o.contract.empty()) o.contract = claim.contract;
  if (is_candidate || o.verb == "judge") return;
  if (o.cases.empty()) o.cases = {""};
  for (std::string& keys : o.cases) keys = with_keys_of(claim, keys);
}

void print_claims(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const NamedClaim& claim : named_claims()) names.emplace_back(claim.word);
  const std::vector<std::string> chosen = names_with("claim", names, texts);
  for (const NamedClaim& claim : named_claims()) {
    if (std::find(chosen.begin(), chosen.end(), claim.word) == chosen.end()) continue;
    say(fmt::format("{}\n", claim.word));
    const auto field = [&](std::string_view name, std::string_view text) {
      if (!text.empty())
        say(field_lines(field_frame(fmt::format("{:<8}", name), output_width(), 4),
                        std::string(text)));
    };
    field("line", claim.line);
    field("keys", claim.extents);
    field("contract", claim.contract);
    field("casting", claim.casting);
    field("source", claim.source);
  }
  say("\n'gradproof check --claim NAME' judges LibTorch's composition of it; with --python FILE "
      "yours.\n");
}

}  // namespace gradproof
