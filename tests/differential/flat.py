"""Outcomes as two flat buffers: one byte for the kind of each value, eight for its bits.

Two outcomes are equal exactly when their buffers are: numbers compare by their IEEE bits, and
unknown, true and 1.0 differ. Texts are numbered in the order in which they turn up.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from engine.book.model import Book

UNKNOWN, NUMBER, BOOLEAN, TEXT, LIST = range(5)


class Flat:
    """Buffers that outcomes are appended to."""

    def __init__(self) -> None:
        self.kinds = bytearray()
        self.values = array("d")
        self.texts: dict[str, int] = {}

    def add(self, value: Any) -> None:
        """A value, or a list of values, of any depth."""
        kind = type(value)
        if kind is float or kind is int:
            self.kinds.append(NUMBER)
            self.values.append(value)
        elif value is None:
            self.kinds.append(UNKNOWN)
            self.values.append(0.0)
        elif kind is bool:
            self.kinds.append(BOOLEAN)
            self.values.append(float(value))
        elif kind is str:
            self.kinds.append(TEXT)
            self.values.append(self.texts.setdefault(value, len(self.texts)))
        else:
            self.kinds.append(LIST)
            self.values.append(len(value))
            for item in value:
                self.add(item)

    def outcome(self, outcome: dict[str, Any], order: dict[str, Any] | None = None) -> int:
        """Appends an outcome, in the order of the names of another; the place where it ends.

        A name that is missing, or one too many, shows as the text "absent".
        """
        names = order or outcome
        for part in ("facts", "decisions", "advice", "relations"):
            for name in names[part]:
                self.add(outcome[part].get(name, "absent"))
        for name in names["rankings"]:
            ranking = outcome["rankings"].get(name, {"absent": "absent"})
            self.add(None if ranking is None else list(ranking.values()))
        if any(len(outcome[part]) != len(names[part]) for part in names):
            self.add("absent")
        return len(self.kinds)


def flattened(
    outcomes: Sequence[dict[str, Any]], order: Sequence[dict[str, Any]] | None = None
) -> tuple[bytes, bytes, list[int]]:
    """Outcomes as buffers, with the place where each ends; see `Flat.outcome` for `order`."""
    flat = Flat()
    ends = [flat.outcome(*pair) for pair in zip(outcomes, order or outcomes, strict=True)]
    return bytes(flat.kinds), flat.values.tobytes(), ends


# The same in JavaScript. `run_` takes a list of profiles as JSON.
JAVASCRIPT = """
var texts_=new Map(),kinds_=[],values_=[],ends_=[];
function add_(value){
switch(typeof value){
case 'number':kinds_.push(1);values_.push(value);return;
case 'boolean':kinds_.push(2);values_.push(value?1:0);return;
case 'string':
if(!texts_.has(value))texts_.set(value,texts_.size);
kinds_.push(3);values_.push(texts_.get(value));return;
}
if(value===null){kinds_.push(0);values_.push(0);return;}
kinds_.push(4);values_.push(value.length);
for(var i=0;i<value.length;i++)add_(value[i]);
}
function run_(profiles){
kinds_=[];values_=[];ends_=[];
profiles.forEach(function(given){
var outcome=gpuwise.evaluate(given,parameters_,tables_);
['facts','decisions','advice','relations'].forEach(function(part){
Object.keys(outcome[part]).forEach(function(name){add_(outcome[part][name]);});
});
Object.keys(outcome.rankings).forEach(function(name){
var r=outcome.rankings[name];
add_(r===null?null:Object.keys(r).map(function(key){return r[key];}));
});
ends_.push(kinds_.length);
});
return kinds_.length;
}
"""


def differences(
    book: Book, expected: dict[str, Any], found: dict[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Where two outcomes differ: the part and name, and both values."""
    for part, values in expected.items():
        for name, value in values.items():
            other = found[part].get(name, "absent")
            if bits(value) != bits(other):
                yield f"{part} {name}", value, other
        for name in found[part].keys() - values.keys():
            yield f"{part} {name}", "absent", found[part][name]


def bits(value: Any) -> tuple[bytes, bytes, tuple[str, ...]]:
    """Equal for values that are the same bit for bit."""
    flat = Flat()
    flat.add(list(value.values()) if isinstance(value, dict) else value)
    return bytes(flat.kinds), flat.values.tobytes(), tuple(flat.texts)
