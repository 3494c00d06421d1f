// SPDX-License-Identifier: Apache-2.0
#include "simt/stream.h"

#include "simt/memory/storage.h"

namespace simt {

Stream::Stream(Backend backend)
    : backend_(backend),
      handle_(backend == Backend::cpu ? reinterpret_cast<cudaStream_t>(this) : make_cuda_stream()) {
}

Stream::~Stream() {
  if (backend_ == Backend::cuda) end_cuda_stream(handle_);
}

void Stream::synchronize() const {
  if (backend_ == Backend::cuda) wait_for_cuda_stream(handle_);
}

}  // namespace simt
