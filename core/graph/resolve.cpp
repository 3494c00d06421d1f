// SPDX-License-Identifier: Apache-2.0
#include "core/graph/resolve.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/graph/axes/convolution.h"
#include "core/graph/axes/moves.h"
#include "core/graph/axes/operand_axes.h"
#include "core/graph/axes/value_axes.h"
#include "core/graph/labels.h"
#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "core/nearest_word.h"

namespace gradproof {
namespace {
using Axes = std::vector<std::string>;

class Resolver {
 public:
  Resolver(Graph graph, std::string_view text) : graph_(std::move(graph)), text_(text) {}

  Graph run(const std::vector<FixedTensor>& fixed) {
    for (const GraphStep& s : graph_.steps) made_.push_back(s.value);
    for (done_ = 0; done_ < graph_.steps.size(); ++done_) step(graph_.steps[done_]);
    if (const std::string fault = fault_of_labels(graph_); !fault.empty()) refuse(fault);
    for (const FixedTensor& one : fixed) fix(one);
    fix_masks(graph_);
    choose_outputs();
    // Tensors whose axes the text says were read before the others, and those of a nested call
    // behind what stands in front of it. The text that is printed has each call as a statement, so
    // both orders are those of the steps.
    const std::vector<std::string> used = operand_names(graph_);
    std::ranges::stable_sort(graph_.tensors, {},
                             [&](const GraphTensor& t) { return std::ranges::find(used, t.name); });
    for (const GraphTensor& t : graph_.tensors)
      for (const std::string& axis : t.axes) note_axis({axis});
    if (const std::string fault = fault_of_names(graph_); !fault.empty()) refuse(fault);
    return std::move(graph_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw UsageError(fmt::format("{} in '{}'", what, text_));
  }

  GraphTensor* tensor(const std::string& name) {
    for (GraphTensor& t : graph_.tensors)
      if (t.name == name) return &t;
    return nullptr;
  }

  const Axes* known_axes(const std::string& name) {
    for (std::size_t k = 0; k < done_; ++k)
      if (graph_.steps[k].value == name) return &graph_.steps[k].value_axes;
    if (has_name(made_, name)) refuse(fmt::format("value '{}' is used before it is made", name));
    GraphTensor* const t = tensor(name);
    return t != nullptr ? &t->axes : nullptr;
  }

  /// The axis of a tensor may be one that a window made; one that a window makes is new.
  void note_axis(const GraphAxis& axis) {
    for (const GraphAxis& a : graph_.axes) {
      if (a.name != axis.name) continue;
      if (axis.is_given()) return;
      refuse(fmt::format("axis '{}', which a window leaves of '{}', has the name of another axis",
                         axis.name, axis.from));
    }
    graph_.axes.push_back(axis);
  }

  void step(GraphStep& s) {
    const GraphStage& row = graph_stage(s.stage);
    const auto main = std::ranges::find_if_not(s.operands, &GraphOperand::is_number);
    if (main == s.operands.end()) refuse(fmt::format("{} takes numbers alone", s.stage));
    if (known_axes(main->name) == nullptr)
      graph_.tensors.push_back({main->name, TensorPart::input, axes_unsaid(s), false});
    const Axes first = *known_axes(main->name);
    choose_axes(s, row, first);
    for (std::size_t k = 0; k < s.operands.size(); ++k) take(s, row, k, first);
    const Axes axes = value_axes_of(s);
    if (const std::string fault = fault_of_order(s, axes); !fault.empty()) refuse(fault);
    if (!s.order_said) s.value_axes = axes;
    s.order_said = s.value_axes != axes;
  }

  /// The axes of a first operand that nothing says: in a call those of the call's first operand.
  Axes axes_unsaid(const GraphStep& s) {
    const GraphStep* const call = graph_.call_of(s);
    const Axes* const known = call == nullptr ? nullptr : known_axes(call->operands.front().name);
    return known != nullptr ? *known : Axes{"rows", "cols"};
  }

  void fix(const FixedTensor& one) {
    GraphTensor* const t = tensor(one.name);
    if (const std::string fault = fault_of_fixed(one.name, one.kind, t); !fault.empty())
      refuse(fault);
    t->part = std::max(t->part, TensorPart::fixed);
    if (one.kind != FixedKind::filled) t->kind = one.kind;
  }

  /// Refuses an axis of the step that the operand lacks, but one that an earlier step took where
  /// the axis `may_be_gone`: it has length 1, and a sum over it is what it sums.
  void require_axes(const GraphStep& s, const std::string& operand, const Axes& axes,
                    bool may_be_gone) {
    for (const std::string& axis : s.axes)
      if (!has_name(axes, axis) && !(may_be_gone && comes_from_axis(graph_, operand, axis)))
        refuse(fmt::format("'{}' of {} is no axis of '{}', which has [{}]{}", axis, s.stage,
                           operand, fmt::join(axes, ","),
                           axes.empty() ? fmt::format("; say them: {}[{},out]", operand, axis)
                                        : did_you_mean(axis, axes)));
  }

  /// The axes of each operand of a step; null for a number, and for a tensor that has none yet.
  std::vector<const Axes*> operand_axes(const GraphStep& s) {
    std::vector<const Axes*> all;
    for (const GraphOperand& o : s.operands)
      all.push_back(o.is_number() ? nullptr : known_axes(o.name));
    return all;
  }

  void choose_axes_of_move(GraphStep& s, const GraphStage& row, const Axes& first) {
    for (std::size_t k = 0; k < std::min(s.axes.size(), row.move.least); ++k)
      s.axes[k] = axis_among(graph_, first, s.axes[k]);
    std::vector<const Axes*> known = operand_axes(s);
    if (row.takes_labels()) known.resize(1);  // their axes are none that the text says here
    std::erase(known, nullptr);
    if (const std::string fault = part_axes_of_move(s, known); !fault.empty()) refuse(fault);
  }

  void choose_axes(GraphStep& s, const GraphStage& row, const Axes& first) {
    if (row.moves()) return choose_axes_of_move(s, row, first);
    for (std::string& axis : s.axes) axis = axis_among(graph_, first, axis);
    require_axes(s, s.operands.front().name, first, row.form == StageForm::reduces);
    if (const Axes distinct = made_distinct(s.axes); distinct != s.axes)
      refuse(fmt::format("{} names the axes [{}], one of them twice", s.stage,
                         fmt::join(s.axes, ",")));
    if ((row.form == StageForm::scans || row.form == StageForm::sorts) && s.axes.size() > 1)
      refuse(fmt::format("{} works along one axis: '{}' is too many", s.stage, s.axes[1]));
    if (s.axes_said) {
      if (row.axes == StageAxes::rest || row.axes == StageAxes::group ||
          (row.form == StageForm::contracts && row.axes != StageAxes::said))
        refuse(fmt::format("{} works over axes of its own: '{}' is too many", s.stage, s.axes[0]));
      if (has_fixed_axes(row) && s.axes != default_axes(row, first))
        refuse(fmt::format("{} works over [{}], not over [{}]", s.stage,
                           fmt::join(default_axes(row, first), ","), fmt::join(s.axes, ",")));
      return;
    }
    if (row.axes == StageAxes::none) return;
    if (first.empty())
      refuse(fmt::format("{} needs an axis, and '{}' is one number", s.stage, s.operands[0].name));
    s.axes = default_axes(row, first);
    const bool spatial = row.axes == StageAxes::spatial;
    if (row.axes == StageAxes::said || (spatial && s.axes.empty()))
      refuse(fmt::format("{} needs {}; '{}' has [{}]", s.stage,
                         spatial ? "axes behind the channels" : "the axes that it works over",
                         s.operands.front().name, fmt::join(first, ",")));
  }

  /// Gives a new tensor its axes; throws UsageError where the axes of the operand do not fit.
  void take(GraphStep& s, const GraphStage& row, std::size_t k, const Axes& first) {
    const GraphOperand& o = s.operands[k];
    if (o.is_number()) return;
    const StageOperand& place = row.operands[k];
    const Axes* known = known_axes(o.name);
    if (known == nullptr) {
      Axes axes = axes_for(place, s, first);
      if (place.axes == OperandAxes::made) axes = wanted_axes(s, place, axes, first);
      graph_.tensors.push_back({o.name, TensorPart::input, axes, false});
      known = &graph_.tensors.back().axes;
    }
    if (GraphTensor* const t = tensor(o.name)) {
      if (!place.detached) t->part = std::max(t->part, place.part);
    } else if (place.part == TensorPart::labels) {
      refuse(fmt::format("the labels of {} are a tensor, no value", s.stage));
    }
    if (k == 0 || row.form == StageForm::elementwise || row.moves()) return;
    if (place.axes == OperandAxes::any) return require_axes(s, o.name, *known, false);
    if (place.axes == OperandAxes::filter) {
      if (const std::string fault = fault_of_filter(s, first, *known); !fault.empty())
        refuse(fault);
      return;
    }
    const Axes wanted = wanted_axes(s, place, *known, first);
    if (*known != wanted)
      refuse(fmt::format("'{}' of {} has [{}], wanted are [{}]{}", o.name, s.stage,
                         fmt::join(*known, ","), fmt::join(wanted, ","),
                         place.axes == OperandAxes::tail
                             ? fmt::format(" or others of [{}]", fmt::join(first, ","))
                             : ""));
  }

  /// An operand that repeats along axes may lack some of the first operand's. A matrix may have any
  /// first axis that its operand lacks; a summand of the product has that axis too.
  Axes wanted_axes(const GraphStep& s, const StageOperand& place, const Axes& known,
                   const Axes& first) {
    if (place.axes == OperandAxes::made) {
      const Axes& factor = *known_axes(s.operands[1].name);
      return {graph_stage(s.stage).convolves() ? convolution_axes(s, first, factor).channel
                                               : factor.front()};
    }
    const auto is_of_first = [&](const std::string& axis) { return has_name(first, axis); };
    const bool repeats = place.axes == OperandAxes::tail || place.axes == OperandAxes::some;
    if (repeats && std::ranges::all_of(known, is_of_first)) return known;
    const bool own = place.axes == OperandAxes::matrix && known.size() == 2;
    if (!own) return axes_for(place, s, first);
    if (has_name(first, known.front()))
      refuse(fmt::format("'{}' of {} needs a first axis that '{}' has not; '{}' is one of [{}]",
                         s.operands[1].name, s.stage, s.operands[0].name, known.front(),
                         fmt::join(first, ",")));
    return {known.front(), first.back()};
  }

  Axes value_axes_of(const GraphStep& s) {
    const std::vector<const Axes*> operands = operand_axes(s);
    const ValueAxes found = graph_stage(s.stage).moves()
                                ? axes_of_move(s, operands, axis_names(graph_))
                                : value_axes(s, operands);
    if (!found.fault.empty()) refuse(found.fault);
    for (const GraphAxis& made : found.made) {
      for (const std::string& axis : made.needed()) note_axis({axis});
      note_axis(made);
    }
    return found.axes;
  }

  void choose_outputs() {
    const Axes used = operand_names(graph_);
    if (!graph_.outputs_said)
      for (const std::string& value : made_)
        if (!has_name(used, value)) graph_.outputs.push_back(value);
    if (const std::string fault = fault_of_outputs(graph_); !fault.empty()) refuse(fault);
  }

  Graph graph_;
  std::string_view text_;
  Axes made_;
  std::size_t done_ = 0;
};
}  // namespace

Graph resolved(Graph read, std::string_view text, const std::vector<FixedTensor>& fixed) {
  return Resolver(std::move(read), text).run(fixed);
}

}  // namespace gradproof
