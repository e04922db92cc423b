"""JavaScript from a rule book: one classic script that defines the global `gpuwise`.

`gpuwise.evaluate(given, parameters, tables)` takes and gives plain objects and arrays; unknown
is null. No eval, no dependencies; texts of the book appear as JSON literals only.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from engine.book.model import Book
from engine.language.tree import Value as Constant
from engine.targets.javascript_runtime import source
from engine.targets.module import Module
from engine.targets.statements import Assign, Do, Each, If, Leave, Return, Statement, While
from engine.targets.syntax import Syntax
from engine.targets.values import ATOM, CHOICE, UNARY, Value

GLOBAL = "gpuwise"


def compile_javascript(book: Book) -> str:
    """The text of a script that decides the whole book.

    `decisions` maps the id of a decision that is a table to its function, `reads` to what its
    arguments are. `tables` are objects with `rows` (arrays in schema column order).
    """
    module = Module(book, JavaScriptSyntax())
    module.write()
    syntax = module.syntax
    names = list(module.root.locals)
    evaluate = syntax.function(
        "evaluate", ["given", "parameters", "tables"], names, module.root.frames[0].out
    )
    decisions = syntax.mapping([(id, function) for id, function, _ in module.exported])
    reads = text([[id, list(labels)] for id, _, labels in module.exported])
    parts = [
        '"use strict";',
        source(module.runtime_used),
        "\n".join(module.constants),
        *module.functions,
        evaluate,
        f"return {{evaluate:evaluate,decisions:{decisions},reads:{reads}}};",
    ]
    return f"var {GLOBAL}=(function(){{\n" + "\n".join(parts) + "\n})();\n"


def text(value: object) -> str:
    """A JSON literal that is also safe inside an HTML script element."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


