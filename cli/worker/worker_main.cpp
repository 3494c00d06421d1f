// SPDX-License-Identifier: Apache-2.0
// gradproof-worker: reads Cases of the kernels on a pipe, announces each before it starts and
// answers Records. `gradproof-worker 'CASE'` runs one Case in this process, for a debugger.
#include "cli/worker/serve.h"

int main(int count, char** arguments) {
  return gradproof::ended(gradproof::serve({gradproof::catalog()}, count, arguments), count);
}
