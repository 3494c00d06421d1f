// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The text in front of that of an extension that the executor runs, behind torch's headers: the
/// executor, and its answers for the parts of torch and CUDA about streams, devices and errors
/// (docs/load-inline.md).
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <vector>

#include <math_constants.h>

#include "runtime.h"
#include "streams.h"
