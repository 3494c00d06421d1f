// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/given_run.h"

#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "core/error.h"
#include "core/tensor/digest.h"
#include "judge/records.h"
#include "tensor_files/tensor_file.h"

namespace gradproof {
namespace {

constexpr std::string_view kBound = ".bound";

/// The file's answer about one tensor. An infinite bound permits what is not finite too: the
/// reference left its own type's range there.
Answer answer_of(const Tensors& truths, const std::string& name, const std::string& path) {
  const auto bound = truths.find(name + std::string(kBound));
  const Tensor& truth = truths.find(name)->second;
  if (bound == truths.end() || bound->second.numel() != truth.numel())
    throw UsageError(fmt::format("'{}' has no {}{} of the shape of {}", path, name, kBound, name));
  Answer answer;
  for (std::int64_t i = 0; i < truth.numel(); ++i) {
    answer.hi.push_back(truth.at(i));
    answer.bound.push_back(bound->second.at(i));
    answer.any_nonfinite.push_back(std::isinf(answer.bound.back()));
  }
  answer.lo.assign(answer.hi.size(), 0);
  answer.radius.assign(answer.hi.size(), 0);
  return answer;
}

Record record_of(const Tensor& got, const Answer& answer, const Record& blank) {
  Record record = blank;
  record.witness = "the reference in float64 (weaker witness)";
  record.shape = got.shape();
  record.figures = compare(got, answer);
  if (record.discrepancy().elements == 0) record.known = KnownTruth::no_elements;
  record.verdict =
      with_known_truth(judge(record.discrepancy()), record.discrepancy(), record.known);
  record.digest = digest(got);
  return record;
}

}  // namespace

std::string device_of_given(const Case& c) {
  const auto header = tensor_file_header(c.text("outputs"));
  const auto found = header.metadata.find("device");
  return found == header.metadata.end() ? "given tensors" : found->second;
}

std::vector<Record> given_run_records(const Case& c, const Record& blank) {
  std::vector<Record> records;
  for (const auto& [name, reason] : tensor_file_header(c.text("outputs")).metadata) {
    const auto outcome = outcome_of_run(name);
    if (!outcome) continue;
    Record record = blank;
    record.tensor = kExecution;
    record.witness = "the process that ran it";
    record.context.device = device_of_given(c);
    record.verdict = {*outcome, reason};
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<Record> witnessed_records(const Case& c, const Record& blank) {
  const std::string path = c.text("truth");
  const auto sentences = tensor_file_header(path).metadata;
  const Tensors truths = read_tensor_file(path);
  const Tensors outputs = read_tensor_file(c.text("outputs"));
  std::vector<Record> records = given_run_records(c, blank);
  const bool explained = !records.empty();
  for (const auto& [name, truth] : truths) {
    if (name.ends_with(kBound)) continue;
    const auto got = outputs.find(name);
    if (got == outputs.end()) {
      if (explained) continue;
      records.push_back(blank);
      records.back().verdict = {Outcome::failed, fmt::format("not in {}", c.text("outputs"))};
    } else if (got->second.shape() != truth.shape()) {
      throw UsageError(fmt::format("'{}' of '{}' has another shape than in '{}'", name,
                                   c.text("outputs"), path));
    } else {
      records.push_back(record_of(got->second, answer_of(truths, name, path), blank));
      records.back().context.device = device_of_given(c);
      const auto why = sentences.find(name);
      records.back().why = why == sentences.end() ? "weaker witness" : why->second;
    }
    records.back().tensor = name;
    say_no_gradient(c, records.back());
  }
  return records;
}

void say_no_gradient(const Case& c, Record& record) {
  if (record.verdict.outcome != Outcome::failed) return;
  const auto metadata = tensor_file_header(c.text("outputs")).metadata;
  const auto names = metadata.find("no_gradient");
  if (names == metadata.end()) return;
  std::istringstream words(names->second);
  for (std::string name; words >> name;)
    if (name == record.tensor)
      record.verdict.reason =
          fmt::format("no gradient came back for {}, and 0 was judged", name.substr(2));
}

}  // namespace gradproof
