// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/plan.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/text_file.h"
#include "reports/record/fields.h"
#include "reports/runs/sealed_line.h"

namespace gradproof {
namespace {

/// The version of the lines of a plan. It grows when a key changes its meaning or goes.
constexpr int kPlanSchema = 2;

/// The first line of a plan.
struct PlanHead {
  std::string id;
  int version = kPlanSchema;
  std::string kind;
  std::string request;
  std::int64_t cases = 0;
  double cost = 0;
};

/// Each other.
struct PlanLine {
  std::string id;
  std::string text;
  double cost = 0;
};

template <class Field>
void each_field(PlanHead& h, const Field& field) {
  field("plan", h.id);
  field("schema_version", h.version);
  field("kind", h.kind);
  field("request", h.request);
  field("cases", h.cases);
  field("cost", h.cost);
}

template <class Field>
void each_field(PlanLine& l, const Field& field) {
  field("id", l.id);
  field("case", l.text);
  field("cost", l.cost);
}

template <class T>
T read_line(const std::string& line) {
  const std::string what = "no line of a plan";
  require_seal(line);
  const Json json = parse_json(line, what);
  T value;
  reading(what, [&] { value = read_json<T>(json); });
  return value;
}

std::vector<std::string> texts_of(const RunPlan& plan) {
  std::vector<std::string> texts;
  for (const PlannedCase& c : plan.cases) texts.push_back(c.text);
  return texts;
}

/// Takes the lines of a plan one after the other.
class PlanLines {
 public:
  void take(const std::string& line) {
    if (!head_) {
      head_ = read_line<PlanHead>(line);
      if (head_->version != kPlanSchema)
        throw InstrumentError(fmt::format("schema version {} of a plan; this program reads {}",
                                          head_->version, kPlanSchema));
      plan_.kind = parse_kind(head_->kind);
      plan_.request = head_->request;
      return;
    }
    const auto read = read_line<PlanLine>(line);
    if (read.id != case_id(plan_.kind, read.text))
      throw InstrumentError(fmt::format("'{}' is not the id of '{}'", read.id, read.text));
    plan_.cases.push_back({read.text, read.cost});
  }

  RunPlan finish() {
    const std::int64_t count = std::ssize(plan_.cases);
    if (!head_) throw InstrumentError("no plan: it has no line");
    if (count != head_->cases || plan_id(plan_) != head_->id)
      throw InstrumentError(
          fmt::format("its {} cases are not the {} of plan {}", count, head_->cases, head_->id));
    return make_plan(plan_.kind, std::move(plan_.cases), plan_.request);
  }

 private:
  std::optional<PlanHead> head_;
  RunPlan plan_;
};

}  // namespace

RunPlan make_plan(RunKind kind, std::vector<PlannedCase> cases, const std::string& request) {
  std::sort(cases.begin(), cases.end(),
            [](const PlannedCase& a, const PlannedCase& b) { return a.text < b.text; });
  const auto same = [](const PlannedCase& a, const PlannedCase& b) { return a.text == b.text; };
  cases.erase(std::unique(cases.begin(), cases.end(), same), cases.end());
  return {kind, std::move(cases), request};
}

std::string case_id(RunKind kind, const std::string& text) {
  return content_id(fmt::format("{} {}", kind_name(kind), text));
}

std::string plan_id(RunKind kind, std::vector<std::string> cases, const std::string& request) {
  std::sort(cases.begin(), cases.end());
  std::string ids = request;
  for (const std::string& text : cases) ids += case_id(kind, text);
  return content_id(fmt::format("{} {}", kind_name(kind), ids));
}

std::string plan_id(const RunPlan& plan) {
  return plan_id(plan.kind, texts_of(plan), plan.request);
}

std::string plan_lines(const RunPlan& plan) {
  PlanHead head{plan_id(plan),
                kPlanSchema,
                std::string(kind_name(plan.kind)),
                plan.request,
                std::ssize(plan.cases),
                0};
  std::string lines;
  for (const PlannedCase& c : plan.cases) {
    head.cost += c.cost;
    lines += sealed(dump(json_of(PlanLine{case_id(plan.kind, c.text), c.text, c.cost}))) + "\n";
  }
  return sealed(dump(json_of(head))) + "\n" + lines;
}

RunPlan read_plan(const std::string& path) {
  TextFile file(path);
  PlanLines lines;
  try {
    while (const auto line = file.next()) lines.take(*line);
    return lines.finish();
  } catch (const InstrumentError& error) {
    throw InstrumentError(fmt::format("{}:{}: {}", path, file.number(), error.what()));
  }
}

std::vector<std::string> cases_of_shard(const RunPlan& plan, const Shard& shard) {
  std::vector<std::size_t> dearest(plan.cases.size());
  std::iota(dearest.begin(), dearest.end(), std::size_t{0});
  std::stable_sort(dearest.begin(), dearest.end(), [&](std::size_t a, std::size_t b) {
    return plan.cases[a].cost > plan.cases[b].cost;
  });
  using Load = std::pair<double, int>;  // of the shards; of those with equal cost the first
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int index = 1; index <= shard.count; ++index) loads.emplace(0, index);
  std::vector<std::size_t> chosen;
  for (const std::size_t place : dearest) {
    const auto [cost, index] = loads.top();
    loads.pop();
    loads.emplace(cost + plan.cases[place].cost, index);
    if (index == shard.index) chosen.push_back(place);
  }
  std::sort(chosen.begin(), chosen.end());
  std::vector<std::string> texts;
  for (const std::size_t place : chosen) texts.push_back(plan.cases[place].text);
  return texts;
}

}  // namespace gradproof
