"""The reference evaluator: small, readable, slow — what the language means.

Every other target must give the same answers bit for bit. The rules they all follow:

Values
    A value is a float (IEEE binary64), a bool, a str or unknown (None in a target's result; here
    an `UnknownValue` with its causes). Booleans are no numbers. Integers, dates (whole days
    since 1970-01-01) and fields of list facts are floats; a field of None is unknown.

Numbers
    Evaluated left to right exactly as the tree stands: no reassociation, no fused operations, no
    multiplication by a reciprocal, no constant folding that rounds differently. Zero has no
    sign: `+ 0.0` at each output (decision output, relation column, derived or default fact,
    result of a collect aggregate). Equality of values is that of IEEE (0.0 = -0.0).
    `a / 0` cannot be built; the defensive answer is unknown. `min(a, b, c)`, `max`: fold from
    the left, replacing on strictly less (greater). `floor`, `ceiling`, `sqrt`, `abs`: as in IEEE.
    `power(x, n)`: r = 1.0; for bit 12 down to bit 0 of n: r = r*r; if the bit is set r = r*x.
    `round_half_up(x, places)`: floor(x * 10^places + 0.5) / 10^places.
    `interpolate`: with points (x0,y0)…: below the first or above the last point `hold` gives
    that point's y and `refuse` unknown; at the last point its y; else in the segment with
    x0 <= x < x1: y = y0 + (x - x0) * s, s = (y1 - y0) / (x1 - x0) folded at build; then not
    past the far end: y1 >= y0 ? min(y, y1) : max(y, y1). A key without a curve: unknown.
    `first_at_least(ladder, x)`: lowest step >= x; above the last: unknown.

Unknown
    Arithmetic, comparison and functions of an unknown value are unknown — `power(unknown, 0)`,
    `min(unknown, 1)` and `unknown = unknown` too. `and`, `or`, `not`: Kleene. `if` with an
    unknown condition: both branches known and equal → that value, else unknown.
    `known(column)` is whether the cell is there. `lookup(table, key).column`: a miss or an
    empty cell is unknown.

Cells (also `in`, `between`)
    No tests (`-`): true, whatever the subject. Else Kleene `or` over the tests (`not` of it when
    negated): `equals` subject = low; `compare` subject <operator> low; `range` the Kleene `and`
    of subject >= low (> when open) and subject <= high (< when open). An unknown subject makes
    every such cell unknown.

Tables
    A row with a false cell is out; else with an unknown cell it is maybe; else definite.
    `otherwise` is one more row that always matches, after all others, and only when no row is
    definite. `then: unknown` gives unknown for every output. An unknown output equals nothing.
    first, unique, any: candidates = the maybe rows before the first definite row, then that
        row (or `otherwise`; without either, just the maybe rows). Output by output: all
        candidates known and equal → that value, else unknown.
    priority: a row's rank = for each output with closed values the index of its value there
        (an unknown output: -1, it outranks everything), compared output by output; equal ranks:
        the earlier row. The best definite row answers, unless a maybe row that outranks it
        differs in some output (for one output: has a lower index or is unknown): then every
        output is unknown. No definite row: as above, over maybe rows and `otherwise`.
    collect: any maybe row → unknown. Else the definite rows in order; none and `otherwise` →
        that row alone (with an aggregate: its value as it stands, in place of the aggregate's).
        Without aggregate the value is a tuple (unknown if an element is). `sum`
        from 0.0 left to right, `count` as a number, `min`, `max` (none: unknown); an unknown
        element makes sum, min, max unknown, `count` counts it.
    No candidate at all (a table that is not total): unknown.

Facts
    Given, else derived if that is known, else the default, else unknown. A list fact is given,
    else its default (or no rows); a list fact without default that is missing makes whatever
    reads it unknown (a relation over it: None in the result, and its rankings too).

Relations
    Rows are the cross product of the sources in order, the last fastest, that pass every
    `where`. `on`: only rows of the source whose column equals the tree; an unknown on either
    side matches nothing; `optional` and nothing matched: one row, all of its columns unknown,
    row number None. `steps`: value i = start + i * step (computed so, not summed) while not above
    stop; step > 0. `group`: rows of the relation with equal `by` values (unknown is a value of
    its own here), in order of first appearance; `members` are its rows in order. A `where`
    that is unknown is an error of the book.

Aggregates
    Rows in order. `where` false: skipped. count, sum, min, max: unknown when some `where` is, or
    some result of a row whose `where` is true. sum starts at 0.0; empty sum and count are 0,
    empty min and max unknown. any = Kleene `or` over rows of (where and result), every = Kleene
    `and` over rows of (not where or result). min, max: as the functions.

Rankings
    `keep` unknown: the row is undecided (relation order), false: dropped. Order: by each `by` in
    turn, unknown last in either direction, ties by the relation's key texts ascending (ASCII,
    unknown last), then by row number. Texts order by code point, false before true.
    `pareto`: smaller is better; one flag per ordered row, [] when the ranking has none.
    `best(ranking).column`: that column of the first ordered row; unknown without one, or when
    any of that row's `by` values is unknown.

Advice
    Each row True, False or unknown (None) as its cells say; nothing hides another row.
"""

from engine.reference.evaluator import Reference
from engine.reference.trace import TraceNode
from engine.reference.values import Cause, UnknownValue

__all__ = ["Cause", "Reference", "TraceNode", "UnknownValue"]
