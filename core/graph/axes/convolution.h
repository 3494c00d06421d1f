// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace gradproof {

/// The axes of a convolution (GraphStage::convolves()): x[n,c,h,w] and weight[out,c,kh,kw], of a
/// transposed one weight[c,out,kh,kw]. With groups of channels the weight has one group's, so that
/// the axis `in` stands for c, and of a transposed one `out` for those of one group.
struct ConvolutionAxes {
  std::string channel;               ///< of the value's channels: an axis of the weight or new
  std::vector<GraphAxis> made = {};  ///< new axes of the value: channels of all groups, and windows
};

/// The weight's axes where the text says none; `first` are those of x.
std::vector<std::string> filter_axes(const GraphStep& step, const std::vector<std::string>& first);

/// Why the step cannot have a weight with these axes, or its options; empty where it can.
std::string fault_of_filter(const GraphStep& step, const std::vector<std::string>& first,
                            const std::vector<std::string>& filter);

ConvolutionAxes convolution_axes(const GraphStep& step, const std::vector<std::string>& first,
                                 const std::vector<std::string>& filter);

/// The number of groups of channels.
std::int64_t channel_groups(const GraphStep& step);

/// The counts of products that the step of a product adds up for one number of its value, of the
/// gradient of the first factor and of that of the second.
struct ProductLengths {
  std::int64_t value = 1;
  std::int64_t first = 1;
  std::int64_t second = 1;
};
ProductLengths product_lengths(const Graph& graph, const GraphExtents& extents,
                               const GraphStep& step);

/// The count of terms of the gradient of a product's k-th operand behind the first.
std::int64_t terms_of_gradient(const Graph& graph, const GraphExtents& extents,
                               const GraphStep& step, std::size_t operand);

}  // namespace gradproof
