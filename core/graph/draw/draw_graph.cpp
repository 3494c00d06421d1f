// SPDX-License-Identifier: Apache-2.0
#include "core/graph/draw/draw_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/draw/draw_move.h"
#include "core/graph/draw/draw_options.h"
#include "core/graph/draw/draw_words.h"
#include "core/graph/graph.h"
#include "core/graph/stages.h"
#include "core/tensor/philox.h"

namespace gradproof {
namespace {

using namespace draw_words;

class Drawing {
 public:
  Drawing(std::uint64_t seed, std::uint64_t number, bool is_long = false)
      : stream_(seed, fmt::format("graph {}", number)),
        fixed_(seed, fmt::format("fixed {}", number)),
        alone_(number % kAloneEvery == 0),
        long_(is_long) {}

  std::string line() {
    images_ = below(long_ ? 6 : 3) == 0;
    axes_ = images_ ? std::vector<std::string>{"n", "c", "h", "w"}
                    : std::vector<std::string>{"rows", "cols"};
    whole_ = axes_;
    text_ = fmt::format("x[{}]", fmt::join(axes_, ","));
    const std::uint64_t steps = alone_ ? 1 : 1 + below(6);
    for (std::uint64_t k = 0; k < steps && !axes_.empty(); ++k) add_step();
    std::string line = fmt::format("{{{}}}{}{} dtype={} fill={} dy={} seed={}", statements_,
                                   extents(), made_, kTypes[below(kTypes.size())], drawn_fill(),
                                   kCotangents[below(kCotangents.size())], 1 + below(1000));
    const bool narrow = line.find("f16 ") != std::string::npos;
    if (narrow && !parameters_.empty() && below(3) == 0)
      line += fmt::format(" dtypes={}:f32", fmt::join(parameters_, ":f32,"));
    return line;
  }

 private:
  std::uint64_t below(std::uint64_t count) { return stream_.bits(drawn_++) % count; }

  /// One tensor of eight is fixed. The stream is one of its own: all else is drawn as without it.
  bool is_fixed() { return fixed_.bits(asked_++) % 8 == 0; }

  std::string_view drawn_fill() {
    return long_ ? kLongFills[below(kLongFills.size())] : kFills[below(kFills.size())];
  }

  /// A short or a long extent; each octave of long extents is drawn equally often.
  std::uint64_t long_extent(bool is_long) {
    if (!is_long) return 1 + below(8);
    const std::uint64_t octave = 64U << below(6);
    return octave + below(octave);
  }

  std::string extents() {
    std::string text;
    const std::uint64_t longer = long_ ? below(3) : 0;
    const std::array<std::string_view, 4> of_images{"n", "c", "h", "w"};
    const std::array<std::string_view, 2> of_rows{"rows", "cols"};
    const auto say = [&](std::string_view axis) {
      std::uint64_t extent = axis == "c" ? 4 * (1 + below(2))
                             : images_   ? 2 + below(5)
                             : long_     ? long_extent((axis == "rows") == (longer == 0))
                                         : 1 + below(40);
      if (has_name(halved_, axis)) extent += extent % 2;
      text += fmt::format(" {}={}", axis, extent);
    };
    if (images_)
      for (const auto& axis : of_images) say(axis);
    else
      for (const auto& axis : of_rows) say(axis);
    return text;
  }

  /// A new tensor, an earlier value of the same axes, or a number where one may stand.
  std::string other_operand(const StageOperand& place) {
    const std::uint64_t kind = below(4);
    if (place.number && kind == 0) return std::string(kNumbers[below(kNumbers.size())]);
    if (place.number && kind == 1) return value_;
    if (place.axes == OperandAxes::matrix) {
      const std::string axis = fmt::format("m{}", ++tensors_);
      made_ += fmt::format(" {}={}", axis, 1 + below(12));
      return fmt::format("t{}[{},{}]", tensors_, axis, std::exchange(axes_.back(), axis));
    }
    if (place.axes == OperandAxes::any) return factor_of_product();
    if (place.axes == OperandAxes::filter) return filter();
    if (place.axes == OperandAxes::some && below(3) == 0)
      return fmt::format("t{}[{}]", ++tensors_, axes_[below(axes_.size())]);
    if (place.axes == OperandAxes::first)
      return fmt::format("t{}[{}]", ++tensors_, fmt::join(axes_, ","));
    return fmt::format("t{}", ++tensors_);
  }

  /// A mask by which a step chooses: one of its own, or a comparison of the value that it takes.
  std::string drawn_mask() {
    if (below(2) == 0) return fmt::format("t{}[{}]", ++tensors_, fmt::join(axes_, ","));
    const std::string compared = fmt::format("greater({}, {})", text_, kNumbers[below(2)]);
    text_ = value_;
    return compared;
  }

  /// A factor with the last axis, which the product takes, and with some of the others; a new axis
  /// stands in its place.
  std::string factor_of_product() {
    std::vector<std::string> axes;
    for (std::size_t k = 0; k + 1 < axes_.size(); ++k)
      if (below(2) == 0) axes.push_back(axes_[k]);
    const std::string taken = axes_.back();
    axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(below(axes.size() + 1)), taken);
    if (below(4) != 0) {
      axes_.push_back(fmt::format("m{}", ++tensors_));
      made_ += fmt::format(" {}={}", axes_.back(), 1 + below(12));
      axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(below(axes.size() + 1)), axes_.back());
    }
    return fmt::format("t{}[{}]", ++tensors_, fmt::join(axes, ","));
  }

