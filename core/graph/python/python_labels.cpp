// SPDX-License-Identifier: Apache-2.0
#include <initializer_list>

#include "core/graph/axes/moves.h"
#include "core/graph/python/python_axes.h"
#include "core/graph/python/python_names.h"

namespace gradproof {
namespace {

using Axes = std::vector<std::string>;

Axes joined(std::initializer_list<Axes> parts) {
  Axes all;
  for (const Axes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Writes a take or a put.
class ByLabels {
 public:
  ByLabels(const Graph& graph, const GraphExtents& extents, const GraphStep& s,
           const PythonWords& words)
      : extents_(extents),
        s_(s),
        x_(words.at("x")),
        given_(words.at("labels")),
        left_out_(fmt::format("({} == {})", given_, words.at("ignore"))),
        first_(graph.axes_of(s.operands[0].name)),
        own_(graph.axes_of(s.operands[1].name)),
        axes_(label_axes(s, first_, own_)) {}

  std::string put() const {
    const Axes order = joined({own_, axes_.rest});
    const Axes left = joined({{axes_.along}, axes_.rest});
    const std::int64_t rest = count(axes_.rest);
    return aligned_text(
        fmt::format("{}.new_zeros({}, {}).index_add(0, {}.reshape(-1), {}.reshape(-1, {}))"
                    ".reshape({})",
                    x_, extents_.at(axes_.along), rest, labels(),
                    without_left_out(aligned_text(x_, first_, order), order), rest, sizes(left)),
        left, s_.value_axes);
  }

  std::string taken() const {
    const Axes left = joined({axes_.batch, axes_.fresh, axes_.rest});
    const std::string x =
        aligned_text(x_, first_, joined({axes_.batch, {axes_.along}, axes_.rest}));
    const std::int64_t classes = extents_.at(axes_.along);
    const std::int64_t batch = count(axes_.batch);
    const std::int64_t rest = count(axes_.rest);
    const std::string numbers =
        axes_.batch.empty()
            ? fmt::format("F.embedding({}, {}.reshape({}, {}))", labels(), x, classes, rest)
            : fmt::format(
                  "torch.gather({}.reshape({}, {}, {}), 1, {}.reshape({}, {}, 1)"
                  ".expand(-1, -1, {}))",
                  x, batch, classes, rest,
                  aligned_text(labels(), own_, joined({axes_.batch, axes_.fresh})), batch,
                  count(axes_.fresh), rest);
    const std::string shaped = fmt::format("{}.reshape({})", numbers, sizes(left));
    return aligned_text(without_left_out(shaped, left), left, s_.value_axes);
  }

 private:
  bool ignores() const { return s_.options.contains(move_options::kIgnore); }
  std::string labels() const {
    return ignores() ? fmt::format("{}.masked_fill({}, 0)", given_, left_out_) : given_;
  }
  /// The expression with zeros where labels are left out.
  std::string without_left_out(const std::string& text, const Axes& axes) const {
    if (!ignores()) return text;
    return fmt::format("{}.masked_fill({}, 0)", text, aligned_text(left_out_, own_, axes));
  }
  std::int64_t count(const Axes& of) const {
    std::int64_t all = 1;
    for (const std::string& axis : of) all *= extents_.at(axis);
    return all;
  }
  /// The extents, or () for a number.
  std::string sizes(const Axes& of) const {
    std::vector<std::int64_t> all;
    for (const std::string& axis : of) all.push_back(extents_.at(axis));
    return all.empty() ? "()" : fmt::format("{}", fmt::join(all, ", "));
  }

  const GraphExtents& extents_;
  const GraphStep& s_;
  std::string x_;
  std::string given_;
  std::string left_out_;
  const Axes& first_;
  const Axes& own_;
  LabelAxes axes_;
};

}  // namespace

std::string python_by_labels(const Graph& graph, const GraphExtents& extents, const GraphStep& s,
                             const PythonWords& words, DType storage) {
  if (s.operands.size() == 1)
    return fmt::format("({} != {}).sum().to({})", words.at("labels"), words.at("ignore"),
                       python_type(storage));
  const ByLabels by_labels(graph, extents, s, words);
  return graph_stage(s.stage).move.adds ? by_labels.put() : by_labels.taken();
}

}  // namespace gradproof
