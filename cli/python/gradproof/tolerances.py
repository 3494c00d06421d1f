# SPDX-License-Identifier: Apache-2.0
"""pytest -p gradproof.tolerances: what the comparisons of a test suite would pass besides (docs/tolerances.md).

No test changes, and neither does the exit code: a comparison is made first as it stands, and weighed if it passed.
"""
import functools
import importlib.util
import json
import math
import pathlib
import sys

import pytest

from gradproof import compared

# pytest-xdist brings a worker's places back by this name.
PLACES = "gradproof_tolerances"
# So many places are printed; the others are in the file of --tolerances-json.
SHOWN = 20


# The defaults of torch.testing.assert_close: rtol, atol.
TORCH_DEFAULTS = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def _of_assert_close(options):
    """Of two types the larger default of each, as torch has it."""
    def tolerances(pair):
        if options.get("rtol") is not None:
            return options["rtol"], options["atol"]
        known = [TORCH_DEFAULTS[name] for name in map(compared.type_name, pair) if name in TORCH_DEFAULTS]
        return tuple(map(max, zip(*known))) if known else (0.0, 0.0)
    return tolerances


def _of_defaults(rtol, atol):
    """Of a function of (got, want, rtol, atol)."""
    def of(options):
        tolerances = options.get("rtol", rtol), options.get("atol", atol)
        return lambda pair: tolerances
    return of


# Module, attribute, names of the arguments and what makes tolerances of them.
COMPARISONS = (
    ("torch.testing", "assert_close", (), _of_assert_close),
    ("torch", "allclose", ("rtol", "atol"), _of_defaults(1e-5, 1e-8)),
    ("torch", "Tensor.allclose", ("rtol", "atol"), _of_defaults(1e-5, 1e-8)),
    ("numpy.testing", "assert_allclose", ("rtol", "atol"), _of_defaults(1e-7, 0.0)),
    ("numpy", "allclose", ("rtol", "atol"), _of_defaults(1e-5, 1e-8)),
)


def _weighed(function, names, tolerances_of):
    @functools.wraps(function)
    def compare(*arguments, **options):
        result = function(*arguments, **options)
        if result is None or result:  # an assertion that returned, or True
            given = {**dict(zip(names, arguments[2:])), **options}
            pair = list(arguments[:2]) + [options[key] for key in ("actual", "input", "a", "expected", "other", "desired", "b") if key in options]
            if len(pair) == 2:
                _ledger.take(compared.place_of(sys._getframe(1)), *pair, tolerances_of(given))
        return result
    return compare


_ledger = compared.Ledger()
_restored = []


def _patch():
    for module, attribute, names, tolerances_of in COMPARISONS:
        if importlib.util.find_spec(module.partition(".")[0]) is None:
            continue
        holder = importlib.import_module(module)
        *path, name = attribute.split(".")
        for step in path:
            holder = getattr(holder, step)
        _restored.append((holder, name, getattr(holder, name)))
        setattr(holder, name, _weighed(getattr(holder, name), names, tolerances_of))


def pytest_addoption(parser):
    parser.getgroup("gradproof").addoption("--tolerances-json", metavar="FILE", help="file that takes the table, a JSON line for each place")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests():
    """Before any test module can take a comparison by its name."""
    _patch()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    _ledger.test = item.nodeid
    yield
    _ledger.test = None


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[PLACES] = [vars(place) for place in _ledger.places.values()]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Of pytest-xdist: a worker has ended."""
    _ledger.merge(getattr(node, "workeroutput", {}).get(PLACES, ()))


def pytest_terminal_summary(terminalreporter, config):
    places = sorted(_ledger.places.values(), key=lambda place: (place.weakness(), place.place), reverse=True)
    if path := config.getoption("--tolerances-json"):
        pathlib.Path(path).write_text("".join(json.dumps(_row(place, config.rootpath)) + "\n" for place in places))
    if places:
        terminalreporter.section("tolerances")
        for line in table(places, config.rootpath):
            terminalreporter.write_line(line)


def pytest_unconfigure():
    while _restored:
        setattr(*_restored.pop())


def table(places, root):
    """Lines of at most 80 columns but for a long name of a file."""
    wrong = sum(any(count for name, count in place.passes.items() if name != "half") for place in places)
    yield f"{sum(place.calls for place in places)} comparisons passed, at {len(places)} places. At {wrong} a wrong result would pass too,"
    yield f"at {sum(place.passes['half'] > 0 for place in places)} one of half precision, and {sum(place.flaky > 0 for place in places)} may fail for another rounding."
    shown = [place for place in places if any(place.passes.values()) or place.flaky]
    if not shown:
        return
    yield "  calls  fails from    ulps  passes too"
    for place in shown[:SHOWN]:
        too = [name + ("" if count == place.calls else f" ({count})") for name, count in place.passes.items() if count]
        yield f"{place.calls:7}  {_factor(place.factor):>10}  {place.ulps:6.3g}  {', '.join(too) or '-'}{'  flaky' * bool(place.flaky)}"
        yield f"         {_short(place.place, root)}"
    if len(shown) > SHOWN:
        yield f"and {len(shown) - SHOWN} places more: --tolerances-json FILE"


def _factor(factor):
    if factor != factor:
        return "-"
    return f"x {factor:.3g}" if factor >= 1.01 else f"1 + {factor - 1:.1e}"


def _short(place, root):
    path, _, line = place.rpartition(":")
    try:
        return f"{pathlib.Path(path).relative_to(root)}:{line}"
    except ValueError:
        return place


def _row(place, root):
    """Of a place as JSON, in which no number is infinite or NaN."""
    row = {**vars(place), "place": _short(place.place, root)}
    return {key: None if isinstance(value, float) and not math.isfinite(value) else value for key, value in row.items()}