  /// The weight of a convolution with windows of 1 or 2 numbers; each axis has so many.
  std::string filter() {
    const std::string out = fmt::format("m{}", ++tensors_);
    made_ += fmt::format(" {}={}", out, 1 + below(5));
    const std::string in = std::exchange(axes_[1], out);
    std::vector<std::string> windows;
    for (std::size_t k = 2; k < axes_.size(); ++k) {
      windows.push_back(fmt::format("k{}{}", k, out));
      made_ += fmt::format(" {}={}", windows.back(), 1 + below(2));
    }
    return fmt::format("t{}[{},{},{}]", tensors_, widens_ ? in : out, widens_ ? out : in,
                       fmt::join(windows, ","));
  }

  /// True if the stage fits the axes. An axis that a window or a matrix made is never halved.
  bool fits(const GraphStage& s) const {
    if (s.form == StageForm::turns) return axes_.size() >= 2 && has_name(whole_, axes_.back());
    const bool of_channels = s.operands.size() > 1 && s.operands[1].axes == OperandAxes::channel;
    if (s.form != StageForm::elementwise && of_channels && axes_.size() < 2) return false;
    if (s.axes == StageAxes::rest || s.axes == StageAxes::group) return axes_.size() >= 2;
    if (s.axes == StageAxes::spatial) return axes_.size() == 4;
    return true;
  }

  void add_move(const GraphStage& stage) {
    const DrawnMove move =
        drawn_move(stage, {text_, axes_, whole_, fmt::format("v{}", values_ + 1), ++tensors_,
                           [this](std::uint64_t count) { return below(count); }});
    value_ = text_ = fmt::format("v{}", ++values_);
    statements_ += (statements_.empty() ? "" : "; ") + move.text;
    axes_ = move.axes;
    made_ += move.extents;
    if (!move.halved.empty()) halved_.push_back(move.halved);
  }

  void add_operands(const GraphStage& stage, std::vector<std::string>& arguments) {
    for (std::size_t k = arguments.size(); k < stage.operands.size(); ++k) {
      if (stage.operands[k].optional && below(3) == 0) break;
      arguments.push_back(other_operand(stage.operands[k]));
      const TensorPart part = stage.operands[k].part;
      const bool new_tensor = arguments.back().starts_with('t');
      // LibTorch multiplies no matrices of two types.
      if (new_tensor && part != TensorPart::input && part != TensorPart::labels &&
          stage.form != StageForm::contracts)
        parameters_.push_back(arguments.back().substr(0, arguments.back().find('[')));
      if (new_tensor && is_fixed()) arguments.back() = fmt::format("fixed({})", arguments.back());
    }
  }

  void add_step() {
    const auto stages = graph_stages();
    const GraphStage* s = &stages[below(stages.size())];
    while (!fits(*s) || (long_ && s->word == "diagonal")) s = &stages[below(stages.size())];
    if (s->moves()) return add_move(*s);
    std::vector<std::string> arguments{text_};
    const std::string contracted = axes_.back();
    widens_ = s->widens;
    if (std::isfinite(s->defined_from)) arguments = {fmt::format("abs({})", text_)};
    if (s->operands.front().detached) {
      arguments = {drawn_mask()};
      arguments.push_back(text_);
    }
    add_operands(*s, arguments);
    std::string over;
    if (s->axes == StageAxes::said) {
      over = s->form == StageForm::contracts ? contracted : axes_[below(axes_.size())];
      arguments.push_back(over);
    }
    for (const std::string& option :
         drawn_options(*s, [this](std::uint64_t n) { return below(n); }))
      arguments.push_back(option);
    const std::string made = fmt::format("v{}", ++values_);
    statements_ += fmt::format("{}{} = {}({})", statements_.empty() ? "" : "; ", made, s->word,
                               fmt::join(arguments, ", "));
    if (s->form == StageForm::turns) halved_.push_back(axes_.back());
    if (s->form == StageForm::reduces && s->axes == StageAxes::rest) {
      text_ = value_;  // a running statistic is an output beside the others
      return;
    }
    std::erase(axes_, over);
    if (s->form == StageForm::selects) axes_.clear();
    if (s->form == StageForm::slides || s->convolves())
      for (std::size_t k = 2; k < axes_.size(); ++k) axes_[k] += "." + made;
    value_ = made;
    text_ = made;
  }

  Stream stream_;
  Stream fixed_;
  bool alone_;
  bool long_;
  bool widens_ = false;  ///< the step that is drawn is a transposed convolution
  std::uint64_t drawn_ = 0;
  std::uint64_t asked_ = 0;  ///< whether a tensor is fixed
  bool images_ = false;
  std::vector<std::string> axes_;
  std::vector<std::string> whole_;   ///< axes whose extents the Case says
  std::vector<std::string> halved_;  ///< of these, those that must be even
  std::vector<std::string> parameters_;
  std::string value_{"x"};
  std::string text_;  ///< of the value where it is used next
  std::string statements_;
  std::string made_;  ///< extents of the axes that matrices made
  int tensors_ = 0;
  int values_ = 0;
};

}  // namespace

std::string drawn_graph_case(std::uint64_t seed, std::uint64_t number) {
  return Drawing(seed, number).line();
}

std::string drawn_long_graph_case(std::uint64_t seed, std::uint64_t number) {
  return Drawing(seed, number, true).line();
}

}  // namespace gradproof
