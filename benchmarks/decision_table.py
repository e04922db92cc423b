"""One decision of a 40-row table: ours in Python and JavaScript beside four other engines.

Every engine decides all 3,000 cases of `data/bench40.json` and is checked on each. Times are
medians of processor time, taken in turns in one process, so that a busy machine slows all alike.
Run: python -m benchmarks.decision_table
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import table40
from engine.targets.javascript import compile_javascript
from engine.targets.python import compile_python

Case = Mapping[str, Any]
Decide = Callable[[Case], Any]


@dataclass(frozen=True, slots=True)
class Engine:
    """`run` decides a list of prepared inputs in a loop; `prepared` are what it is given.

    `times`: how often it does so, where one call of `run` repeats the loop by itself.
    """

    name: str
    run: Callable[[Sequence[Any]], Any]
    prepared: list[Any]
    results: list[Any]
    times: int = 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", help="comma-separated parts of names of engines")
    arguments = parser.parse_args()
    data = table40.load()
    cases = table40.cases(data)
    outputs = [tuple(rule["then"].values()) for rule in data["rules"]]
    engines, failed = [], False
    for make in MAKERS:
        if arguments.only and not any(part in make.__name__ for part in arguments.only.split(",")):
            continue
        try:
            engine = make(data, [case for case, _ in cases])
        except ImportError as error:
            print(f"left out {make.__name__}: {error}")
            continue
        wrong = sum(
            1
            for result, (_, row) in zip(engine.results, cases, strict=True)
            if result != row and tuple(result if isinstance(result, tuple) else ()) != outputs[row]
        )
        if wrong:
            failed = True
            print(f"{engine.name}: {wrong} of {len(cases)} results are wrong")
        engines.append(engine)
    times = measure(engines, arguments.rounds)
    print(f"{'engine':44}{'µs per decision':>16}   ({len(cases):,} results checked each)")
    for engine in engines:
        print(f"{engine.name:44}{times[engine.name] * 1e6:16.3f}")
    size = len(gzip.compress(compile_javascript(table40.book(data)).encode(), 9))
    print(f"JavaScript of the table: {size / 1000:.1f} kB gzip")
    return 1 if failed else 0


def measure(engines: Sequence[Engine], rounds: int) -> dict[str, float]:
    """Median seconds of processor time per decision, in interleaved rounds."""
    found: dict[str, list[float]] = {engine.name: [] for engine in engines}
    portions: dict[str, int] = {}
    for engine in engines:
        if engine.times > 1:
            portions[engine.name] = len(engine.prepared)
            continue
        started = time.process_time()
        engine.run(engine.prepared[:100])
        each = max((time.process_time() - started) / 100, 1e-9)
        portions[engine.name] = max(50, min(len(engine.prepared), int(0.2 / each)))
    for _ in range(rounds):
        for engine in engines:
            portion = engine.prepared[: portions[engine.name]]
            started = time.process_time()
            engine.run(portion)
            spent = time.process_time() - started
            found[engine.name].append(spent / len(portion) / engine.times)
    return {name: statistics.median(values) for name, values in found.items()}


def looped(decide: Decide) -> Callable[[Sequence[Any]], Any]:
    def run(prepared: Sequence[Any]) -> None:
        for case in prepared:
            decide(case)

    return run


# ---------------------------------------------------------------- ours


def ours_arguments(data: Mapping[str, Any], cases: list[Case]) -> Engine:
    decide, names = _ours(data)
    prepared = [tuple(_number(case[name]) for name in names) for case in cases]

    def run(prepared: Sequence[tuple[Any, ...]]) -> None:
        for workload, sensitivity, memory, duty, hours, stoppable in prepared:
            decide(workload, sensitivity, memory, duty, hours, stoppable)

    return Engine("ours, Python", run, prepared, [decide(*case) for case in prepared])


def ours_dict(data: Mapping[str, Any], cases: list[Case]) -> Engine:
    decide, names = _ours(data)
    prepared = [{name: _number(case[name]) for name in names} for case in cases]
    a, b, c, d, e, f = names

    def run(prepared: Sequence[Case]) -> None:
        for case in prepared:
            decide(case[a], case[b], case[c], case[d], case[e], case[f])

    return Engine(
        "ours, Python, inputs out of a dict",
        run,
        prepared,
        [decide(*case.values()) for case in prepared],
    )


def ours_missing(data: Mapping[str, Any], cases: list[Case]) -> Engine:
    """Each case with one input left out; nothing to check it against but that it answers."""
    decide, names = _ours(data)
    prepared = []
    for place, case in enumerate(cases):
        values = [_number(case[name]) for name in names]
        values[place % len(values)] = None
        prepared.append(tuple(values))
    engine = ours_arguments(data, cases)

    def run(prepared: Sequence[tuple[Any, ...]]) -> None:
        for workload, sensitivity, memory, duty, hours, stoppable in prepared:
            decide(workload, sensitivity, memory, duty, hours, stoppable)

    return Engine("ours, Python, one input missing", run, prepared, engine.results)


def ours_javascript(data: Mapping[str, Any], cases: list[Case]) -> Engine:
    """The loop runs inside V8, whose thread counts as processor time of this process."""
    from py_mini_racer import MiniRacer

    context = MiniRacer()
    context.eval(compile_javascript(table40.book(data)))
    names = list(data["inputs"])
    lists = [[case[name] for name in names] for case in cases]
    context.eval(f"var cases={json.dumps(lists)},decide=gpuwise.decisions.table;")
    context.eval(
        "function all(){return JSON.stringify(cases.map(function(c){"
        "return decide(c[0],c[1],c[2],c[3],c[4],c[5]);}))}"
        "function loop(n){var s=0,i,k,c;"
        "for(k=0;k<n;k++)for(i=0;i<cases.length;i++){c=cases[i];"
        "s+=decide(c[0],c[1],c[2],c[3],c[4],c[5])[3];}return s;}"
    )
    results = [tuple(values) for values in json.loads(str(context.eval("all()")))]
    context.eval("loop(50)")
    repeats = 100

    def run(prepared: Sequence[Any]) -> None:
        context.eval(f"loop({repeats})")

    return Engine("ours, JavaScript (V8)", run, list(cases), results, repeats)


def _ours(data: Mapping[str, Any]) -> tuple[Any, list[str]]:
    namespace: dict[str, Any] = {}
    exec(compile(compile_python(table40.book(data)), "<table>", "exec"), namespace)
    return namespace["DECISIONS"]["table"], list(namespace["READS"]["table"])


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


# ---------------------------------------------------------------- others


def datalogic(data: Mapping[str, Any], cases: list[Case]) -> Engine:
    from datalogic_py import Engine as DataLogic

    rule: list[Any] = []
    for row, item in enumerate(data["rules"]):
        found = table40.conditions(
            item["when"],
            lambda name, values: (
                {"==": [{"var": name}, values[0]]}
                if len(values) == 1
                else {"in": [{"var": name}, values]}
            ),
            lambda operator, name, value: {operator: [{"var": name}, value]},
        )
        condition = {"and": found} if len(found) > 1 else (found[0] if found else True)
        rule.extend([condition, row])
    decide = DataLogic().compile({"if": [*rule, -1]}).evaluate
    return Engine("datalogic-py", looped(decide), cases, [int(decide(case)) for case in cases])


def zen_engine(data: Mapping[str, Any], cases: list[Case]) -> Engine:
    import zen

    inputs = [{"id": name, "name": name, "field": name} for name in data["inputs"]]
    rows = []
    for place, item in enumerate(data["rules"]):
        row: dict[str, str] = {"_id": f"r{place}", "row": str(place)}
        for name, cell in item["when"].items():
            row[name] = _zen_cell(cell)
        rows.append(row)
    content = {
        "hitPolicy": "first",
        "inputs": inputs,
        "outputs": [{"id": "row", "name": "row", "field": "row"}],
        "rules": rows,
    }
    nodes = [
        {"id": "in", "type": "inputNode", "name": "in", "position": {"x": 0, "y": 0}},
        {
            "id": "table",
            "type": "decisionTableNode",
            "name": "table",
            "content": content,
            "position": {"x": 1, "y": 0},
        },
        {"id": "out", "type": "outputNode", "name": "out", "position": {"x": 2, "y": 0}},
    ]
    edges = [
        {"id": "a", "type": "edge", "sourceId": "in", "targetId": "table"},
        {"id": "b", "type": "edge", "sourceId": "table", "targetId": "out"},
    ]
    text = json.dumps({"nodes": nodes, "edges": edges})
    compiled = zen.ZenDecisionContent(text)
    engine = zen.ZenEngine({"loader": lambda key: compiled})

    def decide(case: Case) -> Any:
        return engine.evaluate("table", case)

    results = [int(decide(case)["result"]["row"]) for case in cases]
    return Engine("zen-engine", looped(decide), cases, results)


def _zen_cell(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, list):
        return ", ".join(json.dumps(value) for value in cell)
    low, high = cell["min"], cell["max"]
    if low is not None and high is not None:
        return f"[{low}..{high}]"
    return f">= {low}" if low is not None else f"<= {high}"


def common_expression_language(data: Mapping[str, Any], cases: list[Case]) -> Engine:
    import cel

    text = "-1"
    for row, item in reversed(list(enumerate(data["rules"]))):
        found = table40.conditions(
            item["when"],
            lambda name, values: (
                "(" + " || ".join(f"{name} == {json.dumps(v)}" for v in values) + ")"
            ),
            lambda operator, name, value: f"{name} {operator} {json.dumps(value)}",
        )
        text = f"({' && '.join(found) or 'true'}) ? {row} : ({text})"
    decide = cel.compile(text).execute
    return Engine(
        "common-expression-language (CEL)", looped(decide), cases, [decide(case) for case in cases]
    )


def spiff_workflow(data: Mapping[str, Any], cases: list[Case]) -> Engine:
    from SpiffWorkflow.bpmn.script_engine import PythonScriptEngine
    from SpiffWorkflow.dmn.engine.DMNEngine import DMNEngine
    from SpiffWorkflow.dmn.specs import model

    table = model.DecisionTable("table", "table", "UNIQUE")
    inputs = {name: model.Input(name, name, name, name, "") for name in data["inputs"]}
    output = model.Output("row", "row", "row", "")
    for place, item in enumerate(data["rules"]):
        rule = model.Rule(f"r{place}")
        rule.row_number = place
        for name, cell in item["when"].items():
            entry = model.InputEntry(f"r{place}{name}", inputs[name])
            entry.lhs.append(_spiff_cell(cell))
            rule.inputEntries.append(entry)
        answer = model.OutputEntry(f"r{place}row", output)
        answer.text = str(place)
        rule.outputEntries.append(answer)
        table.rules.append(rule)
    engine = DMNEngine(table)

    class Workflow:
        script_engine = PythonScriptEngine()

    class Task:
        workflow = Workflow()
        data: Mapping[str, Any] = {}

    task = Task()

    def decide(case: Case) -> Any:
        task.data = dict(case)
        return engine.result(task)

    few = cases[:300]
    results = [int(decide(case)["row"]) for case in few]
    # Too slow for all cases more than once: the rest is checked but not timed again.
    results += [int(decide(case)["row"]) for case in cases[300:]]
    return Engine("SpiffWorkflow DMN", looped(decide), few, results)


def _spiff_cell(cell: Any) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, list):
        return f"? in {cell!r}" if len(cell) > 1 else repr(cell[0])
    low, high = cell["min"], cell["max"]
    if low is not None and high is not None:
        return f"{low} <= ? <= {high}"
    return f">= {low}" if low is not None else f"<= {high}"


MAKERS = (
    ours_arguments,
    ours_dict,
    ours_missing,
    ours_javascript,
    datalogic,
    zen_engine,
    common_expression_language,
    spiff_workflow,
)


if __name__ == "__main__":
    sys.exit(main())
