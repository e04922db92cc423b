"""Python from a rule book: the source of a module with `evaluate(given, parameters, tables)`.

`DECISIONS` maps the id of a decision that is a table to its function; `READS` says what its
arguments are: paths of facts, ids of parameters and decisions, None where unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.book.model import Book
from engine.language.tree import Value as Constant
from engine.targets.dispatch import dispatched
from engine.targets.module import Module
from engine.targets.pieces import in_pieces
from engine.targets.python_runtime import source
from engine.targets.statements import Assign, Do, Each, If, Leave, Return, Statement, While
from engine.targets.syntax import Syntax
from engine.targets.values import (
    ADD,
    ATOM,
    CHOICE,
    COMPARE,
    MULTIPLY,
    NOT,
    UNARY,
    Value,
)


def compile_python(book: Book, *, coverage: bool = False) -> str:
    """The source text of a module that decides the whole book.

    `evaluate(given, parameters, tables)`: `given` facts by path (floats, booleans, texts; list
    facts as lists of tuples), `parameters` values of all parameters by id, `tables` objects with
    `rows` and `index(columns)` by table name. Unknown is None in the result.

    `decide` gives the same, but for rows of relations, whose columns that no rule reads are
    computed when they are asked for.

    `coverage`: the module notes in `hits_` which of `MARKS`, (kind, …) of every table row and
    branch, it has come through while the inputs they depend on were known.
    """
    module = Module(book, PythonSyntax(), dispatched, coverage=coverage, late_columns=not coverage)
    module.write()
    names, body = module.root.locals, module.root.frames[0].out
    evaluate = in_pieces("run_", ["given", "parameters", "tables"], names, body, _text)
    exported = ", ".join(f"{id!r}: {function}" for id, function, _ in module.exported)
    reads = ", ".join(f"{id!r}: {labels!r}" for id, _, labels in module.exported)
    marks = list(module.marks or ())
    noted = [f"MARKS = {marks!r}\nhits_ = bytearray({len(marks)})"] if coverage else []
    return "\n\n\n".join(
        [
            source(module.runtime_used),
            *noted,
            "\n".join(module.constants),
            *module.functions,
            *evaluate,
            _EVALUATE,
            f"DECISIONS = {{{exported}}}\nREADS = {{{reads}}}\n",
        ]
    )


# Thousands of rows make the collector run again and again, though nothing here is cyclic.
_EVALUATE = """def decide(given, parameters, tables):
    collecting = gc.isenabled()
    gc.disable()
    try:
        return run_(given, parameters, tables)
    finally:
        if collecting:
            gc.enable()


