"""What an answer prints of owning adds up: read from the text alone, to the cent."""

from __future__ import annotations

import re

import pytest

from tests.cli.conftest import ROOT, Run

SCENARIOS = ("worked-owning", "eight-cards-year-one", "worked-api", "worked-mix")
HEADINGS = {"en": "Owning, line by line", "zh": "自有成本逐项"}
_AMOUNT = re.compile(r"-?[\d,]+\.\d\d")


def section(text: str, heading: str) -> list[str]:
    lines = text.splitlines()
    start = lines.index(heading)
    end = next(place for place in range(start, len(lines)) if not lines[place].strip())
    return lines[start + 1 : end]


def amounts(text: str) -> list[float]:
    return [float(one.replace(",", "")) for one in _AMOUNT.findall(text)]


@pytest.mark.parametrize("language", HEADINGS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_the_printed_lines_add_up_to_the_printed_totals(run: Run, name: str, language: str) -> None:
    path = ROOT / "docs" / "scenarios" / f"{name}.yaml"
    text = run("recommend", path, "--lang", language).out
    parts: list[list[float]] = [[]]
    for line in section(text, HEADINGS[language]):
        if line.lstrip().startswith("-"):
            parts.append(amounts(line))
            parts.append([])
        else:
            parts[-1] += amounts(line)
    said = [part for part in parts if part]
    purchase_lines, (purchase,), month_lines, (fixed, idle), (energy,), (year_one,) = said[:6]
    assert sum(purchase_lines) == pytest.approx(purchase, abs=0.005 * (len(purchase_lines) + 1))
    assert sum(month_lines) == pytest.approx(fixed, abs=0.005 * (len(month_lines) + 1))
    assert 0 <= idle <= fixed
    # The write-off is the first line of a month.
    monthly = fixed - month_lines[0] + energy
    assert year_one == pytest.approx(purchase + 12 * monthly, abs=0.005 * 40)
    assert len(purchase_lines) >= 1
    assert len(month_lines) >= 2
