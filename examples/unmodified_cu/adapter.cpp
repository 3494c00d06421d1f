// SPDX-License-Identifier: Apache-2.0
#include "kernels/own/own_kernel.h"

void softmax_forward(const float* x, float* y, int rows, int cols, cudaStream_t stream);
void softmax_backward(const float* y, const float* dy, float* dx, int rows, int cols,
                      cudaStream_t stream);

namespace GRADPROOF_UNIT {

gradproof::OwnKernel softmax() {
  const auto pointer = [](const gradproof::Call& c, const char* name) {
    return c.view(name).as<float>();
  };
  return {.word = "softmax",
          .pipeline = "y = softmax(x[rows,cols])",
          .forward =
              [=](const gradproof::Call& c) {
                softmax_forward(pointer(c, "x"), pointer(c, "y"), int(c.extent("rows")),
                                int(c.extent("cols")), c.stream);
              },
          .backward =
              [=](const gradproof::Call& c) {
                softmax_backward(pointer(c, "y"), pointer(c, "dy"), pointer(c, "d_x"),
                                 int(c.extent("rows")), int(c.extent("cols")), c.stream);
              },
          .deterministic = false};  // threads add with atomics, in any order
}

}  // namespace GRADPROOF_UNIT
