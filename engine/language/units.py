"""Units of measure: defined with pint in a registry of our own, handled as plain data.

Only what writes the table of single units needs pint: to import it takes a fifth of a second. Units
as the rules write them, products and roots are plain arithmetic over that table, which tests hold
against pint. Information, card, node, token, each currency and each
counted thing are dimensions of their own, so "per card" is never taken for "per node".
"""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.language.problems import NOWHERE, Position, Problem, ProblemError
from engine.language.quantity import shipped_table
from engine.language.suggest import did_you_mean
from engine.language.types import DIMENSIONLESS, Unit

# Pint definitions. A month is 730 hours and a year 8,760, as cloud bills count them.
DEFINITIONS = (
    "ratio = []",
    "count = []",
    "percent = 0.01",
    "million = 1e6",
    "billion = 1e9",
    "bit = [information]",
    "byte = 8 bit",
    "kbit = 1000 bit",
    "Mbit = 1000000 bit",
    "Gbit = 1000000000 bit",
    "kB = 1000 byte",
    "MB = 1000000 byte",
    "GB = 1000000000 byte",
    "TB = 1000000000000 byte",
    "PB = 1000000000000000 byte",
    "KiB = 1024 byte",
    "MiB = 1048576 byte",
    "GiB = 1073741824 byte",
    "TiB = 1099511627776 byte",
    "second = [time]",
    "us = 1e-6 second",
    "ms = 0.001 second",
    "minute = 60 second",
    "hour = 3600 second",
    "day = 86400 second",
    "week = 604800 second",
    "month = 2628000 second",
    "year = 31536000 second",
    "FLOP = [operation]",
    "GFLOP = 1e9 FLOP",
    "TFLOP = 1e12 FLOP",
    "PFLOP = 1e15 FLOP",
    "joule = [energy]",
    "kWh = 3600000 joule",
    "W = joule / second",
    "kW = 1000 W",
    "metre = [length]",
    "km = 1000 metre",
    "USD = [usd]",
    "CNY = [cny]",
    "money = [money]",
    "card = [card]",
    "node = [node]",
    "token = [token]",
    "request = [request]",
    "sample = [sample]",
    "image = [image]",
    "frame = [frame]",
    "person = [person]",
    "pixel = [pixel]",
    "step = [step]",
    "job = [job]",
    "file = [file]",
    "result = [result]",
)
NAMES = tuple(line.split(" = ")[0] for line in DEFINITIONS)

# Other spellings people type in a profile; never used in rule files. `Gb` is not one of them:
# some mean bits and some mean bytes by it, eight times as much.
ALIASES = {
    "s": "second", "sec": "second", "seconds": "second",
    "min": "minute", "minutes": "minute",
    "h": "hour", "hr": "hour", "hours": "hour",
    "d": "day", "days": "day", "weeks": "week", "months": "month", "years": "year",
    "%": "percent", "$": "USD", "US$": "USD", "¥": "CNY", "RMB": "CNY", "元": "CNY",
    "小时": "hour", "天": "day", "周": "week", "月": "month", "年": "year", "秒": "second",
    "bits": "bit", "bytes": "byte", "B": "byte", "Mbps": "Mbit/second",
    "Gbps": "Gbit/second", "KB": "kB", "cards": "card", "nodes": "node", "tokens": "token",
    "requests": "request", "samples": "sample", "images": "image", "frames": "frame",
    "people": "person", "watt": "W", "m": "metre",
}  # fmt: skip

# Things that are counted. A profile may leave them out ("24 GiB" for GiB/card).
COUNTED = (
    "card",
    "node",
    "token",
    "request",
    "sample",
    "image",
    "frame",
    "person",
    "pixel",
    "step",
    "job",
    "file",
)

_FORM = re.compile(r"[A-Za-z]+(\^-?[1-9])?([*/][A-Za-z]+(\^-?[1-9])?)*")
_FACTOR = re.compile(r"([*/]?)([A-Za-z]+)(?:\^(-?[1-9]))?")
_SILENT = ("ratio", "count")  # dimensionless with scale 1: dropped from products


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    registry: Any = pint.UnitRegistry(None)
    for line in DEFINITIONS:
        registry.define(line)
    return registry


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Unit:
    dimension: dict[str, int] = {}
    scale = 1.0
    for sign, name, power in _FACTOR.findall(text):
        single, factor = shipped_table()["units"][name]
        exponent = int(power or 1) * (-1 if sign == "/" else 1)
        for _ in range(abs(exponent)):
            scale = scale * factor if exponent > 0 else scale / factor
        for base, times in single:
            dimension[base] = dimension.get(base, 0) + times * exponent
    kept = tuple(sorted((base, times) for base, times in dimension.items() if times))
    return Unit(text, kept, scale)


