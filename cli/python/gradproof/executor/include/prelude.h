// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is in front of the text of an extension that the executor runs, behind torch's headers: the
/// executor, and what torch and CUDA say of streams, devices and errors there
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
