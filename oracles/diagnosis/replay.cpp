// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/replay.h"

#include <algorithm>
#include <numeric>

#include "core/claim/stage_traits.h"
#include "oracles/diagnosis/replay_pass.h"
#include "oracles/pipeline/stage_list.h"

namespace gradproof::diagnosis {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The part's units, each with the indices of its elements: no numbers yet.
std::vector<ReplayedUnit> units_of(const Claim& claim, const Part& part) {
  std::vector<ReplayedUnit> units;
  const std::int64_t width = claim.block_width();
  for (std::size_t row = 0; row < (claim.groups > 0 ? part.rows.size() : 1); ++row)
    for (std::size_t k = 0; k < part.columns.size(); ++k) {
      const std::int64_t col = part.columns[k];
      if (claim.groups == 0) {
        units.emplace_back(col, k);
        for (const std::int64_t of : part.rows) units.back().at.push_back(of * claim.cols + col);
        continue;
      }
      const std::int64_t number = part.rows[row] * claim.groups + col / width;
      if (k == 0 || units.back().number != number) units.emplace_back(number, k);
      units.back().at.push_back(part.rows[row] * claim.cols + col);
    }
  return units;
}

void take_parameters(ReplayedUnit& unit, const Replay& replay) {
  for (const ParameterSlot& slot : replay.pipeline.numbers) {
    const Tensor& tensor = get(replay.question->inputs, slot.name);
    Numbers& numbers = unit.from.numbers.emplace_back();
    const std::size_t count = replay.is_grouped() && !slot.shared ? unit.at.size() : 1;
    for (std::size_t i = 0; i < count; ++i)
      numbers.push_back(exact(tensor.at(
          slot.shared ? 0 : replay.part.columns[unit.column_of(i, replay.is_grouped())])));
  }
}

void take_numbers(ReplayedUnit& unit, const Replay& replay) {
  const Question& q = *replay.question;
  for (const TensorSpec& spec : q.claim.tensors) {
    if (spec.role != Role::input && spec.role != Role::cotangent) continue;
    const Tensor& tensor = get(q.inputs, spec.name);
    Numbers& into = spec.role == Role::input ? unit.from.x : unit.from.dy;
    for (const std::int64_t index : unit.at) into.push_back(exact(tensor.at(index)));
  }
  take_parameters(unit, replay);
  if (replay.given)
    unit.from.given = Statistics<TrackedReal>{
        exact(q.given->mean.at(unit.number)), {}, exact(q.given->rstd.at(unit.number))};
  unit.statistics = unit.from.given;
}

}  // namespace

Target target_of(const Question& question) {
  const TensorSpec& spec = question.claim.tensor(question.gradient);
  if (question.claim.is_matrix(spec)) return {true, false, 0};
  const CompiledPipeline compiled(question.claim);
  const std::size_t slot = compiled.number(question.gradient.substr(2));
  return {false, compiled.numbers[slot].shared, slot};
}

std::optional<Use> use_of(const CompiledPipeline& compiled, const Target& target) {
  if (target.matrix) return std::nullopt;
  for (std::size_t k = 0; k < compiled.lines.size(); ++k)
    for (std::size_t place = 0; place < 2; ++place)
      if (compiled.lines[k].numbers[place] == static_cast<int>(target.slot)) return Use{k, place};
  return std::nullopt;
}

Part part_of(const Claim& claim, const std::vector<std::int64_t>& blocks) {
  Part part;
  part.rows.resize(at(claim.rows));
  std::iota(part.rows.begin(), part.rows.end(), std::int64_t{0});
  const std::int64_t width = claim.block_width();
  for (const std::int64_t block : blocks)
    for (std::int64_t i = 0; i < width; ++i) part.columns.push_back(block * width + i);
  return part;
}

bool Replay::has_one_norm_at_most() const {
  return std::count_if(pipeline.lines.begin(), pipeline.lines.end(), [](const CompiledStep& line) {
           return traits_of(line.kind).is_norm();
         }) <= 1;
}

Replay::Replay(const Question& the_question, Part rows_and_columns)
    : question(&the_question),
      part(std::move(rows_and_columns)),
      pipeline(the_question.claim),
      value_pipeline(pipeline),
      given(pipeline.has_norm() && the_question.given && the_question.given->mean.numel() > 0) {
  // A parameter's gradient is summed here, term by term, and never by a stage.
  for (CompiledPipeline* each : {&pipeline, &value_pipeline})
    for (CompiledStep& line : each->lines) line.scaled_by = CompiledStep::kAbsent;
  const Contract& contract = the_question.claim.contract;
  const bool narrow = contract.storage != DType::f64 && contract.accumulation != DType::f64;
  if (narrow && the_question.got.dtype() != DType::f64) exp = Exp::as_double;
}

Replay replay_of(const Question& question, Part part) {
  Replay replay(question, std::move(part));
  const Claim& claim = question.claim;
  replay.units = units_of(claim, replay.part);
  const std::size_t width = at(claim.groups > 0 ? claim.block_width() : claim.rows);
  for (ReplayedUnit& unit : replay.units) take_numbers(unit, replay);
  if (replay.has_one_norm_at_most()) take_right_passes(replay);
  for (const ReplayedUnit& unit : replay.units) replay.slice |= unit.at.size() < width;
  return replay;
}

void take_own_statistics(Replay& replay, const CompiledPipeline& pipeline) {
  const CompiledStep& line = pipeline.lines[pipeline.norm];
  std::optional<Replay> whole;
  if (replay.slice) {
    std::vector<std::int64_t> blocks;
    for (const ReplayedUnit& unit : replay.units)
      if (const std::int64_t block = unit.number % replay.question->claim.groups;
          std::find(blocks.begin(), blocks.end(), block) == blocks.end())
        blocks.push_back(block);
    whole = replay_of(*replay.question, part_of(replay.question->claim, blocks));
  }
  const ReplayArithmetic arithmetic(static_cast<double>(replay.unit_size()), replay.exp);
  for (std::size_t k = 0; k < replay.units.size(); ++k) {
    const ReplayedUnit& unit = whole ? whole->units[k] : replay.units[k];
    const Unit<TrackedReal> own{{}, {}, unit.from.numbers, 0, {}};
    const auto stage = make_stage<ReplayArithmetic>(line, {pipeline, arithmetic, own});
    stage->remember(unit.right->values[line.input]);
    replay.units[k].from.given = {
        stage->side_value(NormOutput::mean), {}, stage->side_value(NormOutput::rstd)};
  }
}

}  // namespace gradproof::diagnosis