def evaluate(given, parameters, tables):
    result = decide(given, parameters, tables)
    relations = result["relations"]
    for id, rows in relations.items():
        if rows is not None and rows.__class__ is not list:
            relations[id] = rows.list()
    return result"""


class PythonSyntax(Syntax):
    null, true, false = "None", "True", "False"
    word_bits = 0
    empty_list, empty_map, no_rows = "[]", "{}", "()"
    infinity = "inf"
    unrolled_lines = True

    def literal(self, value: Constant) -> str:
        return repr(value)

    def equal(self, left: str, right: str) -> str:
        return f"{left} == {right}"

    def differ(self, left: str, right: str) -> str:
        return f"{left} != {right}"

    def is_null(self, name: str) -> str:
        return f"{name} is None"

    def not_null(self, name: str) -> str:
        return f"{name} is not None"

    def is_true(self, name: str) -> str:
        return f"{name} is True"

    def is_false(self, name: str) -> str:
        return f"{name} is False"

    def not_true(self, name: str) -> str:
        return f"{name} is not True"

    def not_false(self, name: str) -> str:
        return f"{name} is not False"

    def negate(self, value: Value) -> Value:
        return Value(f"not {value.within(NOT)}", rank=NOT)

    def both(self, parts: Sequence[str]) -> str:
        return " and ".join(parts)

    def either(self, parts: Sequence[str]) -> str:
        return " or ".join(parts)

    def choose(self, condition: str, then: str, otherwise: str) -> str:
        return f"{then} if {condition} else {otherwise}"

    def set_inline(self, name: str, code: str) -> str:
        return f"({name} := {code})"

    def call(self, function: str, arguments: Sequence[Value], fresh: Sequence[str]) -> Value:
        if function in ("min", "max"):
            order = "<=" if function == "min" else ">="
            (a, a_set), (b, b_set) = (
                self._once(value, name) for value, name in zip(arguments, fresh, strict=True)
            )
            return Value(f"{a} if {a_set} {order} {b_set} else {b}", rank=CHOICE)
        first = arguments[0]
        if function == "floor":
            return Value(f"{first.within(MULTIPLY)} // 1.0", rank=MULTIPLY)
        if function == "ceiling":
            return Value(f"-(-{first.within(ATOM)} // 1.0)", rank=UNARY)
        if function in ("abs", "sqrt"):
            return Value(f"{function}({first.within(CHOICE)})")
        second = arguments[1]
        if function == "contains":
            return Value(f"{second.within(ADD)} in {first.within(ADD)}", rank=COMPARE)
        if function == "starts_with":
            return Value(f"{first.within(ATOM)}.startswith({second.within(CHOICE)})")
        raise LookupError(f"no function {function}")

    @staticmethod
    def _once(value: Value, name: str) -> tuple[str, str]:
        """How a value is read, and how it is written where it is met first."""
        if value.atom:
            text = value.within(UNARY)
            return text, text
        return name, f"({name} := {value.code})"

    def listed(self, items: Sequence[str]) -> str:
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"

    def mutable(self, items: Sequence[str]) -> str:
        return f"[{', '.join(items)}]"

    def joined(self, first: str, second: str) -> str:
        return f"{first} + {second}"

    def not_empty(self, items: str) -> str:
        return items

    def only_one(self, items: str) -> str:
        return f"len({items}) == 1"

    def word_list(self, words: Sequence[str]) -> str:
        (word,) = words
        return word

    def mapping(self, items: Sequence[tuple[str, str]]) -> str:
        return f"{{{', '.join(f'{key!r}: {code}' for key, code in items)}}}"

    def masks_by_value(self, items: Sequence[tuple[Constant, str]]) -> str:
        return f"{{{', '.join(f'{value!r}: {code}' for value, code in items)}}}"

    def masked(self, name: str, key: str, default: str) -> str:
        return f"{name}.get({key}, {default})"

    def append(self, items: str, item: str) -> str:
        return f"{items}.append({item})"

    def fact(self, path: str) -> str:
        return f"given.get({path!r})"

    def parameter(self, id: str) -> str:
        return f"parameters[{id!r}]"

    def table_rows(self, name: str) -> str:
        return f"tables[{name!r}].rows"

    def table_index(self, name: str, columns: Sequence[tuple[str, int]]) -> str:
        names = self.listed([repr(column) for column, _ in columns])
        return f"tables[{name!r}].index({names})"

    def found(self, index: str, keys: Sequence[str]) -> str:
        key = keys[0] if len(keys) == 1 else f"({', '.join(keys)})"
        return f"{index}.get({key}, ())"

    def or_one_blank(self, rows: str) -> str:
        return f"({rows}) or (None,)"

    def function(
        self, name: str, parameters: Sequence[str], names: Sequence[str], body: list[Statement]
    ) -> str:
        lines = [f"def {name}({', '.join(parameters)}):"]
        _render(body, 1, lines)
        return "\n".join(lines)

    def constant(self, name: str, code: str) -> str:
        return f"{name} = {code}"

    def unpack(self, names: Sequence[str], code: str) -> list[Statement]:
        return [Assign(", ".join(names), code)]


def _text(statements: Sequence[Statement]) -> str:
    lines: list[str] = []
    _render(statements, 1, lines)
    return "\n".join(lines)


def _render(statements: Sequence[Statement], depth: int, lines: list[str]) -> None:
    pad = " " * depth
    if not statements:
        lines.append(f"{pad}pass")
    for statement in statements:
        match statement:
            case Assign(target=target, code=code):
                lines.append(f"{pad}{target} = {code}")
            case Do(code=code):
                lines.append(f"{pad}{code}")
            case Return(code=code):
                lines.append(f"{pad}return {code}")
            case Leave(word=word):
                lines.append(f"{pad}{word}")
            case While(condition=condition, body=body):
                lines.append(f"{pad}while {condition}:")
                _render(body, depth + 1, lines)
            case Each(index=index, item=item, items=items, body=body):
                head = (
                    f"{item} in {items}" if not index else f"{index}, {item} in enumerate({items})"
                )
                lines.append(f"{pad}for {head}:")
                _render(body, depth + 1, lines)
            case If():
                _render_if(statement, depth, lines)


def _render_if(statement: If, depth: int, lines: list[str]) -> None:
    """`elif` keeps long chains flat: Python allows 100 levels of indentation."""
    pad, word = " " * depth, "if"
    while True:
        lines.append(f"{pad}{word} {statement.condition}:")
        _render(statement.then, depth + 1, lines)
        rest = statement.otherwise
        if len(rest) != 1 or not isinstance(rest[0], If):
            break
        statement, word = rest[0], "elif"
    if rest:
        lines.append(f"{pad}else:")
        _render(rest, depth + 1, lines)
