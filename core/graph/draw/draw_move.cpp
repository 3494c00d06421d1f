// SPDX-License-Identifier: Apache-2.0
#include "core/graph/draw/draw_move.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/graph.h"

namespace gradproof {
namespace {

using Axes = std::vector<std::string>;

class MoveDrawing {
 public:
  MoveDrawing(const GraphStage& stage, const MoveDraw& from)
      : stage_(stage), from_(from), at_(from.below(from.axes.size())), axis_(from.axes[at_]) {}

  DrawnMove run() {
    if (stage_.takes_labels()) return by_labels();
    if (stage_.word == "permute") return permuted();
    if (stage_.word == "split" && has_name(from_.whole, axis_)) return split();
    if (stage_.word == "join" && from_.axes.size() > 1) return joined();
    if (stage_.word == "select") return of({}, from_.below(2) == 0 ? "at=0" : "at=-1");
    if (stage_.word == "diagonal") return diagonal();
    if (stage_.word == "repeat") return repeated();
    if (stage_.word.starts_with("tri") || stage_.word == "causal") return triangle();
    if (stage_.word == "flip") return of({axis_}, "");
    if (stage_.word == "roll") return of({axis_}, "shift=1");
    if (stage_.word == "slice") return of({fresh("s")}, from_.below(2) == 0 ? "" : "step=2", true);
    if (stage_.word == "pad") return padded();
    return stage_.word == "concat" ? concatenated() : of({fresh("r")}, "", true, "rename");
  }

 private:
  std::string fresh(const char* base) const { return fmt::format("{}{}", base, from_.number); }

  /// The operand's axes with others in the place of the one that was drawn.
  Axes replaced(const Axes& by) const {
    Axes axes = from_.axes;
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(at_));
    axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(at_), by.begin(), by.end());
    return axes;
  }
  DrawnMove statement(const std::string& arguments, Axes axes, std::string_view word = "") const {
    return {fmt::format("{} = {}({})", from_.value, word.empty() ? stage_.word : word, arguments),
            std::move(axes)};
  }
  DrawnMove of(const Axes& by, const std::string& option, bool names = false,
               std::string_view word = "") const {
    std::string arguments = fmt::format("{}, {}", from_.operand, axis_);
    if (names) arguments += ", " + by.front();
    return statement(arguments + (option.empty() ? "" : ", " + option), replaced(by), word);
  }

  DrawnMove split() const {
    const Axes by{fresh("a"), fresh("b")};
    DrawnMove move =
        statement(fmt::format("{}, {}, {}, parts=2", from_.operand, axis_, fmt::join(by, ", ")),
                  replaced(by));
    move.halved = axis_;
    return move;
  }
  DrawnMove joined() const {
    const std::string other = from_.axes[at_ == 0 ? from_.axes.size() - 1 : at_ - 1];
    Axes axes;
    for (const std::string& axis : from_.axes)
      if (axis != axis_ && axis != other)
        axes.push_back(axis);
      else if (!has_name(axes, fresh("j")))
        axes.push_back(fresh("j"));
    return statement(fmt::format("{}, {}, {}, {}", from_.operand, axis_, other, fresh("j")), axes);
  }
  /// The diagonal of a product of the operand with itself, of which one has another axis.
  DrawnMove diagonal() const {
    const std::string again = from_.operand.substr(0, from_.operand.find('['));
    return {fmt::format("{} = diagonal(multiply({}, rename({}, {}, {})), {}, {}, {})", from_.value,
                        from_.operand, again, axis_, fresh("r"), axis_, fresh("r"), fresh("d")),
            replaced({fresh("d")})};
  }
  DrawnMove repeated() const {
    Axes axes = from_.axes;
    axes.insert(axes.begin(), fresh("r"));
    return statement(fmt::format("{}, {}, size={}", from_.operand, fresh("r"), 1 + from_.below(3)),
                     axes);
  }
  /// Part of two axes; one axis alone is reversed.
  DrawnMove triangle() const {
    if (from_.axes.size() < 2) return of({axis_}, "", false, "flip");
    const std::string other = from_.axes[at_ == 0 ? from_.axes.size() - 1 : at_ - 1];
    const bool is_causal = stage_.word == "causal";
    const std::string options = is_causal && from_.below(2) == 0 ? ", window=2" : "";
    const char* const value = is_causal && from_.below(4) != 0 ? ", value=-30" : "";
    return statement(fmt::format("{}, {}, {}, diagonal={}{}{}", from_.operand, axis_, other,
                                 from_.below(2), options, value),
                     from_.axes);
  }
  DrawnMove padded() const {
    constexpr std::array<const char*, 3> kModes{"zeros", "replicate", "circular"};
    return of({fresh("p")},
              fmt::format("before=1, after={}, mode={}", from_.below(2),
                          kModes[from_.below(kModes.size())]),
              true);
  }
  DrawnMove concatenated() const {
    Axes other = replaced({fresh("q")});
    std::ranges::reverse(other);
    DrawnMove move = statement(fmt::format("{}, t{}[{}], {}, {}, {}", from_.operand, from_.number,
                                           fmt::join(other, ","), axis_, fresh("q"), fresh("c")),
                               replaced({fresh("c")}));
    move.extents = fmt::format(" {}={}", fresh("q"), 1 + from_.below(6));
    return move;
  }
  DrawnMove permuted() const {
    Axes axes = from_.axes;
    std::ranges::reverse(axes);
    return {fmt::format("{}[{}] = permute({})", from_.value, fmt::join(axes, ","), from_.operand),
            axes};
  }
  /// Labels over a new axis, or over another one of the operand.
  DrawnMove by_labels() const {
    const std::string own = fresh("i");
    const std::string other = from_.axes[at_ == 0 ? from_.axes.size() - 1 : at_ - 1];
    const bool is_new = other == axis_ || from_.below(2) == 0;
    const std::string labels = fmt::format("t{}", from_.number);
    const char* const ignored = from_.below(4) == 0 ? ", ignore=-100" : "";
    const std::string extent = fmt::format(" {}={}", own, 1 + from_.below(12));
    if (stage_.word == "count")
      return {
          fmt::format("{} = divide({}, count({}[{}]))", from_.value, from_.operand, labels, axis_),
          from_.axes};
    if (stage_.word == "put") {
      return statement(fmt::format("{}, {}[{}], {}, size={}{}", from_.operand, labels, axis_, own,
                                   1 + from_.below(6), ignored),
                       replaced({own}));
    }
    DrawnMove move = statement(fmt::format("{}, {}[{}], {}{}", from_.operand, labels,
                                           is_new ? own : other, axis_, ignored),
                               replaced(is_new ? Axes{own} : Axes{}));
    if (is_new) move.extents = extent;
    return move;
  }

  const GraphStage& stage_;
  const MoveDraw& from_;
  std::size_t at_;
  std::string axis_;  ///< the one that the step works over
};

}  // namespace

DrawnMove drawn_move(const GraphStage& stage, const MoveDraw& from) {
  return MoveDrawing(stage, from).run();
}

}  // namespace gradproof
