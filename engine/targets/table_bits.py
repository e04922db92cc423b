"""The answer of a decision table while some input is missing, from bit sets of rows.

`yes` is the set of rows that certainly hold, `possible` that of the rows that are not out.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.book.model import Row, Table, Unknown
from engine.language import tree
from engine.targets import masks
from engine.targets.conditions import cell_holds
from engine.targets.emit import Emitter
from engine.targets.expressions import output
from engine.targets.statements import Assign, If, Return, Statement
from engine.targets.values import ATOM, Value


def row_values(emitter: Emitter, table: Table, row: Row) -> list[Value]:
    """The outputs of a row; `then: unknown` leaves all of them unknown."""
    if isinstance(row.then, Unknown):
        return [emitter.unknown()] * len(table.outputs)
    return [output(emitter, node) for node in row.then]


def returned(emitter: Emitter, outputs: Sequence[Value]) -> str:
    """What a function with these outputs returns."""
    texts = [emitter.full(value) for value in outputs]
    return texts[0] if len(texts) == 1 else emitter.syntax.listed(texts)


def collected(emitter: Emitter, table: Table, lists: Sequence[str]) -> list[Value]:
    """The collected outputs, with `otherwise` when no row held."""
    syntax = emitter.syntax
    names = [emitter.fresh() for _ in table.outputs]
    function = emitter.module.runtime(
        f"collected_{table.aggregate}" if table.aggregate else "collected"
    )
    body: list[Statement] = [
        Assign(name, f"{function}({items})") for name, items in zip(names, lists, strict=True)
    ]
    if table.otherwise is not None:
        with emitter.branch() as other:
            for name, value in zip(names, row_values(emitter, table, table.otherwise), strict=True):
                code = emitter.full(value)
                if not table.aggregate:
                    code = f"{function}({syntax.mutable([code])})"
                other.append(Assign(name, code))
        body = [If(syntax.not_empty(lists[0]), body, other)]
    emitter.out.extend(body)
    return [Value(name, (name,), ATOM, stored=True) for name in names]


class BitSetWriter:
    """Writes a function body that judges every row at once."""

    def __init__(
        self, emitter: Emitter, table: Table, label: str, subjects: dict[int, Value]
    ) -> None:
        self.emitter, self.syntax, self.table = emitter, emitter.syntax, table
        self.label, self.subjects = label, subjects
        self.rows = list(table.rows)
        # `otherwise` is one more row that always holds, after all others.
        self.last = table.otherwise is not None and table.hit in ("first", "unique", "any")
        self.size = len(self.rows) + self.last
        bits = self.syntax.word_bits
        self.count = 1 if bits == 0 else max(1, -(-self.size // bits))

    def write(self) -> None:
        emitter = self.emitter
        self.yes = [emitter.fresh("y") for _ in range(self.count)]
        self.possible = [emitter.fresh("p") for _ in range(self.count)]
        all_rows = self._words((1 << self.size) - 1)
        for names in (self.yes, self.possible):
            for name, word in zip(names, all_rows, strict=True):
                emitter.out.append(Assign(name, str(word)))
        for index, subject in self.subjects.items():
            self._column(subject, [row.when[index] for row in self.rows], index)
        settle = {"collect": self._collect, "priority": self._priority}
        settle.get(self.table.hit, self._first)()

    def _words(self, mask: int) -> list[int]:
        return masks.words(mask, self.syntax.word_bits, self.count)

    def _column(self, subject: Value, cells: Sequence[tree.Cell], index: int) -> None:
        node = self.table.inputs[index]
        kind = node.type.kind if node.type is not None else "text"
        column = masks.column(cells, kind)
        extra = (1 << len(self.rows)) if self.last else 0
        if column.tested:
            self._tested_column(subject, cells, column, extra)
            return
        names = [self.emitter.fresh("m") for _ in range(self.count)]
        known = [] if subject.unknown else self._accepting(subject, column, names, extra)
        known += [*self._narrow(self.yes, names), *self._narrow(self.possible, names)]
        # Missing: only `-` surely holds, and nothing is out.
        dash = [str(word) for word in self._words(column.dash | extra)]
        self._if_known(subject, known, self._narrow(self.yes, dash))

    @staticmethod
    def _narrow(targets: Sequence[str], others: Sequence[str]) -> list[Statement]:
        return [
            Assign(target, f"{target} & {other}")
            for target, other in zip(targets, others, strict=True)
        ]

    def _if_known(self, subject: Value, known: list[Statement], missing: list[Statement]) -> None:
        out = self.emitter.out
        if subject.unknown:
            out.extend(missing)
        elif self.emitter.open_nulls(subject):
            out.append(If(self.syntax.not_null(subject.code), known, missing))
        else:
            out.extend(known)

    def _tested_column(
        self, subject: Value, cells: Sequence[tree.Cell], column: masks.Column, extra: int
    ) -> None:
        """A column in which some cells hold more than literals."""
        emitter = self.emitter
        sure = [emitter.fresh("m") for _ in range(self.count)]
        maybe = [emitter.fresh("m") for _ in range(self.count)]
        known = [] if subject.unknown else self._accepting(subject, column, sure, extra)
        known += [Assign(b, a) for a, b in zip(sure, maybe, strict=True)]
        tested = sum(1 << row for row in column.tested)
        dash = self._words(column.dash | extra)
        rest = self._words(((1 << self.size) - 1) & ~tested)
        missing: list[Statement] = [
            *(Assign(name, str(word)) for name, word in zip(sure, dash, strict=True)),
            *(Assign(name, str(word)) for name, word in zip(maybe, rest, strict=True)),
        ]
        self._if_known(subject, known, missing)
        for row in column.tested:
            self._test(subject, cells[row], row, sure, maybe)
        emitter.out.extend([*self._narrow(self.yes, sure), *self._narrow(self.possible, maybe)])

    def _accepting(
        self, subject: Value, column: masks.Column, names: Sequence[str], extra: int
    ) -> list[Statement]:
        """Assigns the rows with literal cells that accept a known value."""
        syntax, module = self.syntax, self.emitter.module
        if not column.literal:
            mask = column.regions[0] if column.regions else column.others
            words = self._words(mask | extra)
            return [Assign(name, str(word)) for name, word in zip(names, words, strict=True)]
        if column.regions:
            region = self.emitter.fresh("k")
            cuts = module.constant(syntax.listed([syntax.literal(cut) for cut in column.cuts]))
            place = f"{module.runtime('bisect')}({cuts}, {subject.code})"
            statements: list[Statement] = [Assign(region, place)]
            by_word = zip(*(self._words(mask | extra) for mask in column.regions), strict=True)
            for name, column_words in zip(names, by_word, strict=True):
                table = module.constant(syntax.listed([str(mask) for mask in column_words]))
                statements.append(Assign(name, f"{table}[{region}]"))
            return statements
        statements = []
        others = self._words(column.others | extra)
        codes = [(value, self._words(mask | extra)) for value, mask in column.codes]
        for word, name in enumerate(names):
            pairs = [(value, str(masks_[word])) for value, masks_ in codes]
            table = module.constant(syntax.masks_by_value(pairs))
            code = syntax.masked(table, subject.code, str(others[word]))
            statements.append(Assign(name, code))
        return statements

    def _test(
        self,
        subject: Value,
        cell: tree.Cell,
        row: int,
        names: Sequence[str],
        maybe: Sequence[str],
    ) -> None:
        """A cell with more than literals, judged on its own."""
        emitter, syntax = self.emitter, self.syntax
        held = emitter.bind(cell_holds(emitter, subject, cell))
        bits = syntax.word_bits
        word, bit = divmod(row, bits) if bits else (0, row)
        for name, test in ((names[word], syntax.is_true), (maybe[word], syntax.not_false)):
            add: list[Statement] = [Assign(name, f"{name} | {1 << bit}")]
            emitter.out.append(If(test(held.code), add))

    # ------------------------------------------------------------ what the hit policy makes of it

    def _numbers(self, function: str, *sets: Sequence[str]) -> str:
        """A run-time function of bit sets that gives row numbers."""
        name = self.emitter.module.runtime(function)
        return f"{name}({', '.join(self.syntax.word_list(words) for words in sets)})"

    def _first(self) -> None:
        """Every candidate must agree, output by output."""
        counted = self.emitter.module.marks is not None
        if self.syntax.word_bits == 0 and self._literal() and not counted:
            self._agree_at_once()
            return
        rows = self.emitter.fresh("c")
        self.emitter.out.append(Assign(rows, self._numbers("candidates", self.yes, self.possible)))
        if counted:
            self._count(rows)
        self._agree(rows)

    def _count(self, rows: str) -> None:
        """Notes the row that answers although an input is missing, for coverage."""
        syntax = self.syntax
        chain: list[Statement] = [
            If(syntax.equal(f"{rows}[0]", str(number)),
               self.emitter.module.mark("row", self.label, row.id))
            for number, row in enumerate(self._all_rows())
        ]  # fmt: skip
        self.emitter.out.append(If(syntax.only_one(rows), chain))

    def _agree(self, rows: str) -> None:
        emitter, syntax = self.emitter, self.syntax
        results = [emitter.fresh() for _ in self.table.outputs]
        found = [emitter.fresh() for _ in self.table.outputs]
        first, row = emitter.fresh(), emitter.fresh("i")
        emitter.out.append(Assign(first, syntax.true))
        emitter.out.extend(Assign(name, syntax.null) for name in results)
        with emitter.branch() as body:
            self._row_outputs(row, found)
            for result, value in zip(results, found, strict=True):
                keep = syntax.either([first, syntax.equal(result, value)])
                body.append(Assign(result, syntax.choose(keep, value, syntax.null)))
            body.append(Assign(first, syntax.false))
        emitter.loop("", row, rows, body)
        texts = list(results)
        emitter.out.append(Return(texts[0] if len(texts) == 1 else syntax.listed(texts)))

    def _literal(self) -> bool:
        return all(
            isinstance(row.then, Unknown)
            or all(isinstance(node, tree.Literal) for node in row.then)
            for row in self._all_rows()
        )

    def _agree_at_once(self) -> None:
        """One word and literal outputs: no doubtful row may lie outside the rows that say the
        same as the first candidate."""
        emitter, syntax = self.emitter, self.syntax
        (yes,), (possible,) = self.yes, self.possible
        low, before, first = (emitter.fresh("m") for _ in range(3))
        emitter.out.append(Assign(low, f"{yes} & -{yes}"))
        emitter.out.append(Assign(before, f"{possible} & ({low} - 1)"))
        emitter.out.append(Assign(first, f"{low} or {before} & -{before}"))
        nothing = [syntax.null] * len(self.table.outputs)
        stop: list[Statement] = [
            Return(nothing[0] if len(nothing) == 1 else syntax.listed(nothing))
        ]
        emitter.out.append(If(syntax.equal(first, "0"), stop))
        columns = zip(
            *(row_values(emitter, self.table, row) for row in self._all_rows()), strict=True
        )
        texts = []
        for column in columns:
            codes = [emitter.full(value) for value in column]
            values = [(1 << place, code) for place, code in enumerate(codes)]
            same = [
                (bit, "0" if code == syntax.null else str(
                    sum(1 << place for place, other in enumerate(codes) if other == code)
                ))
                for bit, code in values
            ]  # fmt: skip
            value_of = emitter.module.constant(syntax.masks_by_value(values))
            same_as = emitter.module.constant(syntax.masks_by_value(same))
            doubt = f"{before} & ~{same_as}[{first}]"
            texts.append(syntax.choose(doubt, syntax.null, f"{value_of}[{first}]"))
        emitter.out.append(Return(texts[0] if len(texts) == 1 else syntax.listed(texts)))

    def _all_rows(self) -> list[Row]:
        return [*self.rows, *([self.table.otherwise] if self.table.otherwise is not None else [])]

    def _row_outputs(self, row: str, names: Sequence[str]) -> None:
        """Assigns the outputs of row number `row`."""
        emitter, syntax = self.emitter, self.syntax
        rows = self._all_rows()
        literal = self._literal()
        values: list[list[str]] = []
        chain: list[Statement] = []
        for number, item in reversed(list(enumerate(rows))):
            with emitter.branch() as body:
                values_ = row_values(emitter, self.table, item)
                texts = [emitter.full(value) for value in values_]
                body.extend(Assign(n, t) for n, t in zip(names, texts, strict=True))
            values.insert(0, texts)
            is_row = syntax.equal(row, str(number))
            chain = [If(is_row, body, chain)] if chain else body
        if not literal:
            emitter.out.extend(chain)
            return
        for name, column in zip(names, zip(*values, strict=True), strict=True):
            constant = emitter.module.constant(syntax.listed(column))
            emitter.out.append(Assign(name, f"{constant}[{row}]"))

    def _outputs_of(self, rows: str, name: str) -> None:
        """A map from row number to the list of outputs, in variable `name`."""
        emitter, syntax = self.emitter, self.syntax
        row, found = emitter.fresh("i"), [emitter.fresh() for _ in self.table.outputs]
        emitter.out.append(Assign(name, syntax.empty_map))
        with emitter.branch() as body:
            self._row_outputs(row, found)
            body.append(Assign(f"{name}[{row}]", syntax.listed(found)))
        emitter.loop("", row, rows, body)

    def _priority(self) -> None:
        emitter, syntax, module = self.emitter, self.syntax, self.emitter.module
        definite, maybe, outputs = (emitter.fresh("c") for _ in range(3))
        emitter.out.append(Assign(definite, self._numbers("row_numbers", self.yes)))
        emitter.out.append(Assign(maybe, self._numbers("row_numbers_but", self.possible, self.yes)))
        with emitter.branch() as some:
            self._outputs_of(syntax.joined(definite, maybe), outputs)
            orders = syntax.listed(
                [
                    syntax.null
                    if order is None
                    else syntax.masks_by_value([(v, str(i)) for v, i in order.items()])
                    for order in rank_orders(self.table)
                ]
            )
            constant = module.constant(orders)
            best = emitter.fresh()
            call = f"{module.runtime('prioritised')}({definite}, {maybe}, {outputs}, {constant})"
            some.append(Assign(best, call))
            some.append(Return(f"{best}[0]" if len(self.table.outputs) == 1 else best))
        emitter.out.append(If(syntax.not_empty(definite), some))
        if self.table.otherwise is not None:
            emitter.out.append(
                Assign(maybe, syntax.joined(maybe, syntax.mutable([str(len(self.rows))])))
            )
        self._agree(maybe)

    def _collect(self) -> None:
        emitter, syntax = self.emitter, self.syntax
        width = len(self.table.outputs)
        nothing = syntax.null if width == 1 else syntax.listed([syntax.null] * width)
        doubtful, rows = emitter.fresh("c"), emitter.fresh("c")
        emitter.out.append(
            Assign(doubtful, self._numbers("row_numbers_but", self.possible, self.yes))
        )
        emitter.out.append(If(syntax.not_empty(doubtful), [Return(nothing)]))
        emitter.out.append(Assign(rows, self._numbers("row_numbers", self.yes)))
        lists = [emitter.fresh() for _ in self.table.outputs]
        found = [emitter.fresh() for _ in self.table.outputs]
        emitter.out.extend(Assign(name, syntax.empty_list) for name in lists)
        row = emitter.fresh("i")
        with emitter.branch() as body:
            self._row_outputs(row, found)
            for name, value in zip(lists, found, strict=True):
                emitter.do(syntax.append(name, value))
        emitter.loop("", row, rows, body)
        values = collected(emitter, self.table, lists)
        emitter.out.append(Return(returned(emitter, values)))


def rank_orders(table: Table) -> list[dict[tree.Value, int] | None]:
    """For each output with closed values, the place of each value; None for the others."""
    return [
        None
        if output.type.values is None
        else {value: place for place, value in enumerate(output.type.values)}
        for output in table.outputs
    ]


def literal_rank(row: Row, orders: Sequence[dict[tree.Value, int] | None]) -> tuple[int, ...]:
    """The rank of a row whose outputs are literals; smaller is better."""
    assert not isinstance(row.then, Unknown)
    ranks = []
    for node, order in zip(row.then, orders, strict=True):
        if order is not None:
            assert isinstance(node, tree.Literal)
            ranks.append(order[node.value])
    return tuple(ranks)
