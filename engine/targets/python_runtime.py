"""What generated Python calls at run time. Only the functions a module uses go into it."""

from __future__ import annotations

from collections.abc import Iterable

_HEAD = """import gc
from bisect import bisect_left, bisect_right
from collections import defaultdict
from math import inf, sqrt
from operator import itemgetter"""

_FUNCTIONS = {
    "power": """
def power_(x, n):
    if n < 1.0:
        return 1.0
    r = x
    for bit in bin(int(n))[3:]:
        r = r * r
        if bit == "1":
            r = r * x
    return r
""",
    "interpolate": """
def interpolate_(line, x):
    if line is None:
        return None
    xs, ys, slopes, below, above = line
    if x < xs[0]:
        return ys[0] if below else None
    if x >= xs[-1]:
        return ys[-1] if above or x == xs[-1] else None
    i = bisect_right(xs, x) - 1
    y = ys[i] + (x - xs[i]) * slopes[i]
    end = ys[i + 1]
    if end >= ys[i]:
        return y if y <= end else end
    return y if y >= end else end
""",
    "first_at_least": """
def first_at_least_(steps, x):
    i = bisect_left(steps, x)
    return steps[i] if i < len(steps) else None
""",
    "lookup": """
def lookup_(rows, index, key):
    found = index.get(key)
    return rows[found[0]] if found else None
""",
    "bisect": """
bisect_ = bisect_right
""",
    "steps": """
def steps_(start, stop, step):
    values = []
    count = 0
    while (value := start + count * step) <= stop:
        values.append(value)
        count += 1
    return values
""",
    "index": """
def index_(rows, positions):
    found = defaultdict(list)
    if len(positions) == 1:
        (a,) = positions
        for number, row in enumerate(rows):
            found[row[a]].append(number)
    elif len(positions) == 2:
        a, b = positions
        for number, row in enumerate(rows):
            found[row[a], row[b]].append(number)
    else:
        for number, row in enumerate(rows):
            found[tuple([row[p] for p in positions])].append(number)
    return found
""",
    "grouped": """
def grouped_(rows, positions):
    groups = defaultdict(list)
    for row in rows:
        groups[tuple([row[p] for p in positions])].append(row)
    return list(groups.items())
""",
    "row_numbers": """
def row_numbers_(rows):
    found = []
    while rows:
        low = rows & -rows
        found.append(low.bit_length() - 1)
        rows ^= low
    return found
""",
    "row_numbers_but": """
def row_numbers_but_(rows, other):
    return row_numbers_(rows & ~other)
""",
    "candidates": """
def candidates_(yes, possible):
    low = yes & -yes
    return row_numbers_(possible & (low - 1) | low)
""",
    "collected": """
def collected_(values):
    return None if None in values else tuple(values)
""",
    "collected_sum": """
def collected_sum_(values):
    total = 0.0
    for value in values:
        if value is None:
            return None
        total = total + value
    return total + 0.0
""",
    "collected_count": """
def collected_count_(values):
    return float(len(values))
""",
    "collected_min": """
def collected_min_(values):
    return None if not values or None in values else min(values) + 0.0
""",
    "collected_max": """
def collected_max_(values):
    return None if not values or None in values else max(values) + 0.0
""",
    "prioritised": """
def prioritised_(definite, maybe, outputs, orders):
    def rank(row):
        ranks = []
        for value, order in zip(outputs[row], orders):
            if value is None:
                ranks.append(-1)
            elif order is not None:
                ranks.append(order[value])
        return (*ranks, row)

    best = min(definite, key=rank)
    values = outputs[best]
    for row in maybe:
        if rank(row) < rank(best) and (None in values or outputs[row] != values):
            return (None,) * len(values)
    return values
""",
    "ranked": """
def ranked_(rows, kept, undecided, kinds, width, axes):
    if -1 in kinds:
        kept.sort(key=lambda entry: entry[width])
        for place in range(len(kinds) - 1, -1, -1):
            if kinds[place] == -1:
                kept.sort(
                    key=lambda entry: (entry[place] is not None, entry[place] or ""), reverse=True
                )
            else:
                kept.sort(key=lambda entry: entry[place])
    else:
        sort_(kept)
    order = [entry[width] for entry in kept]
    flags = front_([entry[width + 2 :] for entry in kept]) if axes else []
    return order, undecided, flags, rows[order[0]] if kept and kept[0][width + 1] else None
""",
    "sort": '''
def sort_(entries):
    """By the whole entry; most differ in the first item, and that alone sorts faster."""
    entries.sort(key=first_)
    start, last = 0, None
    for place, entry in enumerate(entries):
        if entry[0] != last:
            if place - start > 1:
                entries[start:place] = sorted(entries[start:place])
            start, last = place, entry[0]
    entries[start:] = sorted(entries[start:])


first_ = itemgetter(0)
''',
    "front": '''
def front_(points):
    """Whether no other point is at least as good on both axes and different."""
    flags = [False] * len(points)
    known = [n for n, (x, y) in enumerate(points) if x is not None and y is not None]
    known.sort(key=points.__getitem__)
    best = least = inf
    last = None
    for n in known:
        x, y = points[n]
        if x != last:
            best, last, least = min(best, least), x, y
        flags[n] = y == least and y < best
    return flags
''',
}

_NEEDS = {
    "row_numbers_but": ("row_numbers",),
    "candidates": ("row_numbers",),
    "ranked": ("front", "sort"),
}


def source(used: Iterable[str]) -> str:
    """The text of the functions used, and of what they need."""
    names = set(used)
    for name in sorted(names):
        names.update(_NEEDS.get(name, ()))
    texts = [text.strip() for name, text in _FUNCTIONS.items() if name in names]
    return "\n\n\n".join([_HEAD, *texts])
