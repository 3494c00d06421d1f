// SPDX-License-Identifier: Apache-2.0
#include "cli/front/cases.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/front/ask.h"
#include "cli/process/interrupt.h"
#include "cli/process/memory.h"
#include "cli/process/paths.h"
#include "core/case/case_file.h"
#include "core/case/said_keys.h"
#include "core/cores.h"
#include "core/error.h"
#include "core/graph/graph.h"
#include "core/nearest_word.h"
#include "reports/runs/plan.h"
#include "reports/runs/store.h"

namespace gradproof {
namespace {

/// Elements that take as long as what every Case takes.
constexpr double kElementsOfAnyCase = 1000;  // some 5 ms, at 5 us an element

using Change = std::pair<std::string, std::string>;  ///< key and value

Change read_change(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw UsageError(fmt::format("'{}' after --with is no key=value", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// The Case with every `--with KEY=VALUE` applied. Throws UsageError where it cannot be.
Case with_changes(const Case& c, const std::vector<Change>& changes) {
  Case changed = c;
  for (const auto& [key, value] : changes) {
    c.schema().key(key, fmt::format("--with {}={}", key, value));
    changed = changed.with(key, value);
  }
  constexpr double kLawElements = 5000;
  if (changed.is("law", "all") && elements_of(changed) > kLawElements)
    throw UsageError(
        fmt::format("law=all runs a kernel some hundred times: at most {} elements, in '{}'",
                    kLawElements, to_string(changed)));
  if (const std::string refusal = refusal_of(changed); !refusal.empty())
    throw UsageError(fmt::format("{} in '{}'", refusal, to_string(changed)));
  return changed;
}

/// A key's words; one empty word for a system that has no such key.
std::vector<std::string> words_of(const Schema& schema, const std::string& key) {
  return schema.has(key) ? schema.key(key, "").words : std::vector<std::string>{""};
}

/// The Case with the key changed; nothing where its system has no such word or refuses it.
std::optional<Case> with_word(const Case& c, const std::string& key, const std::string& word) {
  if (word.empty()) return c;
  const Case changed = c.with(key, word);
  return refusal_of(changed).empty() ? std::optional(changed) : std::nullopt;
}

/// Each system in each of its modes and dtypes, and in 16 bits with parameters of float32 where it
/// has them; everything else at its default: a size that no power of two divides, a divisor that is
/// not 1, parameters that are no identities.
std::vector<Case> every_system(const std::vector<SchemaPtr>& schemas) {
  std::vector<Case> cases;
  for (const SchemaPtr& schema : schemas)
    for (const std::string& mode : words_of(*schema, "mode"))
      for (const std::string& dtype : words_of(*schema, "dtype"))
        for (const std::string& parameters : words_of(*schema, "params")) {
          std::optional<Case> c = Case(schema);
          if (c) c = with_word(*c, "mode", mode);
          if (c) c = with_word(*c, "dtype", dtype);
          if (c) c = with_word(*c, "params", parameters);
          if (c) cases.push_back(*c);
        }
  return cases;
}

std::vector<Case> parsed(const std::vector<std::string>& texts,
                         const std::vector<SchemaPtr>& schemas) {
  std::vector<Case> cases;
  for (const std::string& text : texts) cases.push_back(parse_case(text, schemas));
  return cases;
}

/// The Cases of texts that people wrote: each axis has an extent, in the text or by some --with.
std::vector<Case> by_hand(const std::vector<std::string>& texts, const Options& o,
                          const std::vector<SchemaPtr>& schemas) {
  std::vector<Case> cases = parsed(texts, schemas);
  for (const std::string& text : texts) require_extents(text, o.changes);
  return cases;
}

/// It names the Cases of the last run in the folder of which some tensor is wrong.
std::vector<std::string> failed_texts(const Options& o) {
  const EndOnSignals reading;
  const auto run = last_run(o.rerun_failed, RunKind(kind_of(o)));
  if (!run)
    throw UsageError(
        fmt::format("'{}' has no run of '{}'", o.rerun_failed, kind_name(RunKind(kind_of(o)))));
  std::vector<std::string> texts;
  for (const Record& r : records_of(*run).records)
    if (is_wrong(r.verdict.outcome) && !has_name(texts, r.case_text)) texts.push_back(r.case_text);
  if (texts.empty())
    throw UsageError(fmt::format("nothing is wrong in the last run of '{}'", o.rerun_failed));
  return texts;
}

std::vector<Case> written_cases(const Options& o, const std::vector<SchemaPtr>& schemas) {
  if (!o.rerun_failed.empty()) return parsed(failed_texts(o), schemas);
  if (o.all) return every_system(schemas);
  if (!o.cases_file.empty()) {
    const EndOnSignals reading;
    return read_cases(o.cases_file, schemas);
  }
  if (!o.suite.empty()) return read_suite(suite_file(o.suite), schemas);
  if (o.pipeline.empty()) return by_hand(o.cases, o, schemas);
  std::vector<std::string> texts;
  for (const std::string& keys : o.cases) texts.push_back("{" + o.pipeline + "} " + keys);
  if (texts.empty()) texts = {"{" + o.pipeline + "}"};
  return by_hand(texts, o, schemas);
}

/// Takes a Case that stands twice once, at its first place; returns how many were taken out.
std::size_t take_each_once(std::vector<Case>& cases) {
  std::set<std::string> known;
  return std::erase_if(cases, [&](const Case& c) { return !known.insert(to_string(c)).second; });
}

/// The Cases that are written somewhere, with every --with applied.
Planned cases_of_sources(const Options& o, const std::vector<SchemaPtr>& schemas) {
  std::vector<Change> changes;
  for (const std::string& text : o.changes) changes.push_back(read_change(text));
  const std::vector<Case> written = written_cases(o, schemas);
  Planned planned;
  std::optional<UsageError> reason;  // why the first case was left out
  for (const Case& c : written) {
    try {
      planned.cases.push_back(with_changes(c, changes));
    } catch (const UsageError& error) {
      if (!reason) reason = error;
    }
  }
  if (planned.cases.empty() && reason) throw *reason;
  if (reason)
    planned.left_out = fmt::format("{} of {} cases left out: --with {} is not for them",
                                   written.size() - planned.cases.size(), written.size(),
                                   fmt::join(o.changes, " --with "));
  if (const std::size_t twice = take_each_once(planned.cases); twice > 0)
    planned.left_out += fmt::format("{}{} cases that stand twice are judged once",
                                    planned.left_out.empty() ? "" : "; ", twice);
  planned.scope = {plan_id(kind_of(o), texts_of(planned.cases)), std::ssize(planned.cases)};
  return planned;
}

RunPlan plan_of(const Options& o) {
  const EndOnSignals reading;
  return read_plan(o.plan);
}

/// The Cases of a plan, or of a shard of it.
Planned cases_of_plan(const Options& o, const std::vector<SchemaPtr>& schemas) {
  const RunPlan plan = plan_of(o);
  if (plan.kind != RunKind(kind_of(o)))
    throw UsageError(fmt::format("'{}' is a plan for {}, not for {}", o.plan, kind_name(plan.kind),
                                 kind_name(kind_of(o))));
  Planned planned;
  planned.cases = parsed(cases_of_shard(plan, o.shard), schemas);
  planned.scope = {plan_id(plan), std::ssize(plan.cases)};
  if (o.shard.count > 1) planned.scope.shards = {o.shard};
  return planned;
}

}  // namespace

void require_one_source(const Options& o) {
  const int sources = (!o.cases.empty() || !o.pipeline.empty()) + !o.cases_file.empty() +
                      !o.suite.empty() + !o.plan.empty() + !o.rerun_failed.empty() + o.all;
  if (sources == 1) return;
  throw UsageError(fmt::format("{}; give one of CASE..., --cases FILE, --suite NAME{}{}",
                               sources == 0 ? "no case" : "cases from two places",
                               o.verb == "plan" ? "" : ", --plan FILE, --rerun-failed DIR",
                               kind_of(o) == Measured::differences ? ", --all" : ""));
}

Measured kind_of(const Options& o) {
  const bool audit = o.verb == "audit" || (o.verb == "plan" && o.kind == "audit");
  return audit ? Measured::differences : Measured::comparison;
}

double cost_of(const Case& c) { return elements_of(c) + kElementsOfAnyCase; }

Planned planned_cases(const Options& o, const std::vector<SchemaPtr>& schemas) {
  Planned planned = o.plan.empty() ? cases_of_sources(o, schemas) : cases_of_plan(o, schemas);
  planned.memory = o.memory > 0 ? o.memory * kGiB : available_memory();
  for (const Case& c : planned.cases)
    refuse_if_too_large(c, planned.memory, kind_of(o) == Measured::differences);
  return planned;
}

JobLimits job_limits(const Options& options, const Planned& planned) {
  JobLimits limits;
  limits.cores = cores();
  const auto most = static_cast<int>(std::min<std::size_t>(planned.cases.size(), kMostWorkers));
  limits.workers = std::min(options.workers > 0 ? options.workers : limits.cores, most);
  limits.bytes = planned.memory;
  // The first wrong case comes soonest when nothing behind it was begun.
  limits.in_order = options.fail_fast;
  limits.libtorch = kind_of(options) == Measured::differences ||
                    second_witness(options, planned.cases.size()) == SecondWitness::of_all;
  return limits;
}

std::vector<std::string> texts_of(const std::vector<Case>& cases) {
  std::vector<std::string> texts;
  for (const Case& c : cases) texts.push_back(to_string(c));
  return texts;
}

std::string suites_directory() { return program_directory() + "/../share/gradproof/cases"; }

std::string suite_file(const std::string& name) {
  const std::vector<std::string> known = known_suites();
  if (!has_name(known, name))
    throw UsageError(fmt::format("unknown suite '{}'; known in {}: {}{}", name, suites_directory(),
                                 fmt::join(known, " "), did_you_mean(name, known)));
  return fmt::format("{}/{}.cases", suites_directory(), name);
}

std::vector<std::string> known_suites() {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(suites_directory(), absent))
    if (entry.is_directory() || entry.path().extension() == ".cases")
      names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace gradproof
