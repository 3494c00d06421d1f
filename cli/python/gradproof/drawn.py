# SPDX-License-Identifier: Apache-2.0
"""Cases of a test drawn by Hypothesis, at the limits of kernels first: docs/python.md#drawn-cases."""
import inspect

# Sizes around which blocks, warps and vectors of kernels end.
LIMITS = (1, 2, 3, 4, 8, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049,
          4095, 4096, 4097, 8191, 8192, 8193)
# What `fill=...` draws from (docs/inputs.md), the first one where all of them pass.
FILLS = ("normal", "offset:1e3", "common:1e4", "loguniform", "lone:1", "constant:0", "constant:1", "subnormal")


def given(*, examples=25, **keys):
    """Runs the test with keys of a Case that are drawn, for gradproof.check(function, LINE, rows=rows, cols=cols, dtype=dtype).

    keys: of each argument what it is drawn from: a range of whole numbers (rows=range(1, 513)), of which ends and limits of blocks
    are drawn as often as all others; a list of choices (dtype=["f32", "bf16"]); or ... for all that gradproof knows of it
    (fill=..., dtype=..., seed=...).

    Hypothesis draws, makes a failing case simpler, and keeps it in its database (.hypothesis), from which it is run first the next
    time. examples: how many are drawn. Raises ImportError where hypothesis is not installed, ValueError for what nothing is drawn from.
    """
    import hypothesis
    from hypothesis import strategies
    drawn = {key: _strategy(strategies, key, values) for key, values in keys.items()}

    def decorate(test):
        unknown = [key for key in keys if key not in inspect.signature(test).parameters]
        if unknown:
            raise ValueError(f"the test {test.__name__} has no argument {' '.join(unknown)}")
        checks = [hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture]
        settings = hypothesis.settings(max_examples=examples, deadline=None, suppress_health_check=checks)
        return settings(hypothesis.given(**drawn)(test))
    return decorate


def _strategy(strategies, key, values):
    if values is Ellipsis:
        known = {"fill": FILLS, "dtype": ("f32", "bf16", "f16"), "seed": range(1, 2 ** 31)}
        if key not in known:
            raise ValueError(f"{key}=... is known of {' '.join(known)} alone; a range or a list says what {key} may be")
        values = known[key]
    if isinstance(values, range):
        if not values or values.step != 1:
            raise ValueError(f"{key}={values!r} has no numbers, or leaves some out; range(1, 513) is 1 to 512")
        low, high = values[0], values[-1]
        limits = sorted({low, high, *(limit for limit in LIMITS if low <= limit <= high)})
        return strategies.sampled_from(limits) | strategies.integers(low, high)
    if not isinstance(values, (list, tuple)) or not values:
        raise ValueError(f"{key}={values!r}: a range of whole numbers, a list of choices, or ...")
    return strategies.sampled_from(list(values))
