// SPDX-License-Identifier: Apache-2.0
// gradproof-covered: gradproof-worker with counted kernels, for scripts/coverage.
#include "cli/worker/serve.h"
#include "kernels/covered/covered.h"

int main(int count, char** arguments) {
  return gradproof::serve({gradproof::covered_catalog()}, count, arguments);
}