class JavaScriptSyntax(Syntax):
    null, true, false = "null", "true", "false"
    word_bits = 31
    empty_list, empty_map, no_rows = "[]", "{}", "[]"
    infinity = "Infinity"
    unrolled_lines = False

    def literal(self, value: Constant) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return text(value)
        number = float(value)
        if number.is_integer() and abs(number) < 1e15:
            return str(int(number))
        return repr(number)

    def equal(self, left: str, right: str) -> str:
        return f"{left}==={right}"

    def differ(self, left: str, right: str) -> str:
        return f"{left}!=={right}"

    def is_null(self, name: str) -> str:
        return f"{name}===null"

    def not_null(self, name: str) -> str:
        return f"{name}!==null"

    def is_true(self, name: str) -> str:
        return f"{name}===true"

    def is_false(self, name: str) -> str:
        return f"{name}===false"

    def not_true(self, name: str) -> str:
        return f"{name}!==true"

    def not_false(self, name: str) -> str:
        return f"{name}!==false"

    def negate(self, value: Value) -> Value:
        return Value(f"!{value.within(UNARY)}", rank=UNARY)

    def both(self, parts: Sequence[str]) -> str:
        return "&&".join(parts)

    def either(self, parts: Sequence[str]) -> str:
        return "||".join(parts)

    def choose(self, condition: str, then: str, otherwise: str) -> str:
        return f"{condition}?{then}:{otherwise}"

    def set_inline(self, name: str, code: str) -> str:
        return f"({name}={code})"

    def call(self, function: str, arguments: Sequence[Value], fresh: Sequence[str]) -> Value:
        texts = [value.within(CHOICE) for value in arguments]
        if function in ("min", "max", "abs", "floor", "sqrt"):
            return Value(f"Math.{function}({','.join(texts)})")
        if function == "ceiling":
            return Value(f"Math.ceil({texts[0]})")
        subject = arguments[0].within(ATOM)
        if function == "contains":
            return Value(f"{subject}.includes({texts[1]})")
        if function == "starts_with":
            return Value(f"{subject}.startsWith({texts[1]})")
        raise LookupError(f"no function {function}")

    def listed(self, items: Sequence[str]) -> str:
        return f"[{','.join(items)}]"

    def mutable(self, items: Sequence[str]) -> str:
        return self.listed(items)

    def joined(self, first: str, second: str) -> str:
        return f"{first}.concat({second})"

    def not_empty(self, items: str) -> str:
        return f"{items}.length>0"

    def only_one(self, items: str) -> str:
        return f"{items}.length===1"

    def word_list(self, words: Sequence[str]) -> str:
        return self.listed(words)

    def mapping(self, items: Sequence[tuple[str, str]]) -> str:
        # A plain "__proto__" key would set the prototype instead.
        keys = [f"[{text(key)}]" if key == "__proto__" else text(key) for key, _ in items]
        pairs = (f"{key}:{code}" for key, (_, code) in zip(keys, items, strict=True))
        return f"{{{','.join(pairs)}}}"

    def masks_by_value(self, items: Sequence[tuple[Constant, str]]) -> str:
        pairs = ",".join(f"[{self.literal(value)},{code}]" for value, code in items)
        return f"new Map([{pairs}])"

    def masked(self, name: str, key: str, default: str) -> str:
        return f"({name}.has({key})?{name}.get({key}):{default})"

    def append(self, items: str, item: str) -> str:
        return f"{items}.push({item})"

    def fact(self, path: str) -> str:
        return f"fact_(given,{text(path)})"

    def parameter(self, id: str) -> str:
        return f"parameters[{text(id)}]"

    def table_rows(self, name: str) -> str:
        return f"tables[{text(name)}].rows"

    def table_index(self, name: str, columns: Sequence[tuple[str, int]]) -> str:
        positions = [position for _, position in columns]
        return f"tableIndex_(tables[{text(name)}],{text(positions)})"

    def found(self, index: str, keys: Sequence[str]) -> str:
        return f"found_({index},[{','.join(keys)}])"

    def or_one_blank(self, rows: str) -> str:
        return f"orBlank_({rows})"

    def function(
        self, name: str, parameters: Sequence[str], names: Sequence[str], body: list[Statement]
    ) -> str:
        lines = [f"function {name}({','.join(parameters)}){{"]
        if names:
            lines.append(f"var {','.join(names)};")
        _render(body, lines)
        lines.append("}")
        return "\n".join(lines)

    def constant(self, name: str, code: str) -> str:
        return f"const {name}={code};"

    def unpack(self, names: Sequence[str], code: str) -> list[Statement]:
        whole = names[0]
        others = [Assign(name, f"{whole}[{place}]") for place, name in enumerate(names)]
        # The first name holds the whole until the others are read.
        return [Assign(whole, code), *others[1:], others[0]]


def _render(statements: Sequence[Statement], lines: list[str]) -> None:
    for statement in statements:
        match statement:
            case Assign(target=target, code=code):
                lines.append(f"{target}={code};")
            case Do(code=code):
                lines.append(f"{code};")
            case Return(code=code):
                lines.append(f"return {code};")
            case Leave(word=word):
                lines.append(f"{word};")
            case While(condition=condition, body=body):
                lines.append(f"while({condition}){{")
                _render(body, lines)
                lines.append("}")
            case Each():
                _render_each(statement, lines)
            case If():
                _render_if(statement, lines)


def _render_each(loop: Each, lines: list[str]) -> None:
    items, index = f"{loop.item}l", f"{loop.item}i"
    lines.append(f"for(let {items}={loop.items},{index}=0;{index}<{items}.length;{index}++){{")
    lines.append(f"{loop.item}={items}[{index}];")
    if loop.index:
        lines.append(f"{loop.index}={index};")
    _render(loop.body, lines)
    lines.append("}")


def _render_if(statement: If, lines: list[str]) -> None:
    word = "if"
    while True:
        lines.append(f"{word}({statement.condition}){{")
        _render(statement.then, lines)
        rest = statement.otherwise
        if len(rest) != 1 or not isinstance(rest[0], If):
            break
        statement, word = rest[0], "}else if"
    if rest:
        lines.append("}else{")
        _render(rest, lines)
    lines.append("}")
