"""What a rule book is made of, typed and resolved.

Everything here is plain frozen data. `book.load` builds it, the checker proves things about it,
the targets compile it, the reference evaluator runs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from engine.language.frozen import factory, frozen
from engine.language.problems import NOWHERE, Position

if TYPE_CHECKING:  # a run that only reads facts and tables does without the trees
    from engine.language.tree import Cell, Node
    from engine.language.types import Type


@frozen
class Text:
    """One text in both languages.

    `en`, `zh` may hold placeholders `{name}` of values in scope; `reads` maps each placeholder
    to its typed tree (Fact, Parameter, DecisionValue or Column).
    """

    en: str = ""
    zh: str = ""
    reads: tuple[tuple[str, Node], ...] = ()

    def in_language(self, language: str) -> str:
        return self.zh if language == "zh" else self.en


@frozen
class Unknown:
    """`then: unknown`: the row says that nothing can be said; `asks` are fact paths."""

    asks: tuple[str, ...] = ()


# ---------------------------------------------------------------- facts and parameters

LIST_KINDS = frozenset(("list", "records", "distribution"))  # of facts that hold rows


@frozen
class Field:
    """One field of the records of a list fact; `key_of` as in `Fact`; `date`: whole days."""

    name: str
    type: Type
    label: Text = Text()
    key_of: str = ""
    date: bool = False


@frozen(in_parts=True)
class Fact:
    """A fact of the profile.

    `kind`: number, integer, boolean, enumeration, text, date (stored as whole days since
    1970-01-01), key (an id of catalog table `key_of`, aliases resolved at the door), records,
    list (of enumeration or text; records with the one field `value`), distribution (records
    `gpus`/`hours`-like with the fields declared). A list that is neither asked nor optional is
    empty when absent (`default` stays None); the `type` of a list says only if it is nullable.
    A fact that is absent takes `derive` (facts that follow from other facts or from the
    catalog), else `default` (an assumption, listed), else is missing. `asked` facts have no
    `default`. `optional` facts have neither: their absence means "not stated" and `known(fact)`
    may test it (a budget, a machine to evaluate, an own price). A text, or each of a list, is one
    that stands in a catalog column of `found_in` (table, number of the column) or has the form of
    `pattern`; free when both are empty.
    """

    path: str
    kind: str
    type: Type
    asked: bool = False
    optional: bool = False
    default: Node | None = None
    derive: Node | None = None
    because: Text = Text()
    label: Text = Text()
    help: Text = Text()
    key_of: str = ""
    fields: tuple[Field, ...] = ()
    max_rows: int = 0
    relevant: Node | None = None
    source: tuple[str, ...] = ()
    position: Position = NOWHERE
    found_in: tuple[tuple[str, int], ...] = ()
    pattern: str = ""

    @property
    def is_list(self) -> bool:
        """Whether it holds rows rather than one value."""
        return self.kind in LIST_KINDS


@frozen(in_parts=True)
class Parameter:
    """A named constant with its range; `type` holds unit and allowed interval or values.

    `steps`: an ascending ladder for `first_at_least` instead of a single value; not a run-time
    input.
    """

    id: str
    value: float | bool | str
    type: Type
    title: Text = Text()
    steps: tuple[float, ...] = ()
    at_most: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    as_of: str = ""
    review_by: str = ""
    rationale: Text = Text()
    position: Position = NOWHERE


# ---------------------------------------------------------------- decisions


@frozen
class Formula:
    expression: Node


@frozen(in_parts=True)
class Row:
    """A table row. `then`: one tree per output, or Unknown for all of them."""

    id: str
    when: tuple[Cell, ...]
    then: tuple[Node, ...] | Unknown
    because: Text = Text()
    source: tuple[str, ...] = ()
    position: Position = NOWHERE


@frozen(in_parts=True)
class Output:
    """One output of a table; `name` "" when it is the only one."""

    name: str
    type: Type


@frozen(in_parts=True)
class Table:
    """A decision table.

    `hit`: unique, first, any, priority, collect. `aggregate`: "", sum, min, max, count (collect
    only). `otherwise`: outputs when no row matches; None: proven total.
    """

    hit: Literal["unique", "first", "any", "priority", "collect"]
    inputs: tuple[Node, ...]
    outputs: tuple[Output, ...]
    rows: tuple[Row, ...]
    otherwise: Row | None = None
    aggregate: Literal["", "sum", "min", "max", "count"] = ""

    @property
    def every_row(self) -> tuple[Row, ...]:
        """The rows, then `otherwise` where there is one."""
        return self.rows if self.otherwise is None else (*self.rows, self.otherwise)


@frozen
class Curve:
    """Piecewise linear; not evaluated itself, used by `interpolate`.

    `segments` maps each key ("" when unkeyed) to its points (x, y), x strictly ascending, at
    least two. Below the first and above the last point: `hold` the end value or `refuse`
    (unknown). Keys with several enums are written joined with "|" in the order of `key_values`.
    """

    segments: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    below: Literal["hold", "refuse"]
    above: Literal["hold", "refuse"]
    x_type: Type
    y_type: Type
    key_values: tuple[str, ...] = ()


@frozen
class Example:
    """`given`: facts by dotted path; `assume`: decisions, columns or parameters by name.

    Values are in the form the targets take (numbers float, dates days, list facts lists of tuples
    in field order), None is unknown. Names of `assume` are resolved: full decision id (with
    `.output`), parameter id, column of the enclosing relation, `alias.column`, fact path.
    `expect` is a dict by output for several outputs, a list for a collected list.
    """

    name: str
    given: Mapping[str, Any]
    assume: Mapping[str, Any]
    expect: Any
    within: float = 0.0
    row: str = ""
    asks: tuple[str, ...] | None = None
    position: Position = NOWHERE


@frozen(in_parts=True)
class Decision:
    """A named value. `id` is full (`needs.memory.weights`); in a relation it is the column name.

    `type` is that of the first output (see `outputs` for all). `bounds`: the declared
    range to be proven.
    """

    id: str
    body: Formula | Table | Curve
    type: Type
    title: Text = Text()
    because: Text = Text()
    bounds: tuple[float, float] | None = None
    increasing: tuple[str, ...] = ()
    decreasing: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    basis: str = ""
    examples: tuple[Example, ...] = ()
    as_of: str = ""
    review_by: str = ""
    position: Position = NOWHERE

    @property
    def output_names(self) -> tuple[str, ...]:
        """As of `outputs`."""
        if isinstance(self.body, Table):
            return tuple([one.name for one in self.body.outputs])
        return () if isinstance(self.body, Curve) else ("",)

    @property
    def outputs(self) -> dict[str, Type]:
        """The type of each output by its name: "" when there is one; none of a curve."""
        if isinstance(self.body, Table):
            return {one.name: one.type for one in self.body.outputs}
        return {} if isinstance(self.body, Curve) else {"": self.type}


# ---------------------------------------------------------------- relations and rankings


@frozen
class Source:
    """One source of a relation.

    `kind`: table (catalog table `name`), relation (full id `name`), fact (list fact path
    `name`), steps (numbers `start`, `start + step`, … not above `stop`; one column `value`),
    group (distinct `by` columns of relation `name`, first appearance order).
    `on`: pairs (column of this source, tree over earlier aliases) that must be equal: a join.
    `optional`: with `on`, when nothing matches one row with every column unknown stands in.
    """

    alias: str
    kind: Literal["table", "relation", "fact", "steps", "group"]
    name: str = ""
    on: tuple[tuple[str, Node], ...] = ()
    optional: bool = False
    start: Node | None = None
    stop: Node | None = None
    step: Node | None = None
    by: tuple[str, ...] = ()


@frozen
class RelationColumn:
    """A per-row decision with the number of leading sources it needs (0: none, hoist it)."""

    decision: Decision
    level: int


@frozen
class Relation:
    """Rows = cross product of `sources` (the last runs fastest) that satisfy every `where`.

    `where` holds (tree, level) pairs, never nullable, that read sources and columns of that
    level at most. `columns` are in dependency order. `key` names the texts that identify a row.
    """

    id: str
    sources: tuple[Source, ...]
    where: tuple[tuple[Node, int], ...]
    columns: tuple[RelationColumn, ...]
    key: tuple[Node, ...]
    max_rows: int
    title: Text = Text()
    position: Position = NOWHERE


@frozen
class Ranking:
    """Order of the kept rows of a relation.

    `keep`: None keeps all; rows where it is unknown are undecided. `by`: (tree, descending),
    unknown last, ties by the relation's key. `pareto`: two trees, smaller is better; a kept row
    is on the front when no other kept row is at least as good in both and better in one; a row
    with an unknown axis is not.
    """

    id: str
    relation: str
    keep: Node | None
    by: tuple[tuple[Node, bool], ...]
    pareto: tuple[Node, Node] | None = None
    title: Text = Text()
    position: Position = NOWHERE


# ---------------------------------------------------------------- advice


@frozen(in_parts=True)
class AdviceRow:
    id: str
    when: tuple[Cell, ...]
    verdict: Literal["ok", "warn", "deny", "ask"]
    severity: str
    message: Text
    remedy: Text = Text()
    source: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    position: Position = NOWHERE


@frozen
class Advice:
    """A `collect` table of findings; a maybe row becomes an `ask`."""

    id: str
    inputs: tuple[Node, ...]
    rows: tuple[AdviceRow, ...]
    title: Text = Text()
    position: Position = NOWHERE


# ---------------------------------------------------------------- catalog


@frozen(in_parts=True)
class TableColumn:
    name: str
    type: Type
    label: Text = Text()
    date: bool = False


@frozen
class TableSchema:
    """A catalog table as the rules see it; `key` is its unique text column, `max_rows` a bound."""

    name: str
    key: str
    columns: tuple[TableColumn, ...]
    max_rows: int
    title: Text = Text()

    def column(self, name: str) -> TableColumn | None:
        return next((column for column in self.columns if column.name == name), None)


@frozen
class TableData:
    """Rows of a catalog table in the order of its schema's columns; missing is None.

    Numbers are floats, dates whole days since 1970-01-01, `aliases` map other names to keys.
    `flags` maps a key to {column: status} for figures that are not confirmed (`conflict`,
    `confirmed_with_conflict`, `unseen`); their values count, and reports show the status.
    """

    rows: tuple[tuple[float | bool | str | None, ...], ...]
    aliases: Mapping[str, str] = factory(default_factory=dict)
    flags: Mapping[str, Mapping[str, str]] = factory(default_factory=dict)


@frozen
class Catalog:
    tables: Mapping[str, TableData]
    digest: str
    newest: int
    oldest: int


# ---------------------------------------------------------------- the book


@frozen
class Book:
    """A whole rule book.

    `order`: every fact with a default or derivation, decision, advice, relation and ranking in
    dependency order, as (kind, id) with kind in fact, decision, advice, relation, ranking.
    `report` is the plain content of rules/report.yaml, `validation` that of the files under
    rules/validation/ by name: which decision stands for which published measurement.
    """

    version: str
    digest: str
    facts: Mapping[str, Fact]
    parameters: Mapping[str, Parameter]
    decisions: Mapping[str, Decision]
    relations: Mapping[str, Relation]
    rankings: Mapping[str, Ranking]
    advice: Mapping[str, Advice]
    tables: Mapping[str, TableSchema]
    order: tuple[tuple[str, str], ...]
    sources: Mapping[str, Mapping[str, Any]]
    report: Mapping[str, Any]
    titles: Mapping[str, Text]
    validation: Mapping[str, Any] = factory(default_factory=dict)
