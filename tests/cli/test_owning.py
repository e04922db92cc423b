"""What an answer prints of owning adds up: read from the text alone, to the cent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Run

SCENARIOS = ("worked-owning", "eight-cards-year-one", "worked-api", "worked-mix", "worked-storage")
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
    # Under a warranty the next line is the maintenance that the first year is spared.
    spared = said[6][0] if name == "worked-storage" else 0.0
    assert year_one == pytest.approx(purchase + 12 * monthly - spared, abs=0.005 * 40)
    assert len(purchase_lines) >= 1
    assert len(month_lines) >= 2


def bare_quote(tmp_path: Path, **stated: str) -> Path:
    """Eight cards at 240,000 of which nothing but the stated costs changes."""
    lines = (ROOT / "docs" / "scenarios" / "worked-owning.yaml").read_text(encoding="utf-8")
    kept = [
        line
        for line in lines.splitlines()
        if line.strip().partition(":")[0]
        not in ("spares_ratio", "maintenance_ratio_per_year", "disk_gb", "disk_price_per_gb_month")
    ]
    place = kept.index("costs:") + 1
    kept[place:place] = [f"  {name}: {value}" for name, value in stated.items()]
    path = tmp_path / "quote.yaml"
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    return path


def printed(run: Run, path: Path) -> str:
    return " ".join(" ".join(section(run("recommend", path).out, HEADINGS["en"])).split())


def test_storage_that_is_not_stated_is_a_dash_and_said_to_be_missing(
    run: Run, tmp_path: Path
) -> None:
    for stated in ({}, {"disk_gb": "20000"}, {"disk_price_per_gb_month": "0.05"}):
        text = printed(run, bare_quote(tmp_path, **stated))
        assert " storage – " in text
        assert "storage is not included, because size or price" in text


def test_failed_cards_nobody_replaces_are_bounded_and_not_added(run: Run, tmp_path: Path) -> None:
    # 240,000 dollars of cards x 256 stops / (16,384 cards x 54 days) x 365 days / 12 months.
    bound = 240_000 * 256 / 16_384 / 54 * 365 / 12
    text = printed(run, bare_quote(tmp_path, maintenance_ratio_per_year="0"))
    found = re.search(r"exchange of failed cards, at most ([\d,.]+) a month", text)
    assert found is not None
    assert amounts(found[1]) == [pytest.approx(bound, rel=0.005)]
    # Spares for half of the cards over four years bear more than a tenth of them a year.
    covered = {"maintenance_ratio_per_year": "0", "spares_ratio": "0.5"}
    for stated in ({"maintenance_ratio_per_year": "0.08"}, covered):
        assert "at most" not in printed(run, bare_quote(tmp_path, **stated))


def amount_of(text: str, line: str) -> float:
    found = re.search(rf"{line}[^\d]*([\d,]+\.\d\d)", text)
    assert found is not None, line
    return amounts(found[1])[0]


def test_storage_that_is_bought_is_part_of_the_purchase_and_written_off(
    run: Run, tmp_path: Path
) -> None:
    without = printed(run, bare_quote(tmp_path, maintenance_ratio_per_year="0.08"))
    text = printed(
        run, bare_quote(tmp_path, maintenance_ratio_per_year="0.08", storage_price="48000")
    )
    more = {
        "Purchase:": 48_000,
        " maintenance": 48_000 * 0.08 / 12,
    }
    for line, expected in more.items():
        found = amount_of(text, line) - amount_of(without, line)
        assert found == pytest.approx(expected, abs=0.011), line
    share = 48_000 / amount_of(without, "Purchase:")
    before = amount_of(without, "write-off with interest")
    found = amount_of(text, "write-off with interest") / before
    assert found == pytest.approx(1 + share, rel=1e-5)
    first = amount_of(text, "Cash of the first year:") - amount_of(
        without, "Cash of the first year:"
    )
    assert first == pytest.approx(48_000 * 1.08, abs=0.02)
    assert "Per used card-hour, with storage" in text
    assert "storage is not included, because" not in text


def test_a_warranty_pays_maintenance_while_it_lasts(run: Run, tmp_path: Path) -> None:
    # Written off over the stated four years: three of them under warranty leave a quarter.
    without = printed(run, bare_quote(tmp_path, maintenance_ratio_per_year="0.08"))
    text = printed(run, bare_quote(tmp_path, maintenance_ratio_per_year="0.08", warranty_years="3"))
    before = amount_of(without, " maintenance")
    assert amount_of(text, " maintenance") == pytest.approx(before / 4, abs=0.011)
    # None of it falls into the first year: the average of it is taken off again.
    spared = amount_of(text, "Already taken off it:")
    assert spared == pytest.approx(before / 4 * 12, abs=0.06)
    first = amount_of(without, "Cash of the first year:") - amount_of(
        text, "Cash of the first year:"
    )
    assert first == pytest.approx(before * 12, abs=0.06)
    bound = printed(run, bare_quote(tmp_path, maintenance_ratio_per_year="0"))
    under = printed(run, bare_quote(tmp_path, maintenance_ratio_per_year="0", warranty_years="3"))
    line = "exchange of failed cards, at most"
    assert amount_of(under, line) == pytest.approx(amount_of(bound, line) / 4, abs=0.011)


def test_a_warranty_that_ends_within_the_first_year_spares_no_negative_sum(
    run: Run, tmp_path: Path
) -> None:
    # Six months of work, three under warranty: half of them pay maintenance, and three quarters of
    # the twelve months of the first year's cash.
    path = bare_quote(tmp_path, maintenance_ratio_per_year="0.08", warranty_years="0.25")
    stated = path.read_text(encoding="utf-8").replace("months: 48", "months: 6")
    path.write_text(stated, encoding="utf-8")
    text = printed(run, path)
    assert "Already taken off it" not in text
    whole = amount_of(text, "Purchase:") * 0.08
    assert amount_of(text, " maintenance") == pytest.approx(whole / 2 / 12, abs=0.011)
    added = amount_of(text, "Already added to it:")
    assert added == pytest.approx(whole / 4, abs=0.02)
    parts = (amount_of(text, line) for line in ("Fixed cost of a month", "Energy while in use"))
    monthly = sum(parts) - amount_of(text, "write-off with interest")
    first = amount_of(text, "Cash of the first year:")
    expected = amount_of(text, "Purchase:") + 12 * monthly + added
    assert first == pytest.approx(expected, abs=0.2)


@pytest.mark.parametrize("language", HEADINGS)
@pytest.mark.parametrize("name", ["nightly-batch-on-spot", "weeks-of-training"])
def test_owning_is_laid_open_where_nobody_stated_a_price(
    run: Run, name: str, language: str
) -> None:
    """The card, the date of its price, and the used card-hour from what is printed before it."""
    path = ROOT / "docs" / "examples" / f"{name}.yaml"
    text = run("recommend", path, "--lang", language).out
    flat = re.sub(r"\s+", " ", " ".join(section(text, HEADINGS[language])))
    assert re.search(r"\d{4}-\d{2}-\d{2}", flat)
    fixed = re.search(r"(?:used or not|无论是否使用）?)[:：] ?([\d,]+\.\d\d)", flat)
    used = re.search(
        r"(?:Per used card-hour|每使用一卡时)[:：] ?([\d,.]+\d)\D+(\d+) × 730 \D+([\d.]+)%"
        r"\D+([\d.]+\d)",
        flat,
    )
    assert fixed and used
    month = float(fixed[1].replace(",", ""))
    hour, cards, percent, energy = (float(one.replace(",", "")) for one in used.groups())
    assert hour == pytest.approx(month / (cards * 730 * percent / 100) + energy, rel=1e-3)


def test_no_range_is_printed_between_equal_amounts(run: Run) -> None:
    text = run("recommend", ROOT / "docs" / "examples" / "nightly-batch-on-spot.yaml").out
    assert "At the price others" in text
    flat = " ".join(text.split())
    assert not re.search(r"(?<![\d.])([\d,]+\.\d\d) to \1(?![\d.])", flat)
    # 21.51 a month at least, over twelve of them.
    assert "258.12 to 328.52 over 12 months" in flat
