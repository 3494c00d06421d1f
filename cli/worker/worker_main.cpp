// SPDX-License-Identifier: Apache-2.0
// gradproof-worker: reads Cases of the kernels on a pipe, announces each before it starts and
// answers Records. `gradproof-worker 'CASE'` runs one Case in this process, for a debugger.
#include <cstdio>
#include <cstdlib>

#include "cli/worker/serve.h"

int main(int count, char** arguments) {
  const int code = gradproof::serve({gradproof::catalog()}, count, arguments);
  // LibTorch takes 0.15 s to take back what it registered as it was loaded, and whoever waits for
  // this process has all its answers. A sanitizer reports at the orderly end, and a profiler of
  // one Case (`gradproof-worker 'CASE'`) may.
  if (GRADPROOF_IS_SANITIZED || count > 1) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}
