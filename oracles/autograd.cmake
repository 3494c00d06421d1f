# SPDX-License-Identifier: Apache-2.0
# The LibTorch witness is a library of its own, so that a worker can leave LibTorch out. The contract that bounds it
# is plain data and goes without LibTorch.
gradproof_library(gradproof_autograd
  ${CMAKE_CURRENT_LIST_DIR}/autograd.cpp ${CMAKE_CURRENT_LIST_DIR}/autograd_contract.cpp)
target_link_libraries(gradproof_autograd PUBLIC gradproof_core PRIVATE gradproof::torch)
