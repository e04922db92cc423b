"""Decision tables: an if-chain where every input is known, bit sets where one is missing.

With all inputs known the first row whose cells hold answers, so a chain of conditions is all
there is to emit. When an input is missing, a row may hold or not: `yes` is the set of rows that
certainly hold, `possible` that of the rows that are not out, and the answer is known only if
every possible row before the first certain one gives the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.book.model import Row, Table, Unknown
from engine.language import tree
from engine.targets import masks
from engine.targets.emit import Emitter
from engine.targets.statements import Assign, If, Return, Statement
from engine.targets.values import ATOM, Value

INLINE_ROWS = 8  # larger tables get a function of their own


def emit_table(emitter: Emitter, table: Table, label: str) -> list[Value]:
    """The outputs of a table, each a variable (or a constant); `label` names it in coverage."""
    if _is_large(table):
        return _in_function(emitter, table, label)
    return emit_here(emitter, table, label)


def _is_large(table: Table) -> bool:
    return len(table.rows) > INLINE_ROWS


def emit_here(emitter: Emitter, table: Table, label: str) -> list[Value]:
    return _TableWriter(emitter, table, label).write()


def _in_function(emitter: Emitter, table: Table, label: str) -> list[Value]:
    name, outputs, child = table_function(emitter, table, label)
    call = f"{name}({', '.join(child.parameters)})"
    emitter.use(*child.parameters)
    return unpack(emitter, call, [bool(value.nulls or value.unknown) for value in outputs])


def table_function(emitter: Emitter, table: Table, label: str) -> tuple[str, list[Value], Emitter]:
    """A function of what the table reads, added to the module.

    In a loop the inputs are computed outside the function, where they may move further out.
    """
    child = Emitter(emitter.module, emitter)
    writer = _TableWriter(child, table, label)
    if emitter.current > 0:
        writer.subjects = {
            index: child.read(emitter.bind(emitter.emit(table.inputs[index])))
            for index in writer.used
        }
    outputs = writer.write()
    child.out.append(Return(returned(child, outputs)))
    return emitter.module.add_function("D", child), outputs, child


def returned(emitter: Emitter, outputs: Sequence[Value]) -> str:
    texts = [emitter.full(value) for value in outputs]
    return texts[0] if len(texts) == 1 else emitter.syntax.listed(texts)


def unpack(emitter: Emitter, call: str, nullable: Sequence[bool]) -> list[Value]:
    """The results of a function in variables."""
    names = [emitter.fresh() for _ in nullable]
    if len(names) == 1:
        emitter.out.append(Assign(names[0], call))
    else:
        emitter.out.extend(emitter.syntax.unpack(names, call))
    return [
        Value(name, (name,) if may_be_unknown else (), ATOM, stored=True)
        for name, may_be_unknown in zip(names, nullable, strict=True)
    ]


class _TableWriter:
    def __init__(self, emitter: Emitter, table: Table, label: str) -> None:
        self.emitter, self.syntax, self.table = emitter, emitter.syntax, table
        self.label = label
        self.width = len(table.outputs)
        self.subjects: dict[int, Value] = {}
        self.used = [
            index
            for index in range(len(table.inputs))
            if any(row.when[index].tests for row in table.rows)
        ]

    def write(self) -> list[Value]:
        emitter, table = self.emitter, self.table
        if not self.subjects:
            self.subjects = {i: emitter.bind(emitter.emit(table.inputs[i])) for i in self.used}
        operands = [
            emitter.emit(part)
            for row in table.rows
            for index in self.used
            for test in row.when[index].tests
            for part in (test.low, test.high)
            if part is not None and not isinstance(part, tree.Literal)
        ]
        everything = [*self.subjects.values(), *operands]
        nulls = emitter.open_nulls(*everything)
        never = any(value.unknown for value in everything)
        fast = table.hit in ("first", "unique", "any", "collect") or self._literal_outputs()
        if fast and not nulls and not never:
            return self._known()
        names = [emitter.fresh() for _ in table.outputs]
        with emitter.branch() as slow:
            self._call_bitset(names)
        if never or not fast:
            emitter.out.extend(slow)
        else:
            with emitter.branch(emitter.closure(nulls)) as quick:
                values = self._known()
                for name, value in zip(names, values, strict=True):
                    emitter.out.append(Assign(name, emitter.full(value)))
            checks = self.syntax.both([self.syntax.not_null(name) for name in nulls])
            emitter.out.append(If(checks, quick, slow))
        return [Value(name, (name,), ATOM, stored=True) for name in names]

    def _literal_outputs(self) -> bool:
        rows = [*self.table.rows, *([self.table.otherwise] if self.table.otherwise else [])]
        return all(
            not isinstance(row.then, Unknown)
            and all(isinstance(node, tree.Literal) for node in row.then)
            for row in rows
        )

    # ------------------------------------------------------------ every input known

    def _known(self) -> list[Value]:
        if self.table.hit == "collect":
            return self._collect_known()
        quick = self.emitter.module.dispatch(self.emitter, self.table, self.subjects)
        if quick is not None:
            return quick
        names = [self.emitter.fresh() for _ in self.table.outputs]
        nullable = [False] * self.width
        self.emitter.out.extend(self._chain(self._ordered(), names, nullable))
        return [
            Value(name, (name,) if may_be_unknown else (), ATOM, stored=True)
            for name, may_be_unknown in zip(names, nullable, strict=True)
        ]

    def _ordered(self) -> list[Row]:
        """Rows in the order in which the first that holds answers."""
        rows = list(self.table.rows)
        if self.table.hit != "priority":
            return rows
        ranks = rank_orders(self.table)
        return sorted(rows, key=lambda row: literal_rank(row, ranks))

    def _chain(
        self, rows: Sequence[Row], names: Sequence[str], nullable: list[bool]
    ) -> list[Statement]:
        """`if row 1: … elif row 2: …`, built from the last row up."""
        statements = self._last(names, nullable)
        for row in reversed(rows):
            condition = self._condition(row)
            if condition.constant is False:
                continue
            body = self._outputs(row, names, nullable)
            if condition.constant is True:
                statements = body
            else:
                statements = [If(condition.code, body, statements)]
        return statements

    def _last(self, names: Sequence[str], nullable: list[bool]) -> list[Statement]:
        if self.table.otherwise is not None:
            return self._outputs(self.table.otherwise, names, nullable)
        for index, output in enumerate(self.table.outputs):
            nullable[index] |= output.type.nullable
        return [Assign(name, self.syntax.null) for name in names]

    def _condition(self, row: Row) -> Value:
        cells = [
            self.emitter.cell(self.subjects[index], row.when[index])
            for index in self.used
            if row.when[index].tests
        ]
        return self.emitter.kleene_values(cells, conjunction=True)

    def _outputs(self, row: Row, names: Sequence[str], nullable: list[bool]) -> list[Statement]:
        with self.emitter.branch() as body:
            for index, (name, value) in enumerate(zip(names, self._values(row), strict=True)):
                body.append(Assign(name, self.emitter.full(value)))
                nullable[index] |= value.unknown or bool(self.emitter.open_nulls(value))
        body.extend(self.emitter.module.mark("row", self.label, row.id))
        return body

    def _values(self, row: Row) -> list[Value]:
        if isinstance(row.then, Unknown):
            return [self.emitter.unknown()] * self.width
        return [self.emitter.output(node) for node in row.then]

    def _collect_known(self) -> list[Value]:
        emitter, table, syntax = self.emitter, self.table, self.syntax
        lists = [emitter.fresh() for _ in table.outputs]
        emitter.out.extend(Assign(name, syntax.empty_list) for name in lists)
        for row in table.rows:
            condition = self._condition(row)
            with emitter.branch() as body:
                for name, value in zip(lists, self._values(row), strict=True):
                    emitter.do(syntax.append(name, emitter.full(value)))
            body.extend(emitter.module.mark("row", self.label, row.id))
            if condition.constant is True:
                emitter.out.extend(body)
            elif condition.constant is not False:
                emitter.out.append(If(condition.code, body))
        return self._collected(lists)

    def _collected(self, lists: Sequence[str]) -> list[Value]:
        """The collected outputs, with `otherwise` when no row held."""
        emitter, table, syntax = self.emitter, self.table, self.syntax
        names = [emitter.fresh() for _ in table.outputs]
        function = emitter.module.runtime(
            f"collected_{table.aggregate}" if table.aggregate else "collected"
        )
        body: list[Statement] = [
            Assign(name, f"{function}({items})") for name, items in zip(names, lists, strict=True)
        ]
        if table.otherwise is not None:
            with emitter.branch() as other:
                for name, value in zip(names, self._values(table.otherwise), strict=True):
                    code = emitter.full(value)
                    if not table.aggregate:
                        code = f"{function}({syntax.mutable([code])})"
                    other.append(Assign(name, code))
            body = [If(syntax.not_empty(lists[0]), body, other)]
        emitter.out.extend(body)
        return [Value(name, (name,), ATOM, stored=True) for name in names]

    # ------------------------------------------------------------ some input missing

    def _call_bitset(self, names: Sequence[str]) -> None:
        child = Emitter(self.emitter.module, self.emitter)
        subjects = {index: child.read(value) for index, value in self.subjects.items()}
        _BitSetWriter(child, self.table, self.label, subjects).write()
        function = self.emitter.module.add_function("U", child)
        self.emitter.use(*child.parameters)
        call = f"{function}({', '.join(child.parameters)})"
        if len(names) == 1:
            self.emitter.out.append(Assign(names[0], call))
        else:
            self.emitter.out.extend(self.syntax.unpack(names, call))


class _BitSetWriter:
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
        column_all = (1 << self.size) - 1
        tested = sum(1 << row for row in column.tested)
        emitter = self.emitter
        known: list[Statement] = []
        names = [emitter.fresh("m") for _ in range(self.count)]
        if not subject.unknown:
            known.extend(self._accepting(subject, column, names, extra))
        unknown_dash = self._words(column.dash | extra)
        missing: list[Statement] = [
            Assign(name, str(word)) for name, word in zip(names, unknown_dash, strict=True)
        ]
        nulls = emitter.open_nulls(subject)
        maybe = [emitter.fresh("m") for _ in range(self.count)]
        same: list[Statement] = [Assign(b, a) for a, b in zip(names, maybe, strict=True)]
        rest = self._words(column_all & ~tested)
        anything: list[Statement] = [
            Assign(name, str(word)) for name, word in zip(maybe, rest, strict=True)
        ]
        if subject.unknown:
            emitter.out.extend([*missing, *anything])
        elif nulls:
            test = self.syntax.not_null(subject.code)
            emitter.out.append(If(test, [*known, *same], [*missing, *anything]))
        else:
            emitter.out.extend([*known, *same])
        for row in column.tested:
            self._test(subject, cells[row], row, names, maybe)
        for target, source in [*zip(self.yes, names, strict=True)]:
            emitter.out.append(Assign(target, f"{target} & {source}"))
        for target, source in zip(self.possible, maybe, strict=True):
            emitter.out.append(Assign(target, f"{target} & {source}"))

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
        held = emitter.bind(emitter.cell(subject, cell))
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
        rows = self.emitter.fresh("c")
        self.emitter.out.append(Assign(rows, self._numbers("candidates", self.yes, self.possible)))
        self._agree(rows)

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

    def _all_rows(self) -> list[Row]:
        return [*self.rows, *([self.table.otherwise] if self.table.otherwise is not None else [])]

    def _row_outputs(self, row: str, names: Sequence[str]) -> None:
        """Assigns the outputs of row number `row`."""
        emitter, syntax = self.emitter, self.syntax
        rows = self._all_rows()
        literal = all(
            isinstance(item.then, Unknown)
            or all(isinstance(node, tree.Literal) for node in item.then)
            for item in rows
        )
        values: list[list[str]] = []
        chain: list[Statement] = []
        for number, item in reversed(list(enumerate(rows))):
            with emitter.branch() as body:
                if isinstance(item.then, Unknown):
                    texts = [syntax.null] * len(names)
                else:
                    texts = [emitter.full(emitter.output(node)) for node in item.then]
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
        writer = _TableWriter(emitter, self.table, self.label)
        values = writer._collected(lists)
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
