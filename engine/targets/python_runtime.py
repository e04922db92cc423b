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
    bits = bits_.get(n)
    if bits is None:
        bits = bits_[n] = [bit == "1" for bit in bin(int(n))[3:]]
    r = x
    for bit in bits:
        r = r * r
        if bit:
            r = r * x
    return r


bits_ = {}  # of each exponent met, below the top bit
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
    "view": """
class view_:
    def __init__(self, whole, places, rows, reads, together):
        self.whole, self.places, self.rows, self.reads = whole, places, rows, reads
        self.made = {}
        self.together = together

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, number):
        return row_(self, range(len(self.rows))[number], self.rows[number])

    def __iter__(self):
        for number, row in enumerate(self.rows):
            yield row_(self, number, row)

    def row(self, number):
        if number not in self.made:
            if self.together:
                self.made.update(enumerate(self.list()))
            else:
                (self.made[number],) = self.whole((self.rows[number],), *self.reads)
        return self.made[number]

    def cells(self, *places):
        held = [self.places[place] for place in places]
        if None in held:
            return map(itemgetter(*places), self.list())
        return map(itemgetter(*held), self.rows)

    def list(self):
        return self.whole(self.rows, *self.reads)


class row_:
    __slots__ = ("number", "row", "view")

    def __init__(self, view, number, row):
        self.view, self.number, self.row = view, number, row

    def __len__(self):
        return len(self.view.places)

    def __getitem__(self, place):
        held = self.view.places[place]
        if place.__class__ is slice:
            return tuple([self[one] for one in range(len(self))[place]])
        return self.view.row(self.number)[place] if held is None else self.row[held]
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
    if len(positions) == 1:
        (a,) = positions
        for row in rows:
            groups[row[a],].append(row)
    else:
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
def ranked_(rows, kept, undecided, kinds, by, axes):
    width = len(kinds)
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
        kept.sort()
    order = [entry[width] for entry in kept]
    flags = front_([entry[width + 1 :] for entry in kept]) if axes else []
    best = None
    if kept and by is not None:
        # What stands for unknown sorts last: infinity, the last of texts, nothing.
        if not any(key is None or key == inf or key == "\U0010ffff" for key in kept[0][:by]):
            best = rows[order[0]]
    return order, undecided, flags, best
""",
    "front": '''
def front_(points):
    """Whether no other point is at least as good on both axes and different."""
    flags = [False] * len(points)
    known = [(x, y, n) for n, (x, y) in enumerate(points) if x is not None and y is not None]
    if known:
        # Most points are beaten by a single good one; only the others need sorting.
        px, py, _ = min(known, key=lambda point: point[0] * point[1])
        known = [p for p in known if p[0] < px or p[1] < py or (p[0] == px and p[1] == py)]
        known.sort()
    best = least = inf
    last = None
    for x, y, n in known:
        if x != last:
            best, last, least = min(best, least), x, y
        flags[n] = y == least and y < best
    return flags
''',
}

_NEEDS = {
    "row_numbers_but": ("row_numbers",),
    "candidates": ("row_numbers",),
    "ranked": ("front",),
}


def source(used: Iterable[str]) -> str:
    """The text of the functions used, and of what they need."""
    names = set(used)
    for name in sorted(names):
        names.update(_NEEDS.get(name, ()))
    texts = [text.strip() for name, text in _FUNCTIONS.items() if name in names]
    return "\n\n\n".join([_HEAD, *texts])