def by_registry(text: str) -> Unit:
    """A unit as pint understands it."""
    registry = _registry()
    quantity = registry.Quantity(1, registry.parse_units(text.replace("^", "**")))
    base = quantity.to_base_units()
    dimension = tuple(
        sorted((name.strip("[]"), int(power)) for name, power in base.dimensionality.items())
    )
    return Unit(text, dimension, float(base.magnitude))


def parse_unit(text: str, position: Position = NOWHERE) -> Unit:
    """The unit written as `GiB/card`, `USD/hour`, `TFLOP/second/card`.

    Raises ProblemError (B104) on a unit the registry does not have, naming the closest one.
    """
    cleaned = text.strip()
    if not _FORM.fullmatch(cleaned):
        raise ProblemError(
            Problem(
                "B104",
                f'"{text}" is not a unit',
                position,
                "unit names joined by * and /, such as GiB/card",
                "write `ratio` for a plain number",
            )
        )
    for name in re.findall(r"[A-Za-z]+", cleaned):
        if name not in NAMES:
            raise ProblemError(
                Problem(
                    "B104",
                    f'unknown unit "{name}" in "{text}"',
                    position,
                    "a unit of engine/language/units.py",
                    did_you_mean(name, NAMES),
                )
            )
    return _parsed(cleaned)


# ------------------------------------------------------------------ products, without pint


@lru_cache(maxsize=4096)
def _factors(symbol: str) -> tuple[tuple[str, int], ...]:
    found: dict[str, int] = {}
    for sign, name, power in _FACTOR.findall(symbol):
        if name not in _SILENT:
            exponent = int(power or 1) * (-1 if sign == "/" else 1)
            found[name] = found.get(name, 0) + exponent
    return tuple(found.items())


def _symbol(factors: dict[str, int]) -> str:
    above = [_powered(name, power) for name, power in factors.items() if power > 0]
    below = [_powered(name, -power) for name, power in factors.items() if power < 0]
    if not above and not below:
        return ""
    return "/".join(["*".join(above) or "ratio", *below])


def _powered(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"


@lru_cache(maxsize=16384)
def _product(left: Unit, right: Unit, sign: int) -> Unit:
    dimension = dict(left.dimension)
    for name, power in right.dimension:
        dimension[name] = dimension.get(name, 0) + sign * power
    factors = dict(_factors(left.symbol))
    for name, power in _factors(right.symbol):
        factors[name] = factors.get(name, 0) + sign * power
    scale = left.scale * right.scale if sign > 0 else left.scale / right.scale
    kept = tuple(sorted((name, power) for name, power in dimension.items() if power))
    return Unit(_symbol(factors), kept, scale)


def multiply(left: Unit, right: Unit) -> Unit:
    """The unit of a product; scales multiply."""
    if left == DIMENSIONLESS:
        return right
    if right == DIMENSIONLESS:
        return left
    return _product(left, right, 1)


def divide(left: Unit, right: Unit) -> Unit:
    """The unit of a quotient; scales divide."""
    if right == DIMENSIONLESS:
        return left
    return _product(left, right, -1)


def raised(unit: Unit, exponent: int) -> Unit:
    """The unit of a whole power."""
    result = DIMENSIONLESS
    for _ in range(abs(exponent)):
        result = multiply(result, unit) if exponent > 0 else divide(result, unit)
    return result


def root(unit: Unit) -> Unit | None:
    """The unit of a square root; None when an exponent is odd."""
    if any(power % 2 for _, power in unit.dimension):
        return None
    factors = _factors(unit.symbol)
    if any(power % 2 for _, power in factors):
        symbol = f"root of {unit.symbol}"
    else:
        symbol = _symbol({name: power // 2 for name, power in factors})
    halves = tuple((name, power // 2) for name, power in unit.dimension)
    return Unit(symbol, halves, math.sqrt(unit.scale))


# ------------------------------------------------------------------ the run-time table


def unit_table() -> dict[str, Any]:
    """Every unit name and alias as plain data, by the registry.

    {"units": {symbol: [[[dimension, exponent], …], scale]}, "counted": [dimension, …]}
    """
    units = {}
    for name in (*NAMES, *ALIASES):
        unit = by_registry(ALIASES.get(name, name))
        units[name] = [[list(pair) for pair in unit.dimension], unit.scale]
    return {"units": units, "counted": list(COUNTED)}


def table_text() -> str:
    """The text of unit_table.json."""
    table = unit_table()
    lines = [
        f"  {json.dumps(name, ensure_ascii=False)}: {json.dumps(entry)}"
        for name, entry in table["units"].items()
    ]
    body = ",\n".join(lines)
    return f'{{"units": {{\n{body}\n}},\n"counted": {json.dumps(table["counted"])}}}\n'


if __name__ == "__main__":
    Path(__file__).with_name("unit_table.json").write_text(table_text(), encoding="utf-8")
